// SPDX-License-Identifier: Apache-2.0
// Clock: where time comes from. Rooms that decide by time take a Clock&, so that their tests never sleep.
#pragma once
#include <chrono>

namespace base {

using Duration = std::chrono::nanoseconds;
using Moment = std::chrono::time_point<std::chrono::steady_clock, Duration>;    // for deadlines
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;  // for people

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Moment now() const = 0;
  virtual WallTime wall() const = 0;
};

class RealClock final : public Clock {
 public:
  Moment now() const override;
  WallTime wall() const override;
};

// Stands still until a test moves it.
class ManualClock final : public Clock {
 public:
  Moment now() const override { return now_; }
  WallTime wall() const override { return wall_; }
  void advance(Duration by);
  // A step of the wall clock alone, as by an administrator or NTP.
  void step_wall(Duration by) { wall_ += by; }

 private:
  Moment now_{std::chrono::seconds(1000)};
  WallTime wall_{std::chrono::seconds(1'700'000'000)};
};

}  // namespace base
