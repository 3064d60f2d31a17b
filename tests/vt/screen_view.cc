// SPDX-License-Identifier: Apache-2.0
#include "screen_view.h"

#include <algorithm>

#include "vt/utf8.h"

namespace vt_test {
namespace {

using vt::Mode;

int colour(vt::Color color) {
  switch (color.kind()) {
    case vt::ColorKind::none:
      return -1;
    case vt::ColorKind::basic:
    case vt::ColorKind::indexed:
      return static_cast<int>(color.value());
    case vt::ColorKind::rgb:
      return 0x1000000 + static_cast<int>(color.value());
  }
  return -1;
}

StyleView view_of(const vt::Style& style, const vt::Screen& screen) {
  return {.foreground = colour(style.foreground),
          .background = colour(style.background),
          .flags = style.attributes,
          .underline = static_cast<int>(style.underline),
          .underline_colour = colour(style.underline_color),
          .link = style.link == 0 ? "" : std::string(screen.link(style.link).uri)};
}

class Viewer {
 public:
  Viewer(const vt::Screen& screen, View& view) : screen_(screen), view_(view) {}

  size_t style(const vt::Style& style) {
    StyleView wanted = view_of(style, screen_);
    const auto found = std::ranges::find(view_.styles, wanted);
    if (found != view_.styles.end()) return static_cast<size_t>(found - view_.styles.begin());
    view_.styles.push_back(std::move(wanted));
    return view_.styles.size() - 1;
  }

  std::vector<RowView> rows(vt::Which which, int from, int to) {
    std::vector<RowView> rows;
    vt::Line line;
    for (int y = from; y < to; y++) {
      screen_.read(which, y, line);
      rows.push_back(row(line));
    }
    return rows;
  }

 private:
  RowView row(const vt::Line& line) {
    RowView row{.wrapped = line.wrapped, .cells = {}};
    for (const vt::Glyph& glyph : line.glyphs) {
      CellView cell{.text = {},
                    .width = glyph.tail()   ? 0
                             : glyph.wide() ? 2
                                            : 1,
                    .style = style(glyph.style)};
      for (const char32_t c : line.characters(glyph)) vt::utf8::append(cell.text, c);
      row.cells.push_back(std::move(cell));
    }
    return row;
  }

  const vt::Screen& screen_;
  View& view_;
};

const char* mouse_name(vt::MouseProtocol protocol) {
  switch (protocol) {
    case vt::MouseProtocol::none:
      return "none";
    case vt::MouseProtocol::x10:
      return "x10";
    case vt::MouseProtocol::normal:
      return "vt200";
    case vt::MouseProtocol::buttons:
      return "drag";
    case vt::MouseProtocol::any:
      return "any";
  }
  return "";
}

const char* encoding_name(vt::MouseEncoding encoding) {
  switch (encoding) {
    case vt::MouseEncoding::sgr:
      return "SGR";
    case vt::MouseEncoding::sgr_pixels:
      return "SGR_PIXELS";
    default:
      return "DEFAULT";  // xterm.js has neither of the two older encodings
  }
}

std::map<std::string, std::string> view_of_modes(const vt::Screen& screen) {
  const auto mode = [&](Mode m) { return std::string(screen.modes()[m] ? "on" : "off"); };
  const int shape = screen.cursor_shape();
  const char* const shapes[] = {"default", "block", "underline", "bar"};
  return {
      {"applicationCursorKeysMode", mode(Mode::cursor_keys)},
      {"applicationKeypadMode", mode(Mode::keypad)},
      {"bracketedPasteMode", mode(Mode::bracketed_paste)},
      {"insertMode", mode(Mode::insert)},
      {"mouseTrackingMode", mouse_name(screen.mouse_protocol())},
      {"originMode", mode(Mode::origin)},
      {"reverseWraparoundMode", mode(Mode::reverse_wrap)},
      {"sendFocusMode", mode(Mode::focus)},
      {"synchronizedOutputMode", mode(Mode::synchronized)},
      {"wraparoundMode", mode(Mode::autowrap)},
      {"cursorHidden", screen.modes()[Mode::cursor_visible] ? "off" : "on"},
      {"cursorStyle", shapes[(shape + 1) / 2]},
      {"cursorBlink", shape == 0       ? "default"
                      : shape % 2 == 1 ? "on"
                                       : "off"},
      {"mouseEncoding", encoding_name(screen.mouse_encoding())},
      {"newlineMode", mode(Mode::new_line)},
  };
}

}  // namespace

Player::Player(int cols, int rows, size_t scrollback_rows)
    : screen_({cols, rows}, vt::Options{.scrollback_rows = scrollback_rows, .cell = {}, .theme = {}}, this) {}

void Player::play(const Event& event) {
  if (event.kind == Event::Kind::output) screen_.feed(event.bytes);
  if (event.kind == Event::Kind::resize) screen_.resize({event.cols, event.rows});
}

View Player::view(Scrollback scrollback) const {
  const vt::Buffer& on = screen_.buffer(screen_.showing());
  const auto [cols, rows] = screen_.size();
  View view{
      .cols = cols,
      .rows = rows,
      .alternate = screen_.showing() == vt::Which::alternate,
      .cursor_x = screen_.cursor_column(),
      .cursor_y = screen_.cursor().y,
      .pending_wrap = screen_.cursor().x >= cols,
      .styles = {StyleView{}},
      .scrollback_length = screen_.scrollback().size(),
      .scroll_top = on.region.top,
      .scroll_bottom = on.region.bottom,
      .modes = view_of_modes(screen_),
      .title = screen_.titles().title,
      .replies = replies_,
  };
  Viewer viewer(screen_, view);
  view.screen = viewer.rows(screen_.showing(), 0, rows);
  if (view.alternate) view.main_screen = viewer.rows(vt::Which::main, 0, rows);
  if (scrollback == Scrollback::with)
    view.scrollback = viewer.rows(vt::Which::main, -static_cast<int>(view.scrollback_length), 0);
  view.pen = viewer.style(screen_.pen());
  for (int x = 0; x < cols; x++)
    if (on.tabs[static_cast<size_t>(x)]) view.tabs.push_back(x);
  return view;
}

}  // namespace vt_test
