// SPDX-License-Identifier: Apache-2.0
#include "vt/snapshot.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

#include "vt/painter.h"

namespace vt {
namespace {

class Writer {
 public:
  Writer(const Screen& screen, size_t scrollback_rows)
      : screen_(screen), paint_(screen), above_(std::min(scrollback_rows, screen.scrollback().size())) {}

  std::string write() {
    paint_.raw("\x1b[!p");
    paint_.fresh_screen();
    titles();
    colors();
    const bool alternate = screen_.showing() == Which::alternate;
    const bool traces = screen_.buffer(Which::alternate).saved != SavedCursor{} ||
                        !screen_.buffer(Which::alternate).keyboard.pristine();
    buffer(Which::main);
    if (alternate || traces) {
      // 1049 saves the cursor as it changes the screen.
      saved(Which::main, "\x1b[?1049h");
      paint_.fresh_screen();
      buffer(Which::alternate);
      if (screen_.buffer(Which::alternate).saved != SavedCursor{}) saved(Which::alternate, "\0337");
    } else if (screen_.buffer(Which::main).saved != SavedCursor{}) {
      saved(Which::main, "\0337");
    }
    if (!alternate && traces) leave_alternate();
    finish();
    return paint_.text() + screen_.pending();
  }

 private:
  void titles() {
    const Titles& titles = screen_.titles();
    for (const std::string& title : titles.title_stack)
      paint_.raw(fmt::format("\x1b]2;{}\x1b\\\x1b[22;2t", title));
    for (const std::string& icon : titles.icon_stack)
      paint_.raw(fmt::format("\x1b]1;{}\x1b\\\x1b[22;1t", icon));
    if (!titles.title.empty() || !titles.title_stack.empty())
      paint_.raw(fmt::format("\x1b]2;{}\x1b\\", titles.title));
    if (!titles.icon.empty() || !titles.icon_stack.empty())
      paint_.raw(fmt::format("\x1b]1;{}\x1b\\", titles.icon));
    if (!screen_.directory().empty()) paint_.raw(fmt::format("\x1b]7;{}\x1b\\", screen_.directory()));
  }

  void colors() {
    for (const auto& [index, color] : screen_.palette().changed()) {
      const std::string what = index < Palette::kForeground
                                   ? fmt::format("4;{}", index)
                                   : std::to_string(10 + index - Palette::kForeground);
      paint_.raw(fmt::format("\x1b]{};{}\x1b\\", what, color_spec(color)));
    }
  }

  // Everything of one screen but its cursors.
  void buffer(Which which) {
    const Buffer& buffer = screen_.buffer(which);
    paint_.paint(which, which == Which::main ? -static_cast<int>(above_) : 0);
    paint_.pen({});
    tabs(buffer);
    const std::vector<uint8_t>& keys = buffer.keyboard.entries();
    if (keys[0] != 0) paint_.raw(fmt::format("\x1b[={};1u", keys[0]));
    for (size_t i = 1; i < keys.size(); i++) paint_.raw(fmt::format("\x1b[>{}u", keys[i]));
    paint_.set_region(buffer.region);
  }

  void tabs(const Buffer& buffer) {
    if (buffer.tabs == Buffer(screen_.size()).tabs) return;
    paint_.raw("\x1b[3g");
    for (size_t x = 0; x < buffer.tabs.size(); x++)
      if (buffer.tabs[x]) paint_.raw(fmt::format("\x1b[{}G\x1bH", x + 1));
    paint_.forget_position();
  }

  // Makes the terminal's cursor what `which` has saved, saves it, and makes it the usual one again.
  void saved(Which which, std::string_view save) {
    const SavedCursor& saved = screen_.buffer(which).saved;
    paint_.set_origin(to_switch(saved.origin));
    paint_.cursor(which, saved.at);
    paint_.pen(saved.pen);
    charsets(Charsets{}, saved.charsets);
    paint_.raw(save);
    charsets(saved.charsets, Charsets{});
    paint_.pen({});
    paint_.set_origin(Switch::off);
  }

  void leave_alternate() {
    const SavedCursor& saved = screen_.buffer(Which::main).saved;
    paint_.raw("\x1b[?1049l\x1b[m\x1b[0\"q\x1b[?6l");
    charsets(saved.charsets, Charsets{});
    paint_.set_region(screen_.buffer(Which::main).region);
    paint_.forget_position();
  }

  void charsets(const Charsets& from, const Charsets& to) {
    for (size_t i = 0; i < to.sets.size(); i++)
      if (from.sets[i] != to.sets[i])
        paint_.raw(fmt::format("\x1b{}{}", "()*+"[i], charset_final(to.sets[i])));
    constexpr std::string_view kShifts[] = {"\x0f", "\x0e", "\x1bn", "\x1bo"};
    if (from.locked != to.locked) paint_.raw(kShifts[to.locked]);
  }

  void finish() {
    const Which which = screen_.showing();
    paint_.set_origin(to_switch(screen_.modes()[Mode::origin]));
    if (!screen_.behind_text()) paint_.forget_position();  // a movement, even where painting has ended
    paint_.cursor(which, screen_.cursor());
    if (screen_.behind_text() && screen_.cursor().x < screen_.size().columns)
      paint_.cursor_behind_text(which, screen_.cursor());
    paint_.pen(screen_.pen());
    charsets(Charsets{}, screen_.charsets());
    for (const ModeInfo& info : all_modes()) {
      const bool on = screen_.modes()[info.mode];
      if (on == info.initial || info.mode == Mode::origin) continue;
      if (info.mode == Mode::keypad)
        paint_.raw("\x1b=");
      else
        paint_.raw(
            fmt::format("\x1b[{}{}{}", info.space == ModeSpace::dec ? "?" : "", info.number, on ? 'h' : 'l'));
    }
    if (const int number = mouse_number(screen_.mouse_protocol()))
      paint_.raw(fmt::format("\x1b[?{}h", number));
    if (const int number = mouse_number(screen_.mouse_encoding()))
      paint_.raw(fmt::format("\x1b[?{}h", number));
    if (const int keys = screen_.modify_other_keys()) paint_.raw(fmt::format("\x1b[>4;{}m", keys));
    if (const int shape = screen_.cursor_shape()) paint_.raw(fmt::format("\x1b[{} q", shape));
  }

  const Screen& screen_;
  Painter paint_;
  size_t above_;  // rows of the scrollback
};

}  // namespace

std::string snapshot(const Screen& screen, Include include) {
  return snapshot(screen, include == Include::scrollback ? SIZE_MAX : 0);
}

std::string snapshot(const Screen& screen, size_t scrollback_rows) {
  return Writer(screen, scrollback_rows).write();
}

}  // namespace vt
