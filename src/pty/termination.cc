// SPDX-License-Identifier: Apache-2.0
#include "pty/termination.h"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <string_view>

namespace pty {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kFirstPause{2};
constexpr milliseconds kLongestPause{250};
// Only a process that hangs in the kernel (a dead disk or mount) outlives SIGKILL this long.
constexpr seconds kPatience{30};
constexpr int kMostFreezes = 50;
constexpr int kMostDoubts = 8;  // half a second
constexpr int kMostLooks = 4;   // 30 ms

bool contains(const std::vector<Process>& list, const Process& process) {
  return std::find(list.begin(), list.end(), process) != list.end();
}

bool carries_marks(pid_t pid, const std::vector<std::string>& marks) {
  if (marks.empty()) return false;
  const std::string environment = std::string(1, '\0') + environment_of(pid);
  return std::all_of(marks.begin(), marks.end(), [&](const std::string& mark) {
    return environment.find(std::string(1, '\0') + mark + std::string(1, '\0')) != std::string::npos;
  });
}

// Those of the list that the condition picks, and all that descend from them within the list.
template <typename Condition>
std::vector<Process> with_descendants(const std::vector<Process>& list, const Condition& picked) {
  std::vector<Process> found;
  std::copy_if(list.begin(), list.end(), std::back_inserter(found), picked);
  // Generation by generation: `found` grows behind the one that is looked at.
  for (size_t i = 0; i < found.size(); i++) {
    const pid_t parent = found[i].pid;
    for (const Process& process : list) {
      if (process.parent == parent && !contains(found, process)) found.push_back(process);
    }
  }
  return found;
}

// An orphan in the middle of an exec, or of its end, shows no environment for a moment, and so no marks.
// There are programs that never have one, so this is no proof.
bool somebody_may_be_ours(const Family& family) {
  if (family.leader == 0 || family.marks.empty()) return false;
  const std::vector<Process> all = all_processes();
  return std::any_of(all.begin(), all.end(), [&](const Process& process) {
    return process.parent == family.root && !process.dead() && environment_of(process.pid).empty();
  });
}

}  // namespace

std::vector<Process> living_members(const Family& family) {
  const std::vector<Process> all = all_processes();
  // Nothing outside the root's own tree is ever touched, whatever number it has.
  std::vector<Process> members =
      with_descendants(all, [&](const Process& process) { return process.parent == family.root; });
  if (family.leader != 0) {
    members = with_descendants(members, [&](const Process& process) {
      return process.pid == family.leader || process.session == family.leader ||
             (process.parent == family.root && carries_marks(process.pid, family.marks));
    });
  }
  std::erase_if(members, [](const Process& process) { return process.dead(); });
  return members;
}

Termination::Termination(Family family, ControlGroup* group, base::Moment now, base::Duration grace)
    : family_(std::move(family)),
      group_(group),
      grace_end_(now + grace),
      give_up_(grace_end_ + kPatience),
      next_(now),
      pause_(kFirstPause) {}

Termination::State Termination::step(base::Moment now) {
  const bool kill = now >= grace_end_;
  if (kill) freeze_and_kill();
  const std::vector<Process> members = find();
  survivors_ = members.size();
  if (members.empty() && (doubts_++ >= kMostDoubts || nobody_is_left())) return State::all_gone;
  if (now >= give_up_) return State::gave_up;
  if (!kill) ask(members);
  next_ = now + pause_;
  if (!kill) next_ = std::min(next_, grace_end_);
  pause_ = std::min<base::Duration>(pause_ * 2, kLongestPause);
  return State::going_on;
}

// A look takes time: whoever is not known for a child of ours while its parent dies is an orphan afterwards,
// and so is seen by the last look, when nobody dies any more.
bool Termination::nobody_is_left() const { return !somebody_may_be_ours(family_) && find().empty(); }

std::vector<Process> Termination::find() const {
  std::vector<Process> members = living_members(family_);
  if (group_ == nullptr) return members;
  for (const pid_t pid : group_->members()) {
    const auto process = look_at(pid);
    if (process && !process->dead() && !contains(members, *process)) members.push_back(*process);
  }
  return members;
}

// Each is asked once: a second SIGTERM makes many programs drop what they are saving. All are asked at the
// same look: who starts others and takes the signal from a descriptor is not to see them die first. A shell
// that starts a program blocks the signal for a moment, in which it does not ignore it, and drops it
// afterwards.
void Termination::ask(const std::vector<Process>& members) {
  const bool looks_again = looks_++ < kMostLooks;
  for (const Process& process : members) {
    const auto blocking = std::find(blocking_.begin(), blocking_.end(), process);
    const bool asked = contains(asked_, process);
    if (asked && (blocking == blocking_.end() || !looks_again)) continue;
    const Hearing hearing = hearing_of(process.pid, SIGTERM);
    if (asked) {
      if (hearing == Hearing::blocks) continue;
      blocking_.erase(blocking);
      if (hearing == Hearing::ignores) signal_process(process, SIGHUP);
      continue;
    }
    asked_.push_back(process);
    if (hearing == Hearing::blocks) blocking_.push_back(process);
    signal_process(process, hearing == Hearing::ignores ? SIGHUP : SIGTERM);
    signal_process(process, SIGCONT);
  }
}

// Who is stopped cannot fork, so that after a pass that finds nobody new the list is complete.
void Termination::freeze_and_kill() {
  std::vector<Process> frozen;
  for (int pass = 0; pass < kMostFreezes; pass++) {
    const size_t before = frozen.size();
    for (const Process& process : find()) {
      if (contains(frozen, process)) continue;
      signal_process(process, SIGSTOP);
      frozen.push_back(process);
    }
    if (frozen.size() == before) break;
  }
  for (const Process& process : frozen) signal_process(process, SIGKILL);
  if (group_ != nullptr) group_->kill_all();
}

}  // namespace pty
