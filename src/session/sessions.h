// SPDX-License-Identifier: Apache-2.0
// Sessions: all of them, by id and by name; new ones, those that an earlier daemon left to their keepers, and
// those that have ended and can still be looked at for a while.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "session/session.h"

namespace session {

struct CreateRequest {
  std::string name;  // empty: made of the folder's name
  std::string cwd;
  std::string owner;
  std::map<std::string, std::string> labels;
  std::string settings_text;  // kept with the session
  SessionSettings settings;
  SpawnRequest agent;
};

// Letters, digits, '.', '_' and '-', 64 at most, not with '.' or '-' first.
base::Result<void> check_name(std::string_view name);

class Sessions {
 public:
  // How the settings of a session that was created earlier are read again.
  using ReadSettings = std::function<base::Result<SessionSettings>(const std::string& text)>;

  Sessions(Place place, ReadSettings read_settings);
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  // Everything that is still there: call it once, before anything else. `ready` is called when all keepers
  // have told what they have, or when those that have not are not waited for any more: their sessions are
  // there, without PTYs, for as long as that takes.
  void recover(std::function<void()> ready);

  void create(CreateRequest request, const Done<Session*>& done);

  // One that has ended, before its time: its files and records go.
  void forget(const std::string& id);

  // By id, or by name: of several with one name the one that lives, else the newest.
  base::Result<Session*> find(std::string_view name_or_id);
  // Newest last.
  std::vector<Session*> all();
  // Of these, those that have a keeper now. What ended under an earlier daemon has none, and is not loaded.
  std::vector<Session*> kept() const;
  size_t living() const;

  // The daemon goes on purpose.
  void release();

 private:
  std::unique_ptr<Session> make(store::SessionRecord record, const SessionSettings& settings);
  std::string free_name(const std::string& cwd) const;
  void adopt(const std::string& id);
  void seek(const std::string& id);
  void sought(const std::string& id, const base::Result<void>& found);
  void seek_again();
  void let_go(const std::string& id);
  void get_ready();
  // Prompts that an earlier daemon left open: their sessions are told, or they end with them.
  void load_prompts();
  void expect_prompts(Session& session, const SessionSettings& settings);
  void end_prompts();
  void load_ended(const store::StoredSession& stored);
  void load_next();
  void load_all();
  void forget_expired();
  void remove(Session& session);  // its files and records
  void set_timer();
  int64_t expiry(const Session& session) const;

  Place place_;
  ReadSettings read_settings_;
  std::map<std::string, std::unique_ptr<Session>> all_;
  // Of earlier daemons, and ended: they are loaded one by one when nothing else is to be done, or all when
  // somebody asks for what may be among them.
  std::map<std::string, store::StoredSession> unread_;
  std::map<std::string, std::vector<store::PromptRecord>> prompts_;  // by session, until its keeper is found
  // Sessions whose keepers have not told yet what they have, with what the store knows of them.
  std::map<std::string, std::optional<store::StoredSession>> sought_;
  std::vector<std::string> unreached_;  // of these those that are to be asked again
  int tries_ = 0;
  std::function<void()> ready_;
  event::Timer ready_timer_;
  event::Timer again_timer_;
  event::Timer load_timer_;
  event::Timer expiry_timer_;
};

}  // namespace session
