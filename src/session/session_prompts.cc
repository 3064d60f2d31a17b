// SPDX-License-Identifier: Apache-2.0
// The life of a session's prompts: how they are named, who answers them, how they end.
#include <algorithm>
#include <utility>

#include "base/ids.h"
#include "base/log.h"
#include "detect/answer.h"
#include "session/prompt_record.h"
#include "session/session.h"

namespace session {
namespace {

using base::Code;
using base::fail;
using base::Result;
using State = Question::State;

// How long a question that an earlier daemon knew may take to be found again.
constexpr std::chrono::seconds kFindAgain{10};

int64_t micros(base::Duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

void end_in_store(store::Store& store, const std::string& id, store::PromptEnd end,
                  const Done<void>& done = {}) {
  store.write_unsynced(
      [id, end = std::move(end), at = store::wall_now()](store::Connection& connection) -> Result<void> {
        auto ended = store::end_prompt(connection, id, end, at);
        if (!ended) return fail(ended);
        return {};
      },
      [id, done](const Result<void>& ended) {
        if (!ended)
          base::log::say(base::log::Level::error, "the end of the prompt {} cannot be kept: {}", id,
                         ended.error().message());
        if (done) done(ended);
      });
}

}  // namespace

Session::Desk::Desk(Session& session, Pty& pty)
    : injection(session.place_.loop, session.place_.store, session, pty,
                {.timeout = session.settings_.prompts.injection_timeout,
                 .settle = session.settings_.prompts.inject_settle,
                 .supervision = session.settings_.supervision}),
      expiry(session.place_.loop, [&session, &pty] { session.expire(pty); }) {}

Session::Desk& Session::desk(Pty& pty) {
  auto& found = desks_[pty.number()];
  if (!found) found = std::make_unique<Desk>(*this, pty);
  return *found;
}

store::PromptRecord Session::record(const Pty& pty, const Question& question) const {
  return session::record_of(
      question, {.session = id(), .name = name(), .pty = pty.number(), .run = pty.about().restarts});
}

std::vector<std::string> Session::degraded() const {
  std::vector<std::string> all;
  if (ended()) return all;
  if (seeks_keeper())
    all.push_back(name() +
                  ": its keeper does not answer; its programs run on, and can be reached when it does");
  for (const auto& [number, each] : ptys_) {
    const std::string which = name() + ":" + std::to_string(number);
    if (each->attention().is_blind())
      all.push_back(which + ": its keeper does not answer; prompts are found by their text and by silence");
    if (const auto found = desks_.find(number);
        found != desks_.end() && found->second->injection.is_given_up())
      all.push_back(which + ": answers came to nothing again and again, and are refused; type them");
  }
  return all;
}

void Session::expect_prompts(std::vector<store::PromptRecord> open,
                             std::map<std::string, int64_t> rule_answers) {
  earlier_ = std::move(open);
  rule_answers_ = std::move(rule_answers);
}

void Session::await_earlier() {
  if (!earlier_.empty()) earlier_timer_.set_after(kFindAgain);
}

bool Session::take_earlier(const Pty& pty, Question& question) {
  const std::string region = region_of(question.asked.prompt);
  const auto found = std::find_if(earlier_.begin(), earlier_.end(), [&](const store::PromptRecord& each) {
    return each.pty == pty.number() && each.run == pty.about().restarts && each.region == region;
  });
  if (found == earlier_.end()) return false;
  question.id = found->id;
  question.nonce = found->nonce;
  question.asked_at = found->created_at;
  question.expires_at = found->expires_at;
  question.rule = found->rule;
  earlier_.erase(found);
  return true;
}

// Those of a PTY, or of all, that are not asked any more.
void Session::forget_earlier(const Pty* pty, std::string_view state) {
  std::erase_if(earlier_, [&](const store::PromptRecord& each) {
    if (pty != nullptr && each.pty != pty->number()) return false;
    end_in_store(place_.store, each.id,
                 {.state = std::string(state), .outcome = {}, .by = "", .channel = ""});
    return true;
  });
}

void Session::decide(const Pty& pty, Question& question) {
  if (!settings_.policy || question.again) return;
  const Decision decision =
      settings_.policy->decide({.command = pty.about().argv,
                                .cwd = pty.about().cwd,
                                .asked = question.asked,
                                .answers = [this](const std::string& rule) { return rule_answers_[rule]; }});
  question.rule = decision.rule;
  if (decision.kind == Decision::Kind::answer) question.to_send = decision.value;
  if (decision.kind != Decision::Kind::ignore) return;
  question.state = State::cancelled;
  question.by = question.channel = "policy";
}

void Session::name_question(Pty& pty, Question& question) {
  const bool known = take_earlier(pty, question);
  decide(pty, question);
  if (known) return;
  question.id = base::new_id();
  question.nonce = base::new_id();
  question.asked_at = store::wall_now();
  question.expires_at = question.asked_at + micros(settings_.prompts.timeout);
  store::PromptRecord fresh = record(pty, question);
  if (!question.open()) fresh.ended_at = question.asked_at;
  place_.store.write_unsynced(
      [fresh](store::Connection& connection) { return store::add_prompt(connection, fresh); },
      [id = question.id](const Result<void>& added) {
        if (!added)
          base::log::say(base::log::Level::error, "the prompt {} cannot be kept: {}", id,
                         added.error().message());
      },
      fresh.evidence.size() + fresh.question.size() + fresh.choices.size());
}

void Session::attention_changed(Pty& pty, const News& news) {
  Event event{
      .at = store::wall_now(), .kind = "pty.state", .session = id(), .name = name(), .pty = pty.number()};
  event.state = detect::name_of(pty.activity());
  if (news.kind != detect::Change::Kind::state && news.question) {
    event.kind = news.kind == detect::Change::Kind::asked ? "prompt.asked" : "prompt.left";
    event.prompt = news.question->id;
    event.type = detect::name_of(news.question->asked.prompt.type);
    event.question = news.question->asked.prompt.question;
    event.rule = news.question->rule;
  }
  place_.events.publish(std::move(event));
  if (news.kind == detect::Change::Kind::left && news.question) question_left(pty, news);
  if (news.kind == detect::Change::Kind::asked && news.question) {
    // What was open before has gone, since something else is asked.
    forget_earlier(&pty, "cancelled");
    desk(pty).injection.asked(*news.question);
    set_expiry(pty);
    if (news.question->state == State::awaiting && !desk(pty).injection.doubts(*news.question))
      apply_policy(pty, *news.question);
  }
  if (pty.activity() == detect::State::exited) forget_earlier(&pty, "expired");
}

void Session::apply_policy(Pty& pty, const Question& question) {
  if (!question.to_send) return;
  rule_answers_[question.rule]++;
  AnswerRequest request{.prompt = question.id,
                        .nonce = question.nonce,
                        .by = "policy",
                        .channel = "policy",
                        .rule = question.rule,
                        .value = std::make_shared<const std::string>(*question.to_send),
                        .bytes = {},
                        .at = {}};
  request.bytes = [value = *question.to_send](const detect::Prompt& prompt, const Pty&) {
    return detect::answer_bytes(prompt,
                                {.text = value.empty() ? std::nullopt : std::optional(value), .choice = {}});
  };
  answer_by_itself(pty, std::move(request));
}

// Later: whoever hears of the question now should hear of it as it was asked.
void Session::answer_by_itself(Pty& pty, AnswerRequest request) {
  place_.loop.post([this, number = pty.number(), request = std::move(request), life = std::weak_ptr(life_)] {
    Pty* to = life.expired() ? nullptr : this->pty(number);
    if (to == nullptr) return;
    answer(*to, request, [this, number, request](const Result<Answered>& result) {
      if (Pty* from = this->pty(number)) audit_answer(*from, request, result);
    });
  });
}

void Session::answer(Pty& pty, AnswerRequest request, Injection::Done done) {
  desk(pty).injection.answer(std::move(request), std::move(done));
}

Result<void> Session::cancel_prompt(Pty& pty, const AnswerRequest& request, const Done<void>& done) {
  Question* asked = pty.attention().question_named(request.prompt);
  if (asked == nullptr || asked->state != State::awaiting)
    return fail(Code::prompt_stale, 0, "it does not wait for an answer any more");
  if (request.nonce && *request.nonce != asked->nonce)
    return fail(Code::prompt_not_found, 0, "there is no such prompt with this nonce");
  asked->state = State::cancelled;
  asked->by = request.by;
  asked->channel = request.channel;
  end_in_store(place_.store, asked->id,
               {.state = "cancelled", .outcome = {}, .by = request.by, .channel = request.channel}, done);
  const Question now = *asked;
  prompt_changed(pty, now);
  return {};
}

void Session::question_left(Pty& pty, const News& news) {
  const Question& question = *news.question;
  Desk& at = desk(pty);
  at.expiry.cancel();
  if (at.injection.left(question) || !question.open()) return;
  if (pty.state() != PtyState::running) return end_question(pty, question, State::expired);
  if (!news.answered) return end_question(pty, question, State::cancelled);
  Question answered = question;
  answered.by = pty.typed_by().empty() ? "terminal" : pty.typed_by();
  answered.channel = "terminal";
  answered.outcome = "accepted";
  end_question(pty, answered, State::answered);
  const AnswerRequest request{.prompt = answered.id,
                              .nonce = {},
                              .by = answered.by,
                              .channel = "terminal",
                              .rule = "",
                              .value = {},
                              .bytes = {},
                              .at = {}};
  audit_answer(pty, request, Answered{.outcome = answered.outcome});
}

void Session::end_question(Pty& pty, Question question, State state) {
  question.state = state;
  if (state != State::answered) question.by = question.channel = "";
  std::optional<std::string> outcome;
  if (!question.outcome.empty()) outcome = question.outcome;
  end_in_store(place_.store, question.id,
               {.state = std::string(name_of(state)),
                .outcome = outcome,
                .by = question.by,
                .channel = question.channel});
  prompt_changed(pty, question);
}

void Session::set_expiry(Pty& pty) {
  const auto& question = pty.attention().question();
  if (!question || question->state != State::awaiting) return desk(pty).expiry.cancel();
  desk(pty).expiry.set_after(
      std::chrono::microseconds(std::max<int64_t>(question->expires_at - store::wall_now(), 0)));
}

// The program's own default is all that is ever sent by itself, and only where that is wanted.
void Session::expire(Pty& pty) {
  const auto& question = pty.attention().question();
  if (!question || question->state != State::awaiting) return;
  if (question->expires_at > store::wall_now()) return set_expiry(pty);
  const detect::Prompt& prompt = question->asked.prompt;
  const bool has_default = prompt.fallback || prompt.type == detect::Type::confirm_enter;
  if (settings_.prompts.on_expiry != config::OnExpiry::take_default || !has_default || prompt.secret) {
    Question ended = *question;
    if (Question* asked = pty.attention().question_named(ended.id)) asked->state = State::expired;
    return end_question(pty, std::move(ended), State::expired);
  }
  AnswerRequest request{.prompt = question->id,
                        .nonce = question->nonce,
                        .by = "expiry",
                        .channel = "daemon",
                        .rule = "",
                        .value = std::make_shared<const std::string>(),
                        .bytes = {},
                        .at = question->expires_at - 1};
  request.bytes = [](const detect::Prompt& now, const Pty&) { return detect::answer_bytes(now, {}); };
  answer(pty, request, [this, &pty, request](const Result<Answered>& result) {
    audit_answer(pty, request, result);
    if (Question* asked = pty.attention().question_named(request.prompt);
        !result && asked != nullptr && asked->state == State::awaiting) {
      asked->state = State::expired;
      end_question(pty, *asked, State::expired);
    }
  });
}

void Session::prompt_changed(Pty& pty, const Question& question) {
  Event event{.at = store::wall_now(),
              .kind = "prompt.changed",
              .session = id(),
              .name = name(),
              .pty = pty.number()};
  event.state = name_of(question.state);
  event.prompt = question.id;
  event.type = detect::name_of(question.asked.prompt.type);
  event.question = question.asked.prompt.question;
  event.outcome = question.outcome;
  event.rule = question.rule;
  event.by = question.by;
  place_.events.publish(std::move(event));
  if (question.state == State::awaiting) set_expiry(pty);
}

// For those that no request of a client stands behind.
void Session::audit_answer(const Pty& pty, const AnswerRequest& request, const Result<Answered>& result) {
  store::AuditEntry entry;
  entry.at = store::wall_now();
  entry.session = id();
  entry.pty = pty.number();
  entry.action = "answer";
  entry.agent = request.by;
  entry.channel = request.channel;
  entry.prompt_id = request.prompt;
  if (result) {
    entry.summary = result->outcome;
    entry.secret = result->secret;
    if (result->count > 0) {
      entry.bytes = result->bytes;
      entry.journal_offset = static_cast<int64_t>(result->offset);
    }
  } else {
    entry.result = base::code_name(result.error().code);
    entry.summary = result.error().message();
  }
  if (!request.rule.empty()) entry.summary += "; by " + request.rule;
  place_.store.append(std::move(entry));
}

}  // namespace session
