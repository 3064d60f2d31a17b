// SPDX-License-Identifier: Apache-2.0
// Display: what a PTY shows, computed from its journal, and kept so that it can be computed again after a
// kill -9. Beside the journal stand two things of its own:
//
//   BASE.margin     what changed the screen and is not in the output: sizes, and notices such as "process
//                   exited", each with the offset of the output it stands behind
//   BASE.screen0…2  checkpoints: the screen as a snapshot, with its offset and its place in the margin. One
//   is
//                   written whenever half a ring has passed, over the oldest, so that at least one of them is
//                   whole and no older than the oldest byte of the ring
//
// A successor starts from the beginning, or from the oldest checkpoint that the ring still reaches back to,
// and replays output and margin from there: the screen is exact, and as much of the scrollback is back as the
// ring remembers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "pty/journal.h"
#include "vt/screen.h"

namespace session {

class Display {
 public:
  struct Options {
    std::string base;  // path of the files, without what is behind the dot
    size_t scrollback_rows = 10'000;
  };

  // The sink hears nothing while a display is recovered.
  Display(Options options, vt::Size size, vt::Sink* sink);
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  // For a PTY that is new: its size is the first thing in the margin.
  void start();
  // For one that was there before: replays what the files and the journal have. Without the past there is no
  // scrollback, nor what a larger size has brought back from it since; it costs next to nothing.
  enum class Past { all, none };
  void recover(const pty::Journal& journal, Past past = Past::all);

  // Feeds what has come since; writes a checkpoint when one is due, and says so in the journal.
  void follow(pty::Journal& journal);
  void resize(vt::Size size);
  void show(std::string_view text);
  void checkpoint(pty::Journal& journal);

  const vt::Screen& screen() const { return *screen_; }
  // The last thing on the screen is a text that was shown, and no output came behind it.
  bool ends_with_text() const { return last_text_ == offset_; }
  // A text was shown behind output beyond this offset.
  bool has_text_behind(uint64_t offset) const { return last_text_ && *last_text_ > offset; }
  uint64_t offset() const { return offset_; }  // of the output that the screen shows

  // Removes the files.
  static void remove(const std::string& base);

 private:
  enum class Kind : uint32_t { size = 1, text = 2 };
  struct Note;
  struct Saved;

  void note(Kind kind, std::string_view payload);
  std::vector<Note> read_margin() const;
  std::vector<Saved> read_checkpoints() const;
  void compact(uint64_t first_kept);
  void apply(const Note& note);
  void make_screen(vt::Size size);

  // Holds the sink's place while a replay must stay silent.
  class Gate final : public vt::Sink {
   public:
    explicit Gate(vt::Sink* to) : to_(to) {}
    void reply(std::string_view bytes) override;
    void bell() override;
    void clipboard_write(std::string_view selection, std::string_view data) override;
    bool open = true;

   private:
    vt::Sink* to_;
  };

  Options options_;
  Gate gate_;
  std::optional<vt::Screen> screen_;
  uint64_t offset_ = 0;
  uint64_t last_checkpoint_ = 0;
  std::optional<uint64_t> last_text_;  // its offset
  uint64_t next_note_ = 0;
  uint64_t margin_bytes_ = 0;
  unsigned next_slot_ = 0;
  base::Fd margin_;
};

}  // namespace session
