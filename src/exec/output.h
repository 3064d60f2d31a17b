// SPDX-License-Identifier: Apache-2.0
// Output: a command's output as it wrote it. The terminal put a CR in front of every newline, which is taken
// out again; escape sequences are taken out too, unless they are wanted. The newest `most` bytes are kept,
// and all are counted.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace exec {

enum class Keep { text, everything };

// Takes escape sequences out of a stream, in whatever pieces it comes.
class Plain {
 public:
  // What is left of `bytes`, behind what is in `out`.
  void feed(std::string_view bytes, std::string& out);

 private:
  enum class State : uint8_t { text, escape, intermediate, control, command, string, string_escape };
  void take(char c, std::string& out);
  State state_ = State::text;
};

class Output {
 public:
  Output(Keep keep, size_t most) : keep_(keep), most_(most) {}

  // Gives the bytes that came out of it.
  std::string_view add(std::string_view bytes);
  // The end: a CR that no newline followed.
  std::string_view finish();

  // Takes this off its end; false if it does not end so.
  bool remove_end(std::string_view text);

  uint64_t count() const { return count_; }
  bool truncated() const { return count_ > text().size(); }
  std::string_view text() const {
    const std::string_view all = kept_;
    return all.substr(all.size() - std::min(all.size(), most_));
  }

 private:
  std::string_view keep(std::string fresh);

  Keep keep_;
  size_t most_;
  Plain plain_;
  bool held_return_ = false;  // a CR whose successor is not known
  std::string kept_;
  std::string fresh_;
  uint64_t count_ = 0;
};

}  // namespace exec
