// SPDX-License-Identifier: Apache-2.0
#include "vt/scrollback.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace vt {
namespace {

constexpr size_t kLeastChunk = 2048;
constexpr size_t kUsualChunk = 65536;
constexpr size_t kLeastPlaces = 64;

}  // namespace

void Scrollback::push(const Row& row, const Tables& tables) {
  if (most_ == 0) return;
  if (row.is_text() && row.text_style() == 0 && row.marks.empty()) {
    pack_plain(add(kPlainRowHeader + row.text().size()), row);
    return;
  }
  const std::string_view bytes = packer_.pack(row, tables);
  std::memcpy(add(bytes.size()), bytes.data(), bytes.size());
}

void Scrollback::push(const Line& line) {
  if (most_ == 0) return;
  const std::string_view bytes = packer_.pack(line);
  std::memcpy(add(bytes.size()), bytes.data(), bytes.size());
}

char* Scrollback::add(size_t bytes) {
  if (size_ == most_) drop_oldest();
  if (size_ == places_.size()) grow_places();
  if (chunks_.empty() || chunks_.back().capacity - chunks_.back().used < bytes) add_chunk(bytes);
  Chunk& chunk = chunks_.back();
  const size_t at = first_ + size_;
  places_[at < places_.size() ? at : at - places_.size()] = {
      first_chunk_ + static_cast<uint32_t>(chunks_.size() - 1), chunk.used};
  char* const out = chunk.data.get() + chunk.used;
  chunk.used += static_cast<uint32_t>(bytes);
  size_++;
  return out;
}

void Scrollback::add_chunk(size_t bytes) {
  if (spare_.capacity >= bytes) {
    chunks_.push_back(std::exchange(spare_, {}));
    chunks_.back().used = 0;
    return;
  }
  // A session that prints little pays little.
  const size_t usual =
      chunks_.empty() ? kLeastChunk : std::min(kUsualChunk, size_t{chunks_.back().capacity} * 4);
  const size_t capacity = std::max(usual, bytes);
  chunks_.push_back({std::unique_ptr<char[]>(new char[capacity]), static_cast<uint32_t>(capacity), 0});
}

void Scrollback::drop_oldest() {
  const uint32_t chunk = place(0).chunk;
  if (++first_ == places_.size()) first_ = 0;
  size_--;
  dropped_++;
  if (size_ == 0 || place(0).chunk != chunk) {
    spare_ = std::move(chunks_.front());
    chunks_.pop_front();
    first_chunk_++;
  }
}

void Scrollback::grow_places() {
  std::vector<Place> larger(std::min(most_, std::max(kLeastPlaces, places_.size() * 2)));
  for (size_t i = 0; i < size_; i++) larger[i] = place(i);
  places_ = std::move(larger);
  first_ = 0;
}

const char* Scrollback::packed(size_t index) const {
  const Place& at = place(index);
  return chunks_[at.chunk - first_chunk_].data.get() + at.offset;
}

void Scrollback::read(size_t index, Line& line) const {
  assert(index < size_);
  unpack(packed(index), line);
}

void Scrollback::copy(const Scrollback& from, size_t index) {
  if (most_ == 0) return;
  const Place& at = from.place(index);
  const Chunk& chunk = from.chunks_[at.chunk - from.first_chunk_];
  const bool last_in_chunk = index + 1 == from.size_ || from.place(index + 1).chunk != at.chunk;
  const size_t bytes = (last_in_chunk ? chunk.used : from.place(index + 1).offset) - at.offset;
  std::memcpy(add(bytes), chunk.data.get() + at.offset, bytes);
}

void Scrollback::pop(Line& line) {
  read(size_ - 1, line);
  const Place last = place(size_ - 1);
  size_--;
  chunks_.back().used = last.offset;
  if (last.offset != 0) return;
  // Every chunk holds a row, so the one before ends in the row before.
  chunks_.pop_back();
  if (chunks_.empty()) first_chunk_ = 0;
}

void Scrollback::clear() {
  dropped_ += size_;
  size_ = 0;
  first_ = 0;
  places_ = {};
  chunks_.clear();
  first_chunk_ = 0;
  spare_ = {};
}

void Scrollback::mark_links(LinkTable& links) const {
  for (size_t i = 0; i < size_; i++) vt::mark_links(packed(i), links);
}

size_t Scrollback::memory() const {
  size_t total = places_.capacity() * sizeof(Place) + spare_.capacity;
  for (const Chunk& chunk : chunks_) total += chunk.capacity;
  return total;
}

}  // namespace vt
