// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/json/array.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "daemon/describe.h"
#include "daemon/method_functions.h"
#include "detect/answer.h"
#include "session/keys.h"
#include "wire/params.h"

namespace host {

namespace json = wire::json;
using base::Code;
using base::Result;

namespace {

// A keeper looks within a millisecond; what moves all the time is no question that stands.
constexpr std::chrono::seconds kLookDeadline{2};

base::Error stale() {
  return {Code::prompt_stale, 0, "it is not asked any more; prompt.list has what is asked now"};
}

Result<std::string> bytes_of(const Call& call, const session::Pty& pty, const detect::Prompt& prompt) {
  const auto keys = wire::texts(call.params(), "keys");
  detect::Answer answer{.text = wire::text(call.params(), "answer")};
  if (const auto choice = wire::integer(call.params(), "choice"))
    answer.choice = static_cast<uint32_t>(*choice);
  if ((keys.empty() ? 0 : 1) + (answer.text ? 1 : 0) + (answer.choice ? 1 : 0) > 1)
    return base::fail(Code::invalid_param, 0, "give one of answer, choice and keys");
  if (keys.empty()) return detect::answer_bytes(prompt, answer);
  std::string bytes;
  for (const std::string& name : keys) {
    auto key = session::key_bytes(name, pty.screen());
    if (!key) return base::fail(key);
    bytes += *key;
  }
  return bytes;
}

// An answer on its way: the kernel is asked once more whether somebody still waits for it.
class Answering : public std::enable_shared_from_this<Answering> {
 public:
  Answering(CallPtr call, std::string id)
      : call_(std::move(call)),
        id_(std::move(id)),
        deadline_(call_->context().loop, [this] { end([this] { call_->fail(stale()); }); }) {}

  void start(session::Pty& pty) {
    self_ = shared_from_this();
    looked_ = pty.attention().looks().add([this] { end([this] { answer(); }); });
    deadline_.set_after(kLookDeadline);
    pty.attention().look_again();
  }

 private:
  template <typename Work>
  void end(Work work) {
    const auto kept = std::exchange(self_, {});
    if (!kept) return;
    deadline_.cancel();
    looked_.reset();
    work();
  }

  void answer() {
    const auto session = call_->context().sessions.find(call_->audit().session);
    session::Pty* pty = session ? (*session)->pty(static_cast<uint32_t>(*call_->audit().pty)) : nullptr;
    const auto& question = pty != nullptr ? pty->attention().question() : std::nullopt;
    if (!question || question->id != id_ || question->answered) return call_->fail(stale());
    const detect::Prompt& prompt = question->asked.prompt;
    auto bytes = bytes_of(*call_, *pty, prompt);
    if (!bytes) return call_->fail(bytes.error());
    call_->audit().secret = prompt.secret;
    call_->audit().bytes = *bytes;
    call_->audit().journal_offset = static_cast<int64_t>(pty->journal().window().end);
    pty->attention().mark_answered();
    if (auto written = pty->write(*bytes); !written) return call_->fail(written.error());
    call_->finish(json::object{
        {"prompt_id", id_}, {"bytes", bytes->size()}, {"offset", *call_->audit().journal_offset}});
  }

  CallPtr call_;
  std::string id_;
  event::Timer deadline_;
  session::Listeners::Handle looked_;
  std::shared_ptr<Answering> self_;
};

}  // namespace

// What waits for a person, the oldest question first.
void list_prompts(const CallPtr& call) {
  std::vector<session::Session*> sessions = call->context().sessions.all();
  if (wire::text(call->params(), "session")) {
    session::Session* found = call->session();
    if (found == nullptr) return;
    sessions = {found};
  }
  struct Open {
    const session::Session* session;
    const session::Pty* pty;
  };
  std::vector<Open> open;
  for (const session::Session* each : sessions) {
    for (const auto& [number, pty] : each->ptys())
      if (pty->attention().question()) open.push_back({each, pty.get()});
  }
  const auto asked_at = [](const Open& each) { return each.pty->attention().question()->asked_at; };
  std::sort(open.begin(), open.end(), [&](const Open& a, const Open& b) {
    return std::pair(asked_at(a), a.pty->number()) < std::pair(asked_at(b), b.pty->number());
  });
  json::array list;
  for (const Open& each : open)
    list.push_back(describe(*each.pty->attention().question(), *each.session, *each.pty));
  call->finish(std::move(list));
}

void answer_prompt(const CallPtr& call) {
  const std::string id = wire::text(call->params(), "prompt_id").value_or("");
  call->audit().prompt_id = id;
  bool left = false;
  for (const session::Session* each : call->context().sessions.all()) {
    for (const auto& [number, pty] : each->ptys()) {
      const auto& question = pty->attention().question();
      left = left || pty->attention().has_left(id);
      if (!question || question->id != id) continue;
      call->audit().session = each->id();
      call->audit().pty = number;
      if (question->answered) return call->fail(stale());
      return std::make_shared<Answering>(call, id)->start(*pty);
    }
  }
  if (left) return call->fail(stale());
  call->fail({Code::prompt_not_found, 0, "there is no such prompt; prompt.list has what is asked now"});
}

}  // namespace host
