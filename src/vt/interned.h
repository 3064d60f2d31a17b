// SPDX-License-Identifier: Apache-2.0
// Tables of things that are too large for a cell: clusters of several code points, and hyperlinks. Each is
// kept once and named by a number; like styles, what no cell uses is swept by the owner. Links also stand in
// the scrollback, so their table has a bound in bytes of its own: past it a new link is refused and its text
// stays plain.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace vt {

// Numbers for distinct keys, with mark and sweep. Number 0 is never given.
template <typename Key>
class Numbers {
 public:
  const Key& operator[](uint32_t id) const { return *keys_[id]; }

  std::optional<uint32_t> find(const Key& key) const {
    const auto found = ids_.find(key);
    if (found == ids_.end()) return {};
    return found->second;
  }

  uint32_t add(Key key) {
    uint32_t id = 0;
    if (free_.empty()) {
      id = static_cast<uint32_t>(keys_.size());
      keys_.push_back(nullptr);
    } else {
      id = free_.back();
      free_.pop_back();
    }
    keys_[id] = &ids_.emplace(std::move(key), id).first->first;  // a map's keys do not move
    return id;
  }

  size_t size() const { return ids_.size(); }
  void begin_sweep() { marked_.assign(keys_.size(), 0); }
  void mark(uint32_t id) { marked_[id] = 1; }
  void end_sweep() {
    for (uint32_t id = 1; id < keys_.size(); id++) {
      if (marked_[id] != 0 || keys_[id] == nullptr) continue;
      ids_.erase(ids_.find(*keys_[id]));
      keys_[id] = nullptr;
      free_.push_back(id);
    }
  }
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, id] : ids_) visit(key);
  }

 private:
  std::vector<const Key*> keys_{nullptr};
  std::unordered_map<Key, uint32_t> ids_;
  std::vector<uint32_t> free_;
  std::vector<uint8_t> marked_;
};

constexpr size_t kMostClusterLength = 32;  // code points; more are dropped

class ClusterTable {
 public:
  uint32_t intern(std::u32string_view cluster);
  std::u32string_view operator[](uint32_t id) const { return clusters_[id]; }

  bool wants_sweep() const { return clusters_.size() >= sweep_at_; }
  void begin_sweep() { clusters_.begin_sweep(); }
  void mark(uint32_t id) { clusters_.mark(id); }
  void end_sweep();
  size_t memory() const;

 private:
  Numbers<std::u32string> clusters_;
  size_t sweep_at_ = 1024;
};

struct Link {
  std::string id;  // the sender's, may be empty
  std::string uri;
  friend bool operator==(const Link&, const Link&) = default;
};

class LinkTable {
 public:
  static constexpr size_t kMostUri = 2083;
  static constexpr size_t kMostId = 250;
  static constexpr size_t kMostBytes = size_t{4} << 20;

  // 0 when the table is full: sweep and try once more.
  uint32_t intern(const Link& link);
  Link operator[](uint32_t id) const;

  bool wants_sweep() const { return bytes_ >= sweep_at_; }
  void begin_sweep() { links_.begin_sweep(); }
  void mark(uint32_t id) {
    if (id != 0) links_.mark(id);
  }
  void end_sweep();
  size_t memory() const { return bytes_; }

 private:
  Numbers<std::string> links_;  // id, a newline (which neither can hold), uri
  size_t bytes_ = 0;
  size_t sweep_at_ = size_t{256} << 10;
};

}  // namespace vt
