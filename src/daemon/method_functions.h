// SPDX-License-Identifier: Apache-2.0
// The functions behind the methods' table. Their parameters are checked before they run.
#pragma once
#include <memory>

#include "daemon/call.h"

namespace host {

using CallPtr = std::shared_ptr<Call>;

// session_methods.cc
void create_session(const CallPtr& call);
void list_sessions(const CallPtr& call);
void get_session(const CallPtr& call);
void kill_session(const CallPtr& call);
void restart(const CallPtr& call);
void spawn(const CallPtr& call);
void kill_pty(const CallPtr& call);
void list_ptys(const CallPtr& call);
void resolve(const CallPtr& call);

// prompt_methods.cc
void list_prompts(const CallPtr& call);
void answer_prompt(const CallPtr& call);

// pty_methods.cc
void write(const CallPtr& call);
void resize(const CallPtr& call);
void show_screen(const CallPtr& call);
void attach(const CallPtr& call);
void detach(const CallPtr& call);
void resync(const CallPtr& call);
void viewer_ready(const CallPtr& call);
void viewer_progress(const CallPtr& call);
void set_window(const CallPtr& call);
void end_input(const CallPtr& call);

// run_methods.cc
void run_command(const CallPtr& call);
void cancel_run(const CallPtr& call);

// daemon_methods.cc
void daemon_status(const CallPtr& call);
void shut_down(const CallPtr& call);
void subscribe(const CallPtr& call);
void show_audit(const CallPtr& call);
void verify_audit(const CallPtr& call);
void audit_head(const CallPtr& call);

// The parameters cols and rows, clamped.
pty::Size size_of(const Call& call, pty::Size fallback);

// Answers with what attaching gave, and sends the snapshot behind it.
void answer_attached(const CallPtr& call, const session::Session& session, const session::Pty& pty,
                     session::Attached attached, wire::json::object result);

}  // namespace host
