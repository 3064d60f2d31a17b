// SPDX-License-Identifier: Apache-2.0
// Loop: the one thread of the daemon, waiting for descriptors and times. Boost.Asio does the work, behind a
// wall: rooms that only watch descriptors need not know it, and those that speak HTTP may use its context.
// Watches and timers are members of whoever needs them; destroying one cancels it, and its function is never
// called afterwards. Everything but post() belongs to the loop's thread.
#pragma once
#include <functional>
#include <memory>

#include "base/clock.h"

namespace boost::asio {
class io_context;
}

namespace event {

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Until stop(), also one that came before, or until nothing is left to wait for; may be run again then.
  void run();
  void stop();

  // From any thread: runs it in the loop, after what is under way.
  void post(std::function<void()> work);

  boost::asio::io_context& context();

 private:
  std::unique_ptr<boost::asio::io_context> context_;
};

// What a descriptor can do now.
struct Ready {
  bool input = false;
  bool output = false;
};

// One watch per descriptor, which stays its owner's and must outlive the watch. The function is called for as
// long as what is wanted is there; errors and hang-ups count as both.
class Watch {
 public:
  Watch(Loop& loop, int fd, std::function<void(Ready)> call);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void want(Ready wanted);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// One time ahead, or none. After it has come it must be set again.
class Timer {
 public:
  Timer(Loop& loop, std::function<void()> call);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void set(base::Moment when);
  void set_after(base::Duration wait);
  void cancel();
  bool pending() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace event
