// SPDX-License-Identifier: Apache-2.0
// Screen: a terminal without a window. Bytes of a program go in, and what a terminal would show can be read
// at any time: both screens, scrollback, cursor, modes, titles, links, marks. It makes no system call and
// asks no clock; its memory is bounded by its size, its scrollback and Parser's limits, whatever is fed to
// it. Questions that programs ask the terminal are answered to the Sink, whose owner decides whether the
// answer goes anywhere. A Screen belongs to one thread.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vt/charset.h"
#include "vt/line.h"
#include "vt/modes.h"
#include "vt/page.h"
#include "vt/palette.h"
#include "vt/parser.h"
#include "vt/scrollback.h"
#include "vt/tables.h"

namespace vt {

// What a screen tells its owner while it is fed. Nothing here is needed to keep the screen right.
class Sink {
 public:
  virtual ~Sink() = default;
  // Bytes that a terminal would send to the program.
  virtual void reply(std::string_view) {}
  virtual void bell() {}
  // OSC 52: `data` is base64 as it came. Asking for the clipboard is refused unless this is overridden.
  virtual void clipboard_write(std::string_view /*selection*/, std::string_view /*data*/) {}
  virtual void clipboard_read(std::string_view /*selection*/) {}
};

struct Pixels {
  int width = 9;
  int height = 18;
};

struct Options {
  size_t scrollback_rows = 10'000;
  Pixels cell;  // for programs that ask for sizes in pixels
  Theme theme;
  std::string version = "tend";
};

// x may equal the number of columns: the last column was written and the next character wraps.
struct Cursor {
  int x = 0;
  int y = 0;
  friend bool operator==(const Cursor&, const Cursor&) = default;
};

struct SavedCursor {
  Cursor at;
  Style pen;
  Charsets charsets;
  bool origin = false;
  friend bool operator==(const SavedCursor&, const SavedCursor&) = default;
};

struct Titles {
  static constexpr size_t kMostBytes = 4096;
  static constexpr size_t kMostStacked = 10;
  std::string title;
  std::string icon;
  std::vector<std::string> title_stack;
  std::vector<std::string> icon_stack;
  friend bool operator==(const Titles&, const Titles&) = default;
};

// What main and alternate screen have each of their own.
struct Buffer {
  explicit Buffer(Size size);
  Page page;
  Cursor cursor;
  Region region;  // what scrolls
  SavedCursor saved;
  std::vector<bool> tabs;
  KeyboardStack keyboard;
};

enum class Which : uint8_t { main, alternate };

class Screen final : private Parser::Actions {
 public:
  static constexpr int kMostColumns = 4096;
  static constexpr int kMostRows = 4096;

  explicit Screen(Size size, Options options = {}, Sink* sink = nullptr);
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen() override = default;

  void feed(std::string_view bytes);
  // The main screen is wrapped anew; the alternate one is cut or filled, as its program will draw it again.
  void resize(Size size);

  Size size() const { return size_; }
  Which showing() const { return which_; }
  Cursor cursor() const { return on_->cursor; }
  // The cursor's column on the screen: the last one while a wrap is pending.
  int cursor_column() const { return on_->cursor.x < size_.columns ? on_->cursor.x : size_.columns - 1; }
  const Buffer& buffer(Which which) const { return which == Which::main ? main_ : alternate_; }
  const Scrollback& scrollback() const { return scrollback_; }

  // Row y of the screen that shows, of one of both, or of the scrollback (-1 is its newest).
  void read(int y, Line& line) const { read(which_, y, line); }
  void read(Which which, int y, Line& line) const;

  const Modes& modes() const { return modes_; }
  MouseProtocol mouse_protocol() const { return mouse_protocol_; }
  MouseEncoding mouse_encoding() const { return mouse_encoding_; }
  uint8_t keyboard_flags() const { return on_->keyboard.flags(); }
  int modify_other_keys() const { return modify_other_keys_; }
  int cursor_shape() const { return cursor_shape_; }  // DECSCUSR, 0 to 6
  const Style& pen() const { return pen_; }
  const Charsets& charsets() const { return charsets_; }
  const Titles& titles() const { return titles_; }
  const std::string& directory() const { return directory_; }  // OSC 7, a URL as it came
  const Palette& palette() const { return palette_; }
  Link link(uint32_t number) const { return tables_.links[number]; }

  struct PlacedMark {
    int y;  // as read() takes it
    Mark mark;
  };
  // All marks of the main screen and its scrollback, oldest first; `most` counts from the newest.
  std::vector<PlacedMark> marks(size_t most = SIZE_MAX) const;

  // Whether the cursor stands behind a character as it was written, and was not put there. Only then does
  // what has a width of its own (a skin tone, the second half of a flag, an emoji behind a joiner) join that
  // character: a program that places the cursor counts its columns, and means the next ones.
  bool behind_text() const;

  // Changes with every feed() and resize() that may have changed anything.
  uint64_t generation() const { return generation_; }
  size_t memory_usage() const;
  // What a sequence or character that is not complete yet has left behind, as bytes that do it again.
  std::string pending() const;

  // Equal to whoever looks at both and to any program that goes on with either: all but the sink, the options
  // and what leaves no trace (generation, how rows are stored).
  friend bool operator==(const Screen& a, const Screen& b);
  // The same without the scrollback, and without whether the top row continues it.
  bool same_but_scrollback(const Screen& other) const;

 private:
  friend Parser;

  // feed.cc
  void print(const char* text, TextRun run) override;
  bool known_rendition(Spelling spelling) override;

  // print.cc
  void print_text(const char* p, const char* end);
  const char* print_run(const char* p, const char* end);
  const char* print_invalid(const char* p, const char* end);
  void print_ascii(const char* p, const char* end);
  const char* finish_character(const char* p, const char* end);
  void drop_partial();
  void put(char32_t code_point);
  bool join(char32_t code_point);
  bool left_is_closed();
  void wrap_line();
  void repeat(int count);
  void refresh_pen();
  void collect();

  // controls.cc
  void execute(unsigned char control) override;
  void escape(const Sequence& sequence) override;
  void line_feed();
  void index();
  void reverse_index();
  void backspace();
  void tab(int count);
  void tab_back(int count);
  void save_cursor();
  void restore_cursor();
  void alignment_pattern();
  void soft_reset();
  void full_reset();

  // csi.cc
  void control(const Sequence& sequence) override;
  bool control_plain(const Sequence& sequence);
  bool control_private(const Sequence& sequence);
  bool control_keys(const Sequence& sequence);
  void control_intermediate(const Sequence& sequence);
  void restrict_cursor(int last_column);
  void restrict_cursor() { restrict_cursor(size_.columns - 1); }
  void place_cursor(int x, int y);
  void move_cursor(int dx, int dy);
  void move_up(int count);
  void move_down(int count);
  void set_region(const Sequence& sequence);
  void clear_tabs(int what);

  // erase.cc
  enum class Protection : uint8_t { ignore, respect };
  void erase_display(int what, Protection protection);
  void erase_line(int what, Protection protection);
  void erase_cells(int y, Region columns, Protection protection);
  void erase_row(int y, Protection protection);
  void insert_lines(int count);
  void delete_lines(int count);
  void scroll();
  enum class Shift : uint8_t { insert, remove };
  void shift_columns(int at, int count, Shift shift);

  // modes
  void set_modes(const Sequence& sequence, Switch to);
  void set_private_mode(int number, Switch to);
  void show(Which which);
  void window_operation(const Sequence& sequence);

  // sgr.cc
  void select_rendition(const Sequence& sequence);
  uint32_t blank_of_pen();

  // osc.cc
  void system_command(std::string_view text, Terminator terminator) override;
  void set_link(std::string_view data);
  void set_mark(std::string_view data);
  void clipboard(std::string_view data);
  void indexed_colors(std::string_view data, Terminator terminator);
  void special_colors(int first, std::string_view data, Terminator terminator);
  void reset_indexed_colors(std::string_view data);
  uint32_t intern_link(const Link& link);

  // reports.cc
  void device_control(const Sequence& sequence, std::string_view text) override;
  void request_status(std::string_view what);
  void request_capabilities(std::string_view names);
  void restore_presentation(std::string_view text);
  void request_mode(ModeSpace space, int number);
  void device_status(const Sequence& sequence);
  void report_size(int what);
  void reply(std::string_view bytes);
  void reply_color(std::string_view what, int index, Terminator terminator);

  // reflow.cc
  void resize_main(Size size);
  void change_rows(Size size);
  void resize_alternate(Size size);
  Row make_row(const Line& line, int columns);

  Row& current_row() { return on_->page.row(on_->cursor.y); }
  uint32_t pen_id() {
    if (pen_changed_) refresh_pen();
    return pen_id_;
  }
  uint32_t blank_id() {
    if (pen_changed_) refresh_pen();
    return blank_id_;
  }
  void change_pen(const Style& pen) {
    pen_ = pen;
    pen_changed_ = true;
  }

  Size size_;
  Options options_;
  Sink* sink_;
  Parser parser_;
  Tables tables_;
  Scrollback scrollback_;
  Buffer main_;
  Buffer alternate_;
  Which which_ = Which::main;
  Buffer* on_ = &main_;

  Style pen_;
  uint32_t pen_id_ = 0;
  uint32_t blank_id_ = 0;
  bool pen_changed_ = false;
  PenChanges pen_changes_;
  Charsets charsets_;
  Modes modes_;
  MouseProtocol mouse_protocol_ = MouseProtocol::none;
  MouseEncoding mouse_encoding_ = MouseEncoding::plain;
  int modify_other_keys_ = 0;
  int cursor_shape_ = 0;
  bool behind_text_ = false;
  std::array<char, 4> partial_{};  // of a UTF-8 character
  uint8_t partial_size_ = 0;
  Titles titles_;
  std::string directory_;
  Palette palette_;
  uint64_t generation_ = 0;
};

}  // namespace vt
