// SPDX-License-Identifier: Apache-2.0
// ScreenLines: the lines of a terminal's screen as they are drawn (lines.h says which).
//
// The bytes go to a real screen, in pieces that end where something may be lost: a parser of the same kind
// runs ahead of it and tells what comes. As long as the program writes in one row, and in those it wraps
// into, this is one visit, and what it has written is `unread`. It is read when the cursor leaves the row,
// and before it is overwritten, erased, moved or scrolled away. All that a visit has not touched was read
// when it was drawn. Decisions depend on the screen's state and the next byte alone, never on where the
// input was cut.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "loop/row_memory.h"
#include "vt/parser.h"
#include "vt/screen.h"

namespace loop {

class ScreenLines final : private vt::Parser::Actions {
 public:
  using Take = std::function<void(std::string_view line)>;
  static constexpr int kMostJoined = 256;  // rows of one line; what is longer comes in several

  ScreenLines(vt::Size size, Take& take);

  void feed(std::string_view bytes);
  void resize(vt::Size size);
  void pause() { read(); }

 private:
  friend vt::Parser;

  struct Columns {
    int from = 0;
    int to = 0;
    bool cross(int left, int right) const { return left < to && right > from; }
  };
  // Text of this visit in the cursor's row that nobody has read: what is being written from left to right
  // now, and all before that. Both may be empty where the row has changed otherwise.
  struct Unread {
    bool any = false;
    Columns run = {};
    Columns before = {};
    bool crosses(int left, int right) const {
      return any && (run.cross(left, right) || before.cross(left, right));
    }
  };

  // What the parser that runs ahead finds; called before the screen gets it.
  void print(const char* text, vt::TextRun run) override;
  void execute(unsigned char control) override;
  void escape(const vt::Sequence& sequence) override;
  void control(const vt::Sequence& sequence) override;
  void system_command(std::string_view, vt::Terminator) override {}
  void device_control(const vt::Sequence&, std::string_view) override {}
  void plain_control(const vt::Sequence& sequence);
  void private_control(const vt::Sequence& sequence);
  void erase_line(int what);
  void erase_display(int what);
  void repeat(int count);

  void write(std::string_view text);
  void write_at_edge(std::string_view byte);
  void finish_character();
  void begin_run(int x);
  void note_written();
  void note_repeated(vt::Cursor before);
  void changed_at(int x);

  void leave();
  void one_byte(const char* p);
  void pass_on(const char* end);
  void leave_if_moved(vt::Cursor before, vt::Which showing);
  void read() { read_row(screen_.cursor().y); }
  void read_row(int y);
  int first_row(int y) const;
  std::string text_of(int first, int last) const;
  bool is_wrapped(int y) const;

  int columns() const { return screen_.size().columns; }
  vt::Region region() const { return screen_.buffer(screen_.showing()).region; }
  int room_above() const;
  uint64_t scrolled_off() const { return screen_.scrollback().dropped() + screen_.scrollback().size(); }

  Take& take_;
  vt::Screen screen_;
  vt::Parser parser_;
  RowMemory memory_;
  Unread unread_;
  int wraps_ = 0;  // in this visit, or since it was read because it is so long
  enum class Cut { none, whole, grown } cut_ = Cut::none;  // it was; the row it was cut in has grown since
  bool half_character_ = false;                            // perhaps, of UTF-8
  bool repeats_ = false;                                   // the control function at hand writes
  const char* passed_ = nullptr;                           // the screen has got what is before it
  const char* at_ = nullptr;                               // the byte that the parser has now
  enum class Found { nothing, text, control } found_ = Found::nothing;
};

}  // namespace loop
