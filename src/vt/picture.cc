// SPDX-License-Identifier: Apache-2.0
#include "vt/picture.h"

#include <algorithm>
#include <fmt/format.h>

#include "vt/utf8.h"

namespace vt {
namespace {

// How a span looks when all that can change colours has been counted in.
struct Look {
  Rgb foreground;
  Rgb background;
  bool has_background = false;  // other than the screen's
  Style style;
  bool cursor = false;
};

// Characters side by side that look alike. A wide character or a cluster is a span of its own, so that it
// stands where it belongs even where a font disagrees about its width.
struct Span {
  int x = 0;
  int columns = 0;
  std::string text;
  Look look;
  bool shaped = false;  // wide or a cluster: the font knows best how wide it draws it
};

Rgb resolve(const Palette& palette, Color color, int otherwise) {
  switch (color.kind()) {
    case ColorKind::none:
      return palette.color(otherwise);
    case ColorKind::rgb:
      return rgb(color.value());
    case ColorKind::basic:
    case ColorKind::indexed:
      break;
  }
  return palette.color(static_cast<int>(color.value()));
}

Rgb mix(Rgb a, Rgb b) {
  const auto half = [](uint8_t x, uint8_t y) { return static_cast<uint8_t>((x + y) / 2); };
  return {half(a.red, b.red), half(a.green, b.green), half(a.blue, b.blue)};
}

enum class Cursored : bool { no, yes };

Look look_of(const Screen& screen, const Style& style, Cursored cursored) {
  const bool cursor = cursored == Cursored::yes;
  const Palette& palette = screen.palette();
  Look look{resolve(palette, style.foreground, Palette::kForeground),
            resolve(palette, style.background, Palette::kBackground), style.background != Color{}, style,
            cursor};
  const bool swap = style.has(kInverse) != screen.modes()[Mode::reverse_video];
  if (swap) std::swap(look.foreground, look.background);
  if (swap != screen.modes()[Mode::reverse_video]) look.has_background = true;
  if (style.has(kDim)) look.foreground = mix(look.foreground, look.background);
  if (style.has(kInvisible)) look.foreground = look.background;
  if (cursor) {
    look.foreground = look.background;
    look.background = palette.color(Palette::kCursor);
    look.has_background = true;
  }
  return look;
}

Rgb page_color(const Screen& screen) {
  return screen.palette().color(screen.modes()[Mode::reverse_video] ? Palette::kForeground
                                                                    : Palette::kBackground);
}

Rgb text_color(const Screen& screen) {
  return screen.palette().color(screen.modes()[Mode::reverse_video] ? Palette::kBackground
                                                                    : Palette::kForeground);
}

std::vector<Span> spans(const Screen& screen, int y, const PictureOptions& options) {
  Line line;
  screen.read(y, line);
  const bool cursor_here =
      options.cursor == CursorIn::shown && screen.modes()[Mode::cursor_visible] && screen.cursor().y == y;
  int cursor_x = cursor_here ? screen.cursor_column() : -1;
  if (cursor_x >= static_cast<int>(line.glyphs.size())) line.glyphs.resize(static_cast<size_t>(cursor_x) + 1);
  if (cursor_x > 0 && line.glyphs[static_cast<size_t>(cursor_x)].tail()) cursor_x--;
  std::vector<Span> out;
  for (size_t x = 0; x < line.glyphs.size(); x++) {
    const Glyph& glyph = line.glyphs[x];
    if (glyph.tail()) continue;
    const std::u32string characters = line.characters(glyph);
    const bool cursor = static_cast<int>(x) == cursor_x;
    const bool shaped = glyph.wide() || characters.size() > 1;
    const bool alone = shaped || cursor;
    const bool joins = !out.empty() && !alone && !out.back().look.cursor &&
                       out.back().look.style == glyph.style &&
                       out.back().text.size() == static_cast<size_t>(out.back().columns) && glyph.text < 0x80;
    if (!joins)
      out.push_back(
          {static_cast<int>(x), 0, {}, look_of(screen, glyph.style, cursor ? Cursored::yes : Cursored::no)});
    Span& span = out.back();
    span.shaped = shaped;
    span.columns += glyph.wide() ? 2 : 1;
    if (characters.empty()) span.text += ' ';
    for (const char32_t cp : characters) utf8::append(span.text, cp);
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// Spaces in SVG collapse, and not every reader knows how to keep them; those that do not break never do.
std::string escaped_for_svg(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == ' ' ? std::string("\u00a0") : escaped({&c, 1});
  return out;
}

bool is_safe_link(std::string_view uri) {
  constexpr std::string_view kSchemes[] = {"https://", "http://", "mailto:"};
  return std::ranges::any_of(kSchemes, [&](std::string_view s) { return uri.starts_with(s); });
}

std::string decorations(const Screen& screen, const Look& look) {
  std::string lines;
  if (look.style.underline != Underline::none) lines += " underline";
  if (look.style.has(kStrike)) lines += " line-through";
  if (look.style.has(kOverline)) lines += " overline";
  if (lines.empty()) return {};
  constexpr std::string_view kShapes[] = {"", "", " double", " wavy", " dotted", " dashed"};
  std::string out =
      "text-decoration:" + lines.substr(1) + std::string(kShapes[static_cast<size_t>(look.style.underline)]);
  if (look.style.underline_color != Color{})
    out += ' ' + color_code(resolve(screen.palette(), look.style.underline_color, Palette::kForeground));
  return out + ';';
}

std::string font_styles(const Screen& screen, const Look& look) {
  std::string out;
  if (look.style.has(kBold)) out += "font-weight:bold;";
  if (look.style.has(kItalic)) out += "font-style:italic;";
  return out + decorations(screen, look);
}

std::string html_span(const Screen& screen, const Span& span) {
  const Look& look = span.look;
  std::string style = font_styles(screen, look);
  if (look.foreground != text_color(screen)) style += "color:" + color_code(look.foreground) + ';';
  if (look.has_background) style += "background:" + color_code(look.background) + ';';
  // A block fills the height of its row with its background; text alone does not.
  const bool fixed = span.text.size() != static_cast<size_t>(span.columns);
  if (fixed) style += fmt::format("width:{}ch;overflow:hidden;", span.columns);
  if (fixed || look.has_background) style += "display:inline-block;vertical-align:top;";
  std::string out = escaped(span.text);
  if (!style.empty() || look.cursor)
    out = fmt::format("<span{}{}>{}</span>", look.cursor ? " class=\"cursor\"" : "",
                      style.empty() ? "" : " style=\"" + style + "\"", out);
  const std::string uri = look.style.link != 0 ? screen.link(look.style.link).uri : std::string();
  if (is_safe_link(uri))
    out = fmt::format(
        R"(<a href="{}" rel="noopener noreferrer" style="color:inherit;text-decoration:none">{}</a>)",
        escaped(uri), out);
  return out;
}

// Whole pixels, so that no seam shows between rows.
int row_height(const PictureOptions& options) { return (options.font_size * 5 + 3) / 4; }

// The colour of a text's lines is the fill of the element that has them, so they are put on one around the
// text.
std::string svg_text(const Screen& screen, const Span& span, std::string_view place) {
  const Look& look = span.look;
  const std::string fill =
      look.foreground == text_color(screen) ? "" : fmt::format(" fill=\"{}\"", color_code(look.foreground));
  const std::string style = font_styles(screen, look);
  const std::string styled = style.empty() ? "" : fmt::format(" style=\"{}\"", style);
  if (look.style.underline == Underline::none || look.style.underline_color == Color{})
    return fmt::format("<text {}{}{}>{}</text>\n", place, fill, styled, escaped_for_svg(span.text));
  return fmt::format("<text {} fill=\"{}\"{}><tspan fill=\"{}\">{}</tspan></text>\n", place,
                     color_code(resolve(screen.palette(), look.style.underline_color, Palette::kForeground)),
                     styled, color_code(look.foreground), escaped_for_svg(span.text));
}

}  // namespace

std::string html(const Screen& screen, const PictureOptions& options) {
  std::string out = fmt::format(
      "<pre class=\"screen\" style=\"font:{}px/{}px "
      "{};color:{};background:{};width:{}ch;margin:0;padding:.5em;"
      "overflow:hidden;white-space:pre;direction:ltr;unicode-bidi:bidi-override\">\n",  // HTML drops this
                                                                                        // newline
      options.font_size, row_height(options), escaped(options.font), color_code(text_color(screen)),
      color_code(page_color(screen)), screen.size().columns);
  for (int y = 0; y < screen.size().rows; y++) {
    for (const Span& span : spans(screen, y, options)) out += html_span(screen, span);
    out += '\n';
  }
  return out + "</pre>\n";
}

std::string svg(const Screen& screen, const PictureOptions& options) {
  const double width = options.font_size * 0.6;
  const int height = row_height(options);
  const double pad = options.font_size * 0.5;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" font-family=\"{2}\" font-size=\"{3}\" fill=\"{4}\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"{5}\"/>\n",
      width * screen.size().columns + 2 * pad, height * screen.size().rows + 2 * pad, escaped(options.font),
      options.font_size, color_code(text_color(screen)), color_code(page_color(screen)));
  for (int y = 0; y < screen.size().rows; y++) {
    for (const Span& span : spans(screen, y, options)) {
      const double x = pad + width * span.x;
      const double top = pad + height * y;
      if (span.look.has_background)
        out += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\" "
            "shape-rendering=\"crispEdges\"/>\n",
            x, top, width * span.columns, height, color_code(span.look.background));
      const bool decorated = span.look.style.underline != Underline::none || span.look.style.has(kStrike) ||
                             span.look.style.has(kOverline);
      if (span.text.find_first_not_of(' ') == std::string::npos && !decorated) continue;
      std::string place = fmt::format(R"(x="{:.1f}" y="{:.1f}")", x, top + height * 0.78);
      if (!span.shaped)
        place += fmt::format(R"( textLength="{:.1f}" lengthAdjust="spacingAndGlyphs")", width * span.columns);
      out += svg_text(screen, span, place);
    }
  }
  return out + "</svg>\n";
}

}  // namespace vt
