// SPDX-License-Identifier: Apache-2.0
#include "loop/plain_lines.h"

#include <algorithm>
#include <utility>

#include "vt/parser_feed.h"
#include "vt/utf8.h"

namespace loop {

void PlainLines::feed(std::string_view bytes) { parser_.feed(bytes, *this); }

void PlainLines::print(const char* text, vt::TextRun run) {
  if (returned_ && !line_.empty()) finish();
  returned_ = false;
  std::string_view rest(text, run.size);
  while (!rest.empty()) {
    const size_t size = std::min(rest.size(), kLongest - line_.size());
    line_ += rest.substr(0, size);
    rest.remove_prefix(size);
    if (line_.size() == kLongest) finish();
  }
}

void PlainLines::execute(unsigned char control) {
  if (control == '\r') returned_ = true;
  if (control == '\n') {
    finish();
    returned_ = false;
  }
  if (control == '\t') print(" ", {1, true});
}

void PlainLines::finish() {
  const bool given = paused_ != 0 && paused_ == line_.size();
  paused_ = 0;
  const std::string line = std::exchange(line_, {});
  if (!given) take_(vt::utf8::clean(line, 3 * line.size()));
}

void PlainLines::pause() {
  if (line_.empty() || paused_ == line_.size()) return;
  paused_ = line_.size();
  take_(vt::utf8::clean(line_, 3 * line_.size()));
}

}  // namespace loop
