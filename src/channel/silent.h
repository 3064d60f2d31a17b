// SPDX-License-Identifier: Apache-2.0
// Silent: a medium that reaches nobody, in the place of one whose settings will not do. It says why.
#pragma once
#include <string>
#include <utility>

#include "channel/medium.h"

namespace channel {

class Silent final : public Medium {
 public:
  explicit Silent(std::string why) : why_(std::move(why)) {}

  void start() override {}
  void show(const Notice& /*notice*/) override {}
  void change(const Notice& /*notice*/, const Ending& /*ending*/) override {}
  Health health() const override { return {.state = Health::State::troubled, .detail = why_}; }
  void test(Tested done) override { done(base::fail(base::Code::invalid_param, 0, why_)); }

 private:
  std::string why_;
};

}  // namespace channel
