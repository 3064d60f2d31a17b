// SPDX-License-Identifier: Apache-2.0
#include "cli/exec.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/ids.h"
#include "base/strings.h"
#include "cli/access.h"
#include "cli/output.h"
#include "cli/report.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

constexpr int64_t kMostBytes = 12 << 20;  // that the daemon keeps for a reader who is slow
constexpr int kFirstSignal = 128;
constexpr int kLastSignal = kFirstSignal + 64;

// One word may be a whole script; several are words, whatever is in them.
std::string as_shell_text(const std::vector<std::string>& words) {
  if (words.size() == 1) return words.front();
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : " ") + base::shell_quote(each);
  return text;
}

json::object make_request(const ExecOptions& options, const Target& target, const std::string& run) {
  json::object params = to_params(target);
  params["command"] = as_shell_text(options.command);
  params["run"] = run;
  if (options.timeout_ms) params["timeout_ms"] = *options.timeout_ms;
  if (options.sentinel) params["sentinel"] = *options.sentinel;
  if (options.interrupt) params["interrupt"] = true;
  if (options.raw) params["raw"] = true;
  if (!options.json) {
    params["encoding"] = "bytes";
    params["max_bytes"] = options.max_bytes.value_or(kMostBytes);
  } else if (options.max_bytes) {
    params["max_bytes"] = *options.max_bytes;
  }
  return params;
}

// Ctrl+C here is Ctrl+C there; a second one does not wait any longer.
class Interrupts {
 public:
  Interrupts() {
    sigset_t wanted;
    ::sigemptyset(&wanted);
    ::sigaddset(&wanted, SIGINT);
    ::sigaddset(&wanted, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
    fd_ = base::Fd(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  int fd() const { return fd_.get(); }
  bool take() const {
    signalfd_siginfo info{};
    return ::read(fd_.get(), &info, sizeof info) == sizeof info;
  }

 private:
  base::Fd fd_;
};

// Standard output, written only as fast as it takes it: a pipe that nobody reads must not keep Ctrl+C
// waiting.
class Sink {
 public:
  Sink() { ::signal(SIGPIPE, SIG_IGN); }

  void add(std::string_view bytes) {
    if (!closed_) pending_ += bytes;
  }
  bool empty() const { return sent_ == pending_.size(); }
  bool full() const { return pending_.size() - sent_ >= kFull; }
  bool closed() const { return closed_; }  // whoever read it has gone, or it fails

  // Once it is ready: no more than goes into a pipe that is.
  void write_some() {
    const ssize_t n =
        ::write(1, pending_.data() + sent_, std::min<size_t>(pending_.size() - sent_, PIPE_BUF));
    if (n < 0 && errno != EINTR && errno != EAGAIN) closed_ = true;
    sent_ += n > 0 ? static_cast<size_t>(n) : 0;
    if (closed_ || empty() || sent_ >= kFull) {
      pending_.erase(0, closed_ ? pending_.size() : sent_);
      sent_ = 0;
    }
  }

 private:
  static constexpr size_t kFull = 1 << 20;
  std::string pending_;
  size_t sent_ = 0;
  bool closed_ = false;
};

struct Ending {
  std::optional<wire::Response> answer = {};
  bool interrupted = false;
  bool unread = false;  // nobody reads what is printed
};

// Follows one run to its end.
class Follower {
 public:
  Follower(wire::Client& client, uint64_t request, std::string run)
      : client_(client), request_(request), run_(std::move(run)) {}

  Result<Ending> follow() {
    while (!over()) {
      (void)client_.flush();  // what the daemon said before it went still counts
      if (auto heard = hear(); !heard) return fail(heard);
      if (over()) break;
      if (auto waited = wait(); !waited) return fail(waited);
    }
    return std::move(ending_);
  }

 private:
  // An answer is the end once all is written, or nobody wants the rest.
  bool over() const { return ending_.answer && (sink_.empty() || sink_.closed() || ending_.interrupted); }
  bool listens() const { return !ending_.answer && (!sink_.full() || ending_.interrupted); }

  Result<void> hear() {
    while (listens()) {
      auto next = client_.next();
      if (!next) {
        next.error().what =
            "the daemon went away; the command may have run, and is not run again: " + next.error().what;
        return fail(next);
      }
      if (!*next) break;
      if (const auto* bytes = std::get_if<wire::Bytes>(&**next))
        sink_.add(bytes->data);
      else if (auto* answer = std::get_if<wire::Response>(&**next);
               answer != nullptr && answer->id == request_)
        ending_.answer = std::move(*answer);
    }
    return {};
  }

  Result<void> wait() {
    const auto output = static_cast<short>(client_.waiting_output() > 0 ? POLLOUT : 0);
    pollfd ready[] = {{listens() ? client_.fd() : -1, static_cast<short>(POLLIN | output), 0},
                      {interrupts_.fd(), POLLIN, 0},
                      {sink_.empty() ? -1 : 1, POLLOUT, 0}};
    if (::poll(ready, 3, -1) < 0 && errno != EINTR) return fail(Code::internal, errno, "cannot wait");
    if (ready[2].revents != 0) sink_.write_some();
    if (sink_.closed() && !std::exchange(ending_.unread, true)) give_up();
    if (!interrupts_.take()) return {};
    if (std::exchange(ending_.interrupted, true)) return fail(Code::pty_interrupted, EINTR, "interrupted");
    give_up();
    return {};
  }

  void give_up() {
    if (!ending_.answer) client_.notify("pty.run_cancel", {{"run", run_}});
  }

  wire::Client& client_;
  uint64_t request_;
  std::string run_;
  Interrupts interrupts_;
  Sink sink_;
  Ending ending_;
};

int exit_code_of(const Ending& ending, const json::object& said) {
  if (ending.interrupted) return kInterrupted;
  if (ending.unread) return kFirstSignal + SIGPIPE;
  if (!ending.answer->result && ending.answer->result.error().code == Code::pty_timeout) return kTimedOut;
  if (const auto code = wire::integer(said, "exit_code")) return static_cast<int>(*code);
  return ending.answer->result ? kDone : kFailed;
}

int print_result(const Ending& ending, const json::object& said, int code) {
  const auto& result = ending.answer->result;
  json::value signal = nullptr;
  const json::value* status = said.if_contains("exit_code");
  if (status != nullptr && status->is_int64() && status->get_int64() > kFirstSignal &&
      status->get_int64() <= kLastSignal)
    signal = status->get_int64() - kFirstSignal;
  const auto part = [&](const char* name) {
    const json::value* found = said.if_contains(name);
    return found != nullptr ? *found : json::value(nullptr);
  };
  json::object all{{"output", part("output")},
                   {"exit_code", part("exit_code")},
                   {"signal", signal},
                   {"truncated", part("truncated")},
                   {"timed_out", !result && result.error().code == Code::pty_timeout},
                   {"duration_ms", part("duration_ms")}};
  if (!result)
    all["error"] =
        json::object{{"code", base::code_name(result.error().code)}, {"message", result.error().message()}};
  const int printed = print_json(all);
  return printed == kDone ? code : printed;
}

Result<int> run(const ExecOptions& options) {
  auto target = parse_target(options.target);
  if (!target) return fail(target);
  auto client = reach_daemon();
  if (!client) return fail(client);
  const std::string id = base::new_id();
  const uint64_t request = client->send("pty.run", make_request(options, *target, id));
  auto ending = Follower(*client, request, id).follow();
  if (!ending) return fail(ending);
  const wire::Response& answer = *ending->answer;
  const json::object& said = answer.result ? answer.result->as_object() : answer.data;
  const bool ran = said.contains("exit_code");
  if (!answer.result && !ran) return std::unexpected(answer.result.error());
  const int code = exit_code_of(*ending, said);
  if (options.json) return print_result(*ending, said, code);
  if (ending->unread) return code;
  if (!answer.result) {
    // The code tells what happened to the command; report() would give another.
    (void)report(answer.result.error());
  } else if (wire::flag(said, "truncated")) {
    fmt::print(stderr, "tend: not all of the output is here: it came faster than it was read\n");
  }
  return code;
}

}  // namespace

int exec_command(const ExecOptions& options) { return finish(run(options)); }

}  // namespace cli
