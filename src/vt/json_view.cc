// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "vt/text_view.h"
#include "vt/utf8.h"

namespace vt {
namespace {

// Text here is valid UTF-8 already; controls cannot occur in it, but cost nothing to be sure of.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string color_value(Color color) {
  if (color.kind() == ColorKind::rgb) return quoted(color_code(rgb(color.value())));
  return std::to_string(color.value());
}

struct Name {
  Attribute attribute;
  std::string_view name;
};
constexpr Name kNames[] = {{kBold, "bold"},     {kDim, "dim"},           {kItalic, "italic"},
                           {kBlink, "blink"},   {kInverse, "inverse"},   {kInvisible, "invisible"},
                           {kStrike, "strike"}, {kOverline, "overline"}, {kProtected, "protected"}};
constexpr std::string_view kUnderlines[] = {"none", "single", "double", "curly", "dotted", "dashed"};
constexpr std::string_view kMarks[] = {"prompt", "command", "output", "done"};

void style_members(std::string& out, const Screen& screen, const Style& style) {
  for (const Name& name : kNames)
    if (style.has(name.attribute)) out += fmt::format(R"(,"{}":true)", name.name);
  if (style.underline != Underline::none)
    out += fmt::format(R"(,"underline":"{}")", kUnderlines[static_cast<size_t>(style.underline)]);
  if (style.foreground != Color{}) out += ",\"fg\":" + color_value(style.foreground);
  if (style.background != Color{}) out += ",\"bg\":" + color_value(style.background);
  if (style.underline_color != Color{}) out += ",\"underline_color\":" + color_value(style.underline_color);
  if (style.link != 0) out += ",\"link\":" + quoted(screen.link(style.link).uri);
}

// Runs of one style other than the default, by columns.
std::string runs(const Screen& screen, const Line& line) {
  std::string out;
  for (size_t x = 0; x < line.glyphs.size();) {
    const size_t first = x;
    const Style& style = line.glyphs[x].style;
    while (x < line.glyphs.size() && line.glyphs[x].style == style) x++;
    if (style == Style{}) continue;
    out += fmt::format(R"({}{{"x":{},"columns":{})", out.empty() ? "" : ",", first, x - first);
    style_members(out, screen, style);
    out += '}';
  }
  return out;
}

std::string row(const Screen& screen, const Line& line) {
  std::string out = "{\"text\":" + quoted(line.text());
  if (line.wrapped) out += ",\"wrapped\":true";
  if (const std::string styled = runs(screen, line); !styled.empty()) out += ",\"runs\":[" + styled + "]";
  if (!line.marks.empty()) {
    out += ",\"marks\":[";
    for (const Mark& mark : line.marks) {
      if (out.back() != '[') out += ',';
      out += fmt::format(R"({{"kind":"{}","x":{})", kMarks[static_cast<size_t>(mark.kind)], mark.column);
      if (mark.status) out += fmt::format(",\"status\":{}", *mark.status);
      out += '}';
    }
    out += ']';
  }
  return out + '}';
}

std::string modes(const Screen& screen) {
  std::string out;
  for (const ModeInfo& info : all_modes()) {
    const bool on = screen.modes()[info.mode];
    if (on != info.initial) out += fmt::format(",\"{}\":{}", info.name, on);
  }
  if (const int number = mouse_number(screen.mouse_protocol())) out += fmt::format(",\"mouse\":{}", number);
  if (const int number = mouse_number(screen.mouse_encoding()))
    out += fmt::format(",\"mouse_encoding\":{}", number);
  if (screen.keyboard_flags() != 0) out += fmt::format(",\"keyboard\":{}", screen.keyboard_flags());
  if (screen.modify_other_keys() != 0)
    out += fmt::format(",\"modify_other_keys\":{}", screen.modify_other_keys());
  return out.empty() ? out : out.substr(1);
}

}  // namespace

std::string json(const Screen& screen, size_t scrollback) {
  const bool alternate = screen.showing() == Which::alternate;
  const int first = alternate ? 0 : -static_cast<int>(std::min(scrollback, screen.scrollback().size()));
  std::string out = fmt::format(
      R"({{"columns":{},"rows":{},"alternate":{},"cursor":{{"x":{},"y":{},"visible":{},"wrap_pending":{},"shape":{}}})",
      screen.size().columns, screen.size().rows, alternate, screen.cursor_column(), screen.cursor().y,
      screen.modes()[Mode::cursor_visible], screen.cursor().x == screen.size().columns,
      screen.cursor_shape());
  out += ",\"title\":" + quoted(screen.titles().title) + ",\"icon\":" + quoted(screen.titles().icon) +
         ",\"directory\":" + quoted(screen.directory()) + ",\"modes\":{" + modes(screen) + "}";
  out += fmt::format(R"(,"first_row":{},"lines":[)", first);
  Line line;
  for (int y = first; y < screen.size().rows; y++) {
    screen.read(y, line);
    if (y > first) out += ',';
    out += row(screen, line);
  }
  return out + "]}";
}

}  // namespace vt
