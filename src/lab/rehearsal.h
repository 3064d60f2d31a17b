// SPDX-License-Identifier: Apache-2.0
// Rehearsal: a detector with a screen, evidence that is given, and a clock that stands still until it is
// moved; for scenarios whose subject is time, and which must come out the same on every machine.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "detect/detector.h"
#include "vt/screen.h"

namespace lab {

class Rehearsal {
 public:
  Rehearsal(const detect::Settings& settings, const detect::Patterns& patterns,
            std::function<void(detect::Evidence&)> veil);

  void prints(std::string_view bytes);
  void types(std::string_view bytes);
  // Lets time pass, with looks when the detector wants them; they all show this.
  void passes(base::Duration time, const detect::Evidence& evidence);

  // Questions that have come so far.
  const std::vector<detect::Asked>& asked() const { return asked_; }
  const detect::Detector& detector() const { return detector_; }

 private:
  std::function<void(detect::Evidence&)> veil_;
  base::ManualClock clock_;
  vt::Screen screen_;
  detect::Detector detector_;
  std::vector<detect::Asked> asked_;
};

}  // namespace lab
