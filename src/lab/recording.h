// SPDX-License-Identifier: Apache-2.0
// Recording: all that a detector is told about one program, with times: output, input, and what the kernel
// showed whenever it was asked. Text, an event a line, so that a change can be read; the format stands in
// tests/corpus/detect/README.md. Played again it gives the same screen and the same evidence, in no time.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "detect/evidence.h"
#include "lab/stage.h"

namespace lab {

struct RecordedEvent {
  enum class Kind : uint8_t {
    output,
    input,
    look,
    cut,    // output that was left out
    point,  // all steps are taken: from here on the truth holds
    note,   // what the detector concluded, for whoever reads it
    end,
  };
  Kind kind = Kind::note;
  base::Duration at{};     // since the start
  base::Duration begun{};  // of a look
  std::string bytes = {};  // output, input, or a note
  detect::Evidence evidence = {};
  uint64_t count = 0;  // bytes that were cut
};

struct Recording {
  pty::Size size;
  std::vector<RecordedEvent> events;

  base::Duration point() const;
  base::Duration end() const;
};

std::string write_recording(const Recording& recording);
// The error names the line.
base::Result<Recording> parse_recording(std::string_view text);

// Leaves out the middle of what is longer than a corpus should hold.
void cut_middle(Recording& recording, size_t most_at_the_start, size_t most_at_the_end);

// Writes down what happens on a stage.
class Recorder final : public Observer {
 public:
  explicit Recorder(pty::Size size);
  void output(base::Moment now, std::string_view bytes) override;
  void input(base::Moment now, std::string_view bytes) override;
  void looked(base::Moment begun, base::Moment now, const detect::Evidence& evidence) override;
  void changed(base::Moment now, const detect::Change& change) override;
  void add(RecordedEvent::Kind kind, base::Moment now, std::string text = {});

  base::Moment start() const { return start_; }
  const Recording& recording() const { return recording_; }

 private:
  base::Moment start_;
  Recording recording_;
};

// "asked FREE_TEXT 0.90 Your name: ", "working" and so on.
std::string describe(const detect::Change& change);

}  // namespace lab
