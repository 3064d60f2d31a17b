// SPDX-License-Identifier: Apache-2.0
// Scanner: finds a command's output in what a terminal shows: behind the mark that begins it, in front of the
// one that ends it. Bytes may come in any pieces; what may be the beginning of a mark is held back until it
// is known.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace exec {

class Scanner {
 public:
  // The shell's status, or what it printed in place of one.
  struct End {
    std::optional<int> status;
  };

  explicit Scanner(std::string_view sentinel);
  // For a shell that marks its own commands (OSC 133 C and D); anybody may print those marks.
  static Scanner of_shell_marks();

  // Gives the output in `bytes` to `out`; the end, once it is there. Nothing behind the end is looked at.
  std::optional<End> feed(std::string_view bytes, const std::function<void(std::string_view)>& out);

  bool begun() const { return begun_; }

 private:
  Scanner() = default;
  bool is_begin(std::string_view body) const;
  std::optional<End> end_in(std::string_view body) const;

  std::string start_;  // of every mark
  bool shell_marks_ = false;
  bool begun_ = false;
  std::string held_;
};

}  // namespace exec
