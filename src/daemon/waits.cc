// SPDX-License-Identifier: Apache-2.0
#include "daemon/waits.h"

#include <algorithm>
#include <fmt/format.h>
#include <re2/re2.h>
#include <utility>

#include "daemon/asker.h"
#include "daemon/describe.h"
#include "vt/text_view.h"
#include "wire/encoding.h"
#include "wire/params.h"

namespace host {
namespace {

using base::Code;
using session::Pty;
using session::PtyState;
using std::chrono::milliseconds;
namespace json = wire::json;

constexpr size_t kMostRead = 128 << 10;  // fits into a message, even if every byte is escaped
constexpr size_t kLongestCharacter = 4;
constexpr int64_t kDefaultQuietMs = 1000;

bool alive(const Pty& pty) { return pty.state() != PtyState::dead && pty.state() != PtyState::exited; }

// Looks again after every change, until check() has ended the call.
class Wait : public std::enable_shared_from_this<Wait> {
 public:
  Wait(std::shared_ptr<Call> call, const Pty& pty)
      : call_(std::move(call)),
        session_(call_->audit().session),
        number_(pty.number()),
        timeout_(call_->context().loop, [this] { guard([this] { timed_out(); }); }),
        again_(call_->context().loop, [this] { guard([this] { look(); }); }) {}
  virtual ~Wait() = default;

  void start() {
    Pty* pty = find();
    if (pty == nullptr) return;
    self_ = shared_from_this();
    changes_ = pty->listeners().add([this] { guard([this] { look(); }); });
    if (const auto asker = call_->asker()) closed_ = asker->closed_listeners().add([this] { end(); });
    if (const auto limit = wire::integer(call_->params(), "timeout_ms"))
      timeout_.set_after(milliseconds(*limit));
    const auto kept = self_;
    look();
  }

 protected:
  // True once it has answered.
  virtual bool check(Pty& pty) = 0;
  virtual void timed_out() {
    call_->fail({Code::pty_timeout, 0, "timed out"});
    end();
  }

  Call& call() { return *call_; }
  Pty* find() {
    const auto session = call_->context().sessions.find(session_);
    return session ? (*session)->pty(number_) : nullptr;
  }
  void look_after(base::Duration wait) { again_.set_after(wait); }
  void look() {
    Pty* pty = find();
    if (pty == nullptr) {
      call_->fail({Code::pty_session_not_found, 0, "the session has gone"});
      return end();
    }
    if (check(*pty)) end();
  }
  void end() {
    timeout_.cancel();
    again_.cancel();
    changes_.reset();
    closed_.reset();
    self_.reset();
  }

 private:
  // end() lets go of the last hold on this; it must not be the end of the one who is at work.
  template <typename Work>
  void guard(Work work) {
    const auto kept = self_;
    if (kept) work();
  }

  std::shared_ptr<Call> call_;
  std::string session_;
  uint32_t number_;
  event::Timer timeout_;
  event::Timer again_;
  session::Listeners::Handle changes_;
  session::Listeners::Handle closed_;
  std::shared_ptr<Wait> self_;
};

class ReadWait final : public Wait {
 public:
  ReadWait(const std::shared_ptr<Call>& call, const Pty& pty, size_t usual) : Wait(call, pty) {
    const auto asked = wire::integer(call->params(), "max_bytes");
    most_ = std::min<size_t>(kMostRead, asked ? static_cast<size_t>(*asked) : usual);
    const auto window = pty.journal().window();
    const auto since = wire::integer(call->params(), "since");
    since_ = since ? static_cast<uint64_t>(*since)
                   : std::max(window.begin, window.end - std::min<uint64_t>(window.end, most_));
    base64_ = wire::text(call->params(), "encoding") == "base64";
    // A character is never cut, so that one that is longer than what was asked for still comes.
    if (!base64_) most_ = std::max(most_, kLongestCharacter);
  }

 private:
  bool check(Pty& pty) override {
    const auto window = pty.journal().window();
    if (since_ > window.end) {
      call().fail({Code::invalid_param, 0,
                   "there is no output at " + std::to_string(since_) + " yet; it ends at " +
                       std::to_string(window.end)});
      return true;
    }
    return answer(pty, Enough::something);
  }

  void timed_out() override {
    if (Pty* pty = find()) answer(*pty, Enough::nothing);
    end();
  }

  enum class Enough { something, nothing };

  bool answer(const Pty& pty, Enough enough) {
    std::string bytes(most_, '\0');
    const auto piece = pty.journal().read(since_, bytes);
    bytes.resize(piece.count);
    const bool ended = !alive(pty);
    size_t consumed = bytes.size();
    std::string data;
    if (base64_) {
      data = wire::to_base64(bytes);
    } else {
      // A character that the limit cut comes whole with the next read.
      const bool last = ended && piece.offset + piece.count == pty.journal().window().end;
      auto text = wire::to_utf8(bytes, last ? wire::Rest::never_comes : wire::Rest::may_come);
      data = std::move(text.text);
      consumed = text.consumed;
    }
    const bool waits = wire::integer(call().params(), "timeout_ms").value_or(0) > 0;
    if (consumed == 0 && !ended && waits && enough == Enough::something) return false;
    call().audit().journal_offset = static_cast<int64_t>(piece.offset);
    call().finish(json::object{{"data", std::move(data)},
                               {"offset", piece.offset},
                               {"next_offset", piece.offset + consumed},
                               {"lost_bytes", piece.offset - since_},
                               {"alive", !ended}});
    return true;
  }

  uint64_t since_ = 0;
  size_t most_ = 0;
  bool base64_ = false;
};

class StateWait final : public Wait {
 public:
  StateWait(const std::shared_ptr<Call>& call, const Pty& pty, std::string until,
            std::unique_ptr<RE2> pattern)
      : Wait(call, pty),
        until_(std::move(until)),
        pattern_(std::move(pattern)),
        quiet_(wire::integer(call->params(), "quiet_ms").value_or(kDefaultQuietMs)) {}

 private:
  bool check(Pty& pty) override {
    if (until_ == "text") {
      if (matches(pty)) return came(pty, "text");
    } else if (until_ == "quiet" && alive(pty)) {
      const auto silent = base::RealClock().now() - pty.last_output();
      if (silent >= quiet_) return came(pty, "quiet");
      look_after(quiet_ - silent);
    } else if (until_ == detect::name_of(pty.activity()) && alive(pty)) {
      return came(pty, until_);
    }
    if (pty.state() != PtyState::dead) return false;
    if (until_ == "text" || until_ == "waiting" || until_ == "ready") {
      const std::string_view missed =
          until_ == "text" ? "and the text did not come" : "and did not come to that";
      call().fail({Code::pty_process_exited, 0, fmt::format("the program ended, {}", missed)});
      return true;
    }
    return came(pty, "exited");
  }

  bool came(const Pty& pty, std::string_view what) {
    json::object result{{"reason", what},
                        {"state", session::state_name(pty.state())},
                        {"activity", detect::name_of(pty.activity())},
                        {"prompt", nullptr},
                        {"why", describe(pty.attention().why())}};
    if (const auto session = call().context().sessions.find(call().audit().session))
      result["prompt"] = prompt_of(**session, &pty);
    if (pty.exit()) {
      result["exit_code"] = pty.exit()->code;
      result["signal"] = pty.exit()->signal != 0 ? json::value(pty.exit()->signal) : json::value(nullptr);
    }
    if (!line_.empty()) result["line"] = line_;
    call().finish(std::move(result));
    return true;
  }

  // Looks at the screen, and at what has scrolled off it since the last look.
  bool matches(const Pty& pty) {
    const uint64_t end = pty.journal().window().end;
    size_t above = 0;
    if (looked_) {
      const auto columns = static_cast<uint64_t>(std::max<int>(pty.screen().size().columns, 1));
      std::string fresh(static_cast<size_t>(std::min<uint64_t>(end - *looked_, pty.journal().capacity())),
                        '\0');
      const auto piece = pty.journal().read(*looked_, fresh);
      fresh.resize(piece.count);
      above = static_cast<size_t>(std::count(fresh.begin(), fresh.end(), '\n')) + fresh.size() / columns + 1;
    }
    looked_ = end;
    for (const std::string& line : vt::lines(pty.screen(), above)) {
      if (!RE2::PartialMatch(line, *pattern_)) continue;
      line_ = line;
      return true;
    }
    return false;
  }

  std::string until_;
  std::unique_ptr<RE2> pattern_;
  milliseconds quiet_;
  std::optional<uint64_t> looked_;
  std::string line_;
};

}  // namespace

void read_output(const std::shared_ptr<Call>& call) {
  const std::string encoding = wire::text(call->params(), "encoding").value_or("text");
  if (encoding != "text" && encoding != "base64")
    return call->fail({Code::invalid_param, 0, "encoding must be text or base64"});
  const Pty* pty = call->pty();
  if (pty == nullptr) return;
  const auto session = call->context().sessions.find(call->audit().session);
  std::make_shared<ReadWait>(call, *pty, session ? (*session)->settings().read_max_bytes : kMostRead)
      ->start();
}

void wait_for_state(const std::shared_ptr<Call>& call) {
  const std::string until = wire::text(call->params(), "until").value_or("");
  std::unique_ptr<RE2> pattern;
  if (until == "text") {
    if (!wire::text(call->params(), "pattern"))
      return call->fail({Code::invalid_param, 0, "the parameter 'pattern' is missing: the text to wait for"});
    RE2::Options options;
    options.set_log_errors(false);
    pattern = std::make_unique<RE2>(wire::text(call->params(), "pattern").value_or(""), options);
    if (!pattern->ok())
      return call->fail(
          {Code::invalid_param, 0, "the pattern is no regular expression: " + pattern->error()});
  } else if (until != "quiet" && until != "exited" && until != "waiting" && until != "ready") {
    return call->fail({Code::invalid_param, 0, "until must be waiting, ready, quiet, exited or text"});
  }
  const Pty* pty = call->pty();
  if (pty == nullptr) return;
  std::make_shared<StateWait>(call, *pty, until, std::move(pattern))->start();
}

}  // namespace host
