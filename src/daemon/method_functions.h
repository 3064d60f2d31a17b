// SPDX-License-Identifier: Apache-2.0
// The functions behind the methods' table. Their parameters are checked before they run.
#pragma once
#include <functional>
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

// channel_methods.cc
void list_channels(const CallPtr& call);
void reload_channels(const CallPtr& call);
void test_channels(const CallPtr& call);
void report_channel(const CallPtr& call);
void channel_tested(const CallPtr& call);
void channel_refused(const CallPtr& call);
void recall_channel(const CallPtr& call);
void remember_for_channel(const CallPtr& call);
wire::json::array describe_channels(const ChannelKeeper& channels);

// loop_methods.cc
void iterate(const CallPtr& call);
void report_loop(const CallPtr& call);

// prompt_methods.cc
void list_prompts(const CallPtr& call);
void get_prompt(const CallPtr& call);
void answer_prompt(const CallPtr& call);

// pty_methods.cc
void write(const CallPtr& call);
void resize(const CallPtr& call);
void show_screen(const CallPtr& call);
void attach(const CallPtr& call);
void detach(const CallPtr& call);
void resync(const CallPtr& call);
void viewer_ready(const CallPtr& call);
void lend(const CallPtr& call);
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

// inbox_methods.cc
void send_message(const CallPtr& call);
void list_inbox(const CallPtr& call);
void claim(const CallPtr& call);
void done_with(const CallPtr& call);

// evidence_methods.cc
void capture_evidence(const CallPtr& call);
void list_packs(const CallPtr& call);
void get_evidence(const CallPtr& call);

// web_methods.cc
void start_web(const CallPtr& call);
void stop_web(const CallPtr& call);
void web_status(const CallPtr& call);
void list_tokens(const CallPtr& call);
void revoke_token(const CallPtr& call);

// Runs it beside the loop and ends the call with what it gives.
void run_aside(const CallPtr& call, std::function<base::Result<wire::json::value>()> work);

// The parameters command (or shell), env, cwd and umask.
pty::Command command_of(const Call& call);
// A command as a person would type it, for the audit.
std::string join(const std::vector<std::string>& command);

// The parameters cols and rows, clamped.
pty::Size size_of(const Call& call, pty::Size fallback);

// Answers with what attaching gave, and sends the snapshot behind it.
void answer_attached(const CallPtr& call, const session::Session& session, const session::Pty& pty,
                     session::Attached attached, wire::json::object result);

}  // namespace host
