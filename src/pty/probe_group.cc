// SPDX-License-Identifier: Apache-2.0
#include "pty/probe_group.h"

#include <charconv>
#include <optional>
#include <unistd.h>
#include <utility>

namespace pty::probe {
namespace {

class Walk {
 public:
  Walk(pid_t session, pid_t group) : session_(session), group_(group) {}

  void start_at(pid_t first) {
    pending_.push_back(first);
    while (!pending_.empty() && found_.whole) {
      const pid_t next = pending_.back();
      pending_.pop_back();
      visit(next);
    }
  }

  void add_orphans(pid_t reaper, pid_t first) {
    Pieces children(task_path({reaper, reaper}, "children"), ' ');
    for (size_t seen = 0; found_.whole; seen++) {
      const auto child = next_pid(children);
      if (!child) return;
      if (seen >= kMostProcesses) found_.whole = false;
      if (*child == first) continue;
      const auto state = state_of({*child, *child});
      if (state && state->session == session_) start_at(*child);
    }
  }

  Group take() { return std::move(found_); }

 private:
  static std::optional<pid_t> next_pid(Pieces& children) {
    const auto piece = children.next();
    pid_t pid = 0;
    if (!piece || std::from_chars(piece->data(), piece->data() + piece->size(), pid).ec != std::errc())
      return {};
    return pid;
  }

  void visit(pid_t pid) {
    const auto state = state_of({pid, pid});
    if (!state) return;
    if (++visited_ > kMostProcesses) {
      found_.whole = false;
      return;
    }
    std::vector<Task>* list = nullptr;
    if (state->group == group_) {
      if (found_.processes.empty() || pid == group_) found_.leader = state->name;
      found_.processes.push_back(pid);
      list = &found_.threads;
    } else if (state->session != session_ && !state->dead()) {
      list = &found_.guests;
    }
    if (state->threads <= 1) return visit_thread({pid, pid}, list);
    Numbers threads(task_path({pid, pid}, ".."));  // the folder of all its threads
    while (const auto tid = threads.next()) visit_thread({pid, *tid}, list);
  }

  void visit_thread(Task task, std::vector<Task>* list) {
    if (++threads_ > kMostThreads) {
      found_.whole = false;
      return;
    }
    if (list != nullptr) list->push_back(task);
    Pieces children(task_path(task, "children"), ' ');
    // As many as could still be visited are enough.
    while (pending_.size() <= kMostProcesses) {
      const auto child = next_pid(children);
      if (!child) return;
      pending_.push_back(*child);
    }
    found_.whole = false;
  }

  pid_t session_;
  pid_t group_;
  Group found_;
  std::vector<pid_t> pending_;
  size_t visited_ = 0;
  size_t threads_ = 0;
};

}  // namespace

Group find_group(pid_t first, pid_t session, pid_t group) {
  Walk walk(session, group);
  walk.start_at(first);
  walk.add_orphans(::getpid(), first);
  return walk.take();
}

}  // namespace pty::probe
