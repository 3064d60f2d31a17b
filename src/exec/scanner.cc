// SPDX-License-Identifier: Apache-2.0
#include "exec/scanner.h"

#include <algorithm>

#include "base/strings.h"
#include "exec/typed.h"

namespace exec {
namespace {

constexpr size_t kMostBody = 256;  // of a mark, behind its start

// The end of a mark's body: BEL, or ESC and backslash. npos: not there yet.
size_t body_end(std::string_view text) { return text.find_first_of("\a\x1b"); }

// How much of the end of `text` may be the beginning of `start`.
size_t partial_at_end(std::string_view text, std::string_view start) {
  for (size_t size = std::min(text.size(), start.size() - 1); size > 0; size--) {
    if (text.ends_with(start.substr(0, size))) return size;
  }
  return 0;
}

}  // namespace

Scanner::Scanner(std::string_view sentinel) : start_(mark_start(sentinel)) {}

Scanner Scanner::of_shell_marks() {
  Scanner scanner;
  scanner.start_ = "\x1b]133;";
  scanner.shell_marks_ = true;
  return scanner;
}

bool Scanner::is_begin(std::string_view body) const {
  return shell_marks_ ? body == "C" || body.starts_with("C;") : body == kBegin;
}

std::optional<Scanner::End> Scanner::end_in(std::string_view body) const {
  if (shell_marks_) {
    if (body != "D" && !body.starts_with("D;")) return {};
    body.remove_prefix(std::min<size_t>(body.size(), 2));
    body = body.substr(0, body.find(';'));
  } else if (body == kBegin) {
    return {};
  }
  // ksh counts signals from 256.
  const auto status = base::parse_number<int>(body, 0, 511);
  return End{status && *status > 255 ? std::optional(*status - 128) : status};
}

std::optional<Scanner::End> Scanner::feed(std::string_view bytes,
                                          const std::function<void(std::string_view)>& out) {
  std::string joined;
  if (!held_.empty()) {
    joined = std::move(held_) + std::string(bytes);
    held_.clear();
    bytes = joined;
  }
  const auto pass = [&](std::string_view piece) {
    if (begun_ && !piece.empty()) out(piece);
  };
  while (!bytes.empty()) {
    const size_t at = bytes.find(start_);
    if (at == std::string_view::npos) {
      const size_t partial = partial_at_end(bytes, start_);
      pass(bytes.substr(0, bytes.size() - partial));
      held_ = bytes.substr(bytes.size() - partial);
      return {};
    }
    pass(bytes.substr(0, at));
    bytes.remove_prefix(at);
    const std::string_view body = bytes.substr(start_.size());
    const size_t size = body_end(body);
    if (size == std::string_view::npos && body.size() <= kMostBody) {
      held_ = bytes;
      return {};
    }
    // Something of that beginning, and no mark: it is output like any other.
    if (size > kMostBody) {
      pass(bytes.substr(0, start_.size()));
      bytes.remove_prefix(start_.size());
      continue;
    }
    const std::string_view content = body.substr(0, size);
    if (begun_) {
      if (const auto end = end_in(content)) return end;
    }
    if (is_begin(content)) begun_ = true;
    bytes.remove_prefix(start_.size() + size + 1);
  }
  return {};
}

}  // namespace exec
