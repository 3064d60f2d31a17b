// SPDX-License-Identifier: Apache-2.0
// Sessions, PTYs and events as the protocol shows them.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "session/events.h"
#include "session/session.h"
#include "store/prompts.h"

namespace host {

// In lists a long command is cut, so that they keep within a message.
enum class Detail { whole, brief };

boost::json::object describe(const session::Session& session, Detail detail = Detail::whole);
boost::json::object describe(const session::Session& session, const session::Pty& pty,
                             Detail detail = Detail::whole);
// What it asks, or null; what nobody is to be asked is not there.
boost::json::value prompt_of(const session::Session& session, const session::Pty* pty);
boost::json::object describe(const session::Event& event);
// describe_attention.cc
boost::json::object describe(const detect::Explanation& why);
// brief: without what became of it, and without why it is one.
boost::json::object describe(const store::PromptRecord& prompt, Detail detail);
boost::json::object describe(const session::Attached& attached, const session::Session& session,
                             const session::Pty& pty);

// 2026-01-02T03:04:05.678901Z
std::string to_time(int64_t micros);

}  // namespace host
