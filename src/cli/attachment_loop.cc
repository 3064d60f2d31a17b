// SPDX-License-Identifier: Apache-2.0
// What an attachment does more where the PTY is a loop's.
#include <utility>

#include "cli/attachment.h"
#include "wire/params.h"

namespace cli {
namespace {

namespace json = wire::json;

}  // namespace

// An agent may have ended, or the next one begun, before this terminal came or while there was no daemon.
void Attachment::note_run(const json::object& attached) {
  if (!options_.loop) return;
  if (wire::text(attached, "state") == "running")
    exit_.reset();
  else if (!exit_)
    exit_ = pty::ExitStatus{};
}

void Attachment::control(std::string_view bytes) {
  if (bytes.empty()) return;
  control_ += bytes;
  send_control();
}

void Attachment::release_keys() {
  held_until_.reset();
  pass(options_.loop->release(!exit_));
}

void Attachment::send_control() {
  if (control_.empty() || !client_ || attach_asked_) return;
  control_asked_ = client_->send("pty.write", {{"session", session_}, {"pty", 0}, {"data", control_}});
}

// Until the answer is here the bytes are kept: to ask a loop twice to end does no harm.
bool Attachment::take_control_answer(const wire::Response& response) {
  if (control_asked_ && response.id == *control_asked_) {
    control_asked_.reset();
    control_.clear();
    return true;
  }
  if (loop_asked_ && response.id == *loop_asked_) {
    loop_asked_.reset();
    if (response.result && response.result->is_object())
      note_loop(response.result->get_object().if_contains("loop"));
    return true;
  }
  return false;
}

// With a new daemon: the one before may have had something to say in its last moments.
void Attachment::watch_loop() {
  if (!options_.loop || !options_.loop->leave) return;
  client_->notify("events.subscribe", {});
  loop_asked_ = client_->send("session.get", {{"session", session_}});
}

void Attachment::note_loop(const json::value* loop) {
  if (!options_.loop || !options_.loop->leave || end_ || loop == nullptr || !loop->is_object()) return;
  if (options_.loop->leave(loop->get_object())) end_ = AttachmentEnd{.exit = {}, .reason = {}, .left = true};
}

}  // namespace cli
