// SPDX-License-Identifier: Apache-2.0
// Gates: the input filters of the agents' terminals, one each, shared by all browsers and programs that type
// there over HTTP: two halves of a word are a word, whoever sends them.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "daemon/context.h"
#include "event/loop.h"
#include "filter/input_filter.h"

namespace web {

class Gate {
 public:
  Gate(host::Context& context, host::PtyName at, const filter::Rules& rules);

  // What passes now; what is held goes to the terminal by itself when its time has come, in the name of
  // whoever typed last.
  filter::Filtered take(std::string_view bytes, const std::string& by);

 private:
  void release();
  void set_timer();

  host::Context& context_;
  host::PtyName at_;
  filter::InputFilter filter_;
  std::string by_;
  base::RealClock clock_;
  event::Timer timer_;
};

class Gates {
 public:
  explicit Gates(host::Context& context) : context_(context) {}

  // Null: this PTY has none.
  Gate* of(const session::Session& session, uint32_t pty);
  static bool is_guarded(const session::Session& session, uint32_t pty);
  static filter::Rules rules_of(const session::Session& session);

  uint64_t blocked() const { return blocked_; }
  // A row in the audit for what was taken out.
  void note(const filter::Filtered& result, const std::string& by, const host::PtyName& at);

 private:
  host::Context& context_;
  std::map<std::pair<std::string, uint32_t>, std::unique_ptr<Gate>> gates_;
  uint64_t blocked_ = 0;
};

}  // namespace web
