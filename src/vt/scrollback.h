// SPDX-License-Identifier: Apache-2.0
// Scrollback: the rows that have left the top of the main screen, packed (packed_row.h) one after another
// into chunks, oldest first. At its bound the oldest row goes as a new one comes, and a chunk with its last
// row. Nothing is ever moved, and in a flood nothing is allocated: the chunk that has just gone is used
// again.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "vt/packed_row.h"

namespace vt {

class Scrollback {
 public:
  explicit Scrollback(size_t most_rows) : most_(most_rows) {}

  size_t most() const { return most_; }
  size_t size() const { return size_; }
  // Rows that were here and have gone, by age or cleared: with size() and a row of the screen, the number of
  // that row since the beginning.
  uint64_t dropped() const { return dropped_; }

  void push(const Row& row, const Tables& tables);
  void push(const Line& line);
  void read(size_t index, Line& line) const;  // 0 is the oldest
  PackedInfo info(size_t index) const { return packed_info(packed(index)); }
  // Takes a row of another scrollback as it is.
  void copy(const Scrollback& from, size_t index);
  // Takes the newest row back.
  void pop(Line& line);
  void clear();

  void mark_links(LinkTable& links) const;
  size_t memory() const;

 private:
  struct Chunk {
    std::unique_ptr<char[]> data;
    uint32_t capacity = 0;
    uint32_t used = 0;
  };
  struct Place {
    uint32_t chunk;  // counted from the beginning of time
    uint32_t offset;
  };

  char* add(size_t bytes);
  void add_chunk(size_t bytes);
  void drop_oldest();
  void grow_places();
  const char* packed(size_t index) const;
  const Place& place(size_t index) const {
    const size_t at = first_ + index;
    return places_[at < places_.size() ? at : at - places_.size()];
  }

  size_t most_;
  size_t size_ = 0;
  uint64_t dropped_ = 0;
  size_t first_ = 0;
  std::vector<Place> places_;  // a ring
  std::deque<Chunk> chunks_;
  uint32_t first_chunk_ = 0;
  Chunk spare_;
  RowPacker packer_;
};

}  // namespace vt
