// SPDX-License-Identifier: Apache-2.0
// Mark: what a shell says about a place on the screen (OSC 133). Marks belong to a row and move with it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace vt {

enum class MarkKind : uint8_t {
  prompt,   // A: a prompt starts here
  command,  // B: the prompt ends, the user's command starts
  output,   // C: the command was sent, its output starts
  done,     // D: the command has ended, perhaps with a status
};

struct Mark {
  MarkKind kind = MarkKind::prompt;
  uint32_t column = 0;
  std::optional<int32_t> status;
  friend bool operator==(const Mark&, const Mark&) = default;
};

constexpr size_t kMostMarksPerRow = 16;

// A pointer's size while there are none, which is nearly always. Sorted by column; of one kind at one column
// there is one, the newest.
class Marks {
 public:
  void add(const Mark& mark);
  void erase(uint32_t from, uint32_t to);
  void clear() { list_.reset(); }
  bool empty() const { return !list_; }
  const std::vector<Mark>& list() const;

 private:
  std::unique_ptr<std::vector<Mark>> list_;
};

}  // namespace vt
