// SPDX-License-Identifier: Apache-2.0
#include "event/loop.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

namespace event {

namespace asio = boost::asio;
using boost::system::error_code;

Loop::Loop() : context_(std::make_unique<asio::io_context>(1)) {}
Loop::~Loop() = default;

void Loop::run() {
  context_->run();
  context_->restart();
}
void Loop::stop() { context_->stop(); }
void Loop::post(std::function<void()> work) { asio::post(*context_, std::move(work)); }
asio::io_context& Loop::context() { return *context_; }

// Asio may have queued a call already when the watch goes; the state outlives the watch until then, and
// knows.
struct Watch::State : std::enable_shared_from_this<State> {
  State(asio::io_context& context, int fd, std::function<void(Ready)> to_call)
      : descriptor(context, fd), call(std::move(to_call)) {}

  void arm(asio::posix::descriptor_base::wait_type what, bool Ready::* side) {
    if (!(wanted.*side) || waiting.*side) return;
    waiting.*side = true;
    descriptor.async_wait(what, [self = shared_from_this(), side](error_code error) {
      self->waiting.*side = false;
      if (self->closed || error == asio::error::operation_aborted) return;
      Ready ready;
      ready.*side = true;
      if (self->wanted.*side) self->call(ready);
      self->arm_all();
    });
  }

  void arm_all() {
    if (closed) return;
    arm(asio::posix::descriptor_base::wait_read, &Ready::input);
    arm(asio::posix::descriptor_base::wait_write, &Ready::output);
  }

  asio::posix::stream_descriptor descriptor;
  std::function<void(Ready)> call;
  Ready wanted;
  Ready waiting;
  bool closed = false;
};

Watch::Watch(Loop& loop, int fd, std::function<void(Ready)> call)
    : state_(std::make_shared<State>(loop.context(), fd, std::move(call))) {}

Watch::~Watch() {
  state_->closed = true;
  state_->descriptor.release();
}

void Watch::want(Ready wanted) {
  state_->wanted = wanted;
  state_->arm_all();
}

struct Timer::State {
  State(asio::io_context& context, std::function<void()> to_call)
      : timer(context), call(std::move(to_call)) {}

  asio::steady_timer timer;
  std::function<void()> call;
  uint64_t round =
      0;  // of set() and cancel(): a call of an earlier round that is queued already comes to nothing
  bool pending = false;
};

Timer::Timer(Loop& loop, std::function<void()> call)
    : state_(std::make_shared<State>(loop.context(), std::move(call))) {}

Timer::~Timer() { cancel(); }

void Timer::set(base::Moment when) {
  State& state = *state_;
  state.timer.expires_at(std::chrono::time_point_cast<asio::steady_timer::duration>(when));
  state.pending = true;
  state.timer.async_wait([kept = state_, round = ++state.round](error_code error) {
    if (error || round != kept->round) return;
    kept->pending = false;
    kept->call();
  });
}

void Timer::set_after(base::Duration wait) { set(std::chrono::steady_clock::now() + wait); }

void Timer::cancel() {
  state_->round++;
  state_->pending = false;
  state_->timer.cancel();
}

bool Timer::pending() const { return state_->pending; }

}  // namespace event
