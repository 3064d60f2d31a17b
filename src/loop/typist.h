// SPDX-License-Identifier: Apache-2.0
// Typist: types the prompt into an agent that takes it from its terminal, once it has drawn its screen, as a
// paste where the agent knows those.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "loop/station.h"
#include "vt/screen.h"

namespace loop {

class Typist {
 public:
  // Nothing to type: does nothing.
  Typist(Station& station, std::string session, std::string text);

  void started(base::Moment now);
  void output(std::string_view bytes, vt::Size size, base::Moment now);
  void turn(base::Moment now);
  std::optional<base::Moment> due() const;

 private:
  Station& station_;
  std::string session_;
  std::string text_;
  std::unique_ptr<vt::Screen> screen_;  // to know its modes
  base::Moment started_{};
  std::optional<base::Moment> last_output_;
  bool typed_ = false;
};

}  // namespace loop
