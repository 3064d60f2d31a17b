// SPDX-License-Identifier: Apache-2.0
// Session: a name, an id, and PTYs that live in one keeper: 0 is the agent, 1 and up are shells. It asks the
// keeper and hears what happens there, starts the agent again where that is wanted, and ends when all its
// PTYs are dead or it is killed. What must be known after the daemon's end goes to the store; the keeper is
// let go only when the store has it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "config/config.h"
#include "event/loop.h"
#include "pty/keeper_link.h"
#include "session/asked.h"
#include "session/events.h"
#include "session/injection.h"
#include "session/keepers.h"
#include "session/loop_report.h"
#include "session/policy.h"
#include "session/pty.h"
#include "session/restart_policy.h"
#include "session/sandbox_plan.h"
#include "store/store.h"

namespace session {

// Where everything is, the same for all sessions of a daemon.
struct Place {
  event::Loop& loop;
  store::Store& store;
  Events& events;
  Keepers& keepers;
  SandboxPlace sandbox;
};

// What a session takes from the configuration, and keeps.
struct SessionSettings : config::Session {
  bool keystrokes = false;  // audit.keystrokes: what is typed goes into the audit
  bool evidence = true;     // evidence.auto: what agents do is captured
  config::Prompts prompts;
  config::Sandbox sandbox;
  config::InputFilter input_filter;  // between browsers and the agent
  config::Supervision supervision;
  std::shared_ptr<const Policy> policy;  // of prompts.rules
  Attentiveness attentiveness;
};

// The label of a session that is a loop, with the loop's id.
inline constexpr const char* kLoopLabel = "loop";

struct SpawnRequest {
  pty::Command command;
  pty::Size size;
};

class Session final : private PtyOwner, private Injection::Owner {
 public:
  using Ended = std::function<void(Session&)>;

  Session(Place& place, store::SessionRecord record, const SessionSettings& settings, Ended ended);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const store::SessionRecord& record() const { return record_; }
  const std::string& id() const { return record_.id; }
  const std::string& name() const { return record_.name; }
  const SessionSettings& settings() const { return settings_; }
  bool ended() const { return record_.ended_at.has_value(); }
  // Also for a moment after its end, until the store knows of that.
  bool has_keeper() const { return link_.has_value(); }
  // What its sandbox had to do without, by the settings' leave.
  const std::vector<std::string>& sandbox_missing() const { return sandbox_missing_; }
  bool backing_off() const { return restarts_.backing_off(); }
  const std::map<uint32_t, std::unique_ptr<Pty>>& ptys() const { return ptys_; }
  Pty* pty(uint32_t number) const;
  // Why there is none of this number.
  base::Error lacks(uint32_t number) const;

  // A new keeper, or the one that is there already, with its PTYs: whenever that answers, for its programs
  // run on. Until then the session has no PTYs.
  base::Result<void> launch();
  void find_keeper(Done<void> found);
  bool seeks_keeper() const { return adopting_; }
  // A session whose keeper has gone: what store and files still know.
  void load_ended(const std::vector<store::PtyRecord>& ptys);
  // For one that the store does not know.
  void set_origin(std::string name, std::string cwd, int64_t created_at);

  void spawn(SpawnRequest request, const Done<uint32_t>& done);

  // A loop: PTY 0 is its runner, and the session ends with it; PTY 1 is the agent, once it has been started.
  bool is_loop() const;
  uint32_t agent_number() const;
  Pty* agent() const { return pty(agent_number()); }
  // The agent's next run, counted from 1. Asking again for the run that is there gives that.
  void iterate(uint32_t run, SpawnRequest request, const Done<Pty*>& done);
  // How the loop stands; `text` is shown where no agent is running.
  void report(LoopReport report, std::string_view text);
  const std::optional<LoopReport>& loop_report() const { return report_; }

  void restart(uint32_t number, Done<void> done);
  // Gives the number of processes that would not go.
  void kill_pty(uint32_t number, base::Duration grace, const Done<uint32_t>& done);
  void kill(base::Duration grace, const Done<uint32_t>& done);
  // The keeper of a session that has ended goes now, whatever it is still asked for.
  void dismiss_keeper(const Done<uint32_t>& done);

  // Prompts. What an earlier daemon left open keeps its name if it is asked still.
  void expect_prompts(std::vector<store::PromptRecord> open, std::map<std::string, int64_t> rule_answers);
  void answer(Pty& pty, AnswerRequest request, Injection::Done done);
  // Nobody is asked any more; the question may stand on the screen still.
  base::Result<void> cancel_prompt(Pty& pty, const AnswerRequest& request, const Done<void>& done);
  store::PromptRecord record(const Pty& pty, const Question& question) const override;

  // What it cannot do any more, a sentence each.
  std::vector<std::string> degraded() const;

  // The daemon goes on purpose; the keeper stays.
  void release();

  // Removes the files of its PTYs.
  void remove_files();

 private:
  using Answer = std::function<void(base::Result<pty::KeeperEvent>)>;

  // What the PTYs say.
  void exited(Pty& pty) override;
  void resized(Pty& pty) override;
  void viewers_changed(Pty& pty) override;
  void want_look(Pty& pty) override;
  void name_question(Pty& pty, Question& question) override;
  void attention_changed(Pty& pty, const News& news) override;
  void unserved(Pty& pty, std::string_view why) override;

  // session_prompts.cc
  struct Desk {
    Desk(Session& session, Pty& pty);
    Injection injection;
    event::Timer expiry;
  };
  Desk& desk(Pty& pty);
  void await_earlier();
  bool take_earlier(const Pty& pty, Question& question);
  void forget_earlier(const Pty* pty, std::string_view state);
  void decide(const Pty& pty, Question& question);
  void apply_policy(Pty& pty, const Question& question);
  void answer_by_itself(Pty& pty, AnswerRequest request);
  void question_left(Pty& pty, const News& news);
  void end_question(Pty& pty, Question question, Question::State state);
  void expire(Pty& pty);
  void set_expiry(Pty& pty);
  void prompt_changed(Pty& pty, const Question& question) override;
  void audit_answer(const Pty& pty, const AnswerRequest& request, const base::Result<Answered>& result);

  // A keeper that is there says first what it has; what else it says is heard then.
  struct Seeking {
    Done<void> found;
    std::optional<uint32_t> ptys = {};  // that it has
    uint32_t taken = 0;
    std::optional<base::Error> failed = {};  // why the last one that could not be taken was not
    std::vector<pty::KeeperEvent> later = {};
  };
  void seek(pty::KeeperEvent event);
  void take_found(uint32_t number, pty::HeldPty held);
  void keeper_found();

  // Why nothing can be asked of a keeper that is sought.
  base::Error out_of_reach() const;
  // How long somebody who asked waits for the keeper.
  base::Duration patience() const;
  void hear_keeper();
  void handle(pty::KeeperEvent event);
  void keeper_lost(const base::Error& error);
  void expect(uint32_t request, Answer answer);
  void watch_keeper();
  void adopt(pty::KeeperLink link);
  base::Result<void> take(uint32_t number, pty::HeldPty held, Pty::Past past);
  std::unique_ptr<Pty> make_pty(uint32_t number, pty::Size size);

  // Descriptors kept back for those that come with a PTY: what cannot be received would end the link.
  base::Result<void> reserve();
  void spawn_at(uint32_t number, SpawnRequest request, const Done<uint32_t>& done);
  void take_back(uint32_t number);  // a program that has started too late
  void respawn(uint32_t number);
  void replace(Pty& agent, SpawnRequest request, const Done<Pty*>& done);
  void let_runner_lead();
  bool awaits_next_run(const Pty& pty) const;
  void bury_agent_of_loop();
  void bury(Pty& pty, std::string_view why);
  void forget_if_dead(uint32_t number);
  void end_if_over();
  void save_end();
  void let_keeper_go();
  void save(const Pty& pty);
  store::PtyRecord record_of(const Pty& pty) const;
  void publish(std::string kind, const Pty* pty = nullptr, std::optional<int64_t> delay_ms = {});

  Place& place_;
  store::SessionRecord record_;
  SessionSettings settings_;
  Ended ended_;
  std::map<uint32_t, std::unique_ptr<Pty>> ptys_;
  std::map<uint32_t, std::unique_ptr<Desk>> desks_;
  std::vector<store::PromptRecord> earlier_;  // open prompts of an earlier daemon, until they are asked again
  std::map<std::string, int64_t> rule_answers_;
  event::Timer earlier_timer_;
  std::optional<pty::KeeperLink> link_;
  std::optional<Seeking> seeking_;
  std::unique_ptr<event::Watch> watch_;
  std::map<uint32_t, Answer> expected_;
  RestartPolicy restarts_;
  event::Timer restart_timer_;
  event::Timer save_timer_;
  std::map<uint32_t, Done<void>> restart_wanted_;
  std::set<uint32_t> kills_;  // PTYs whose processes the keeper is ending
  uint32_t next_number_ = 0;
  size_t awaited_ = 0;  // PTYs that the keeper was asked for
  std::vector<base::Fd> reserved_;
  std::optional<LoopReport> report_;
  std::vector<std::string> sandbox_missing_;
  bool iterating_ = false;
  bool ending_ = false;
  bool end_saved_ = false;
  bool adopting_ = false;
  std::shared_ptr<int> life_ = std::make_shared<int>(0);  // for work that is posted, and may come too late
};

}  // namespace session
