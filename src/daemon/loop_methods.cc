// SPDX-License-Identifier: Apache-2.0
// What the runner of a loop asks for.
#include <utility>

#include "base/strings.h"
#include "daemon/describe.h"
#include "daemon/method_functions.h"
#include "wire/encoding.h"
#include "wire/params.h"

namespace host {
namespace {

using base::Code;
using base::Result;
namespace json = wire::json;

constexpr size_t kMostNote = 1000;
constexpr size_t kMostWord = 40;

std::string word(const Call& call, std::string_view name) {
  return wire::cut_text(wire::text(call.params(), name).value_or(""), kMostWord);
}

}  // namespace

void iterate(const CallPtr& call) {
  session::Session* found = call->session();
  if (found == nullptr) return;
  const session::Pty* runner = found->pty(0);
  session::SpawnRequest request{.command = command_of(*call),
                                .size = size_of(*call, runner != nullptr ? runner->size() : pty::Size{})};
  if (request.command.cwd.empty()) request.command.cwd = found->record().cwd;
  if (request.command.argv[0].empty()) return call->fail({Code::invalid_param, 0, "the command is empty"});
  call->audit().command = join(request.command.argv);
  const auto run = static_cast<uint32_t>(*wire::integer(call->params(), "run"));
  found->iterate(run, std::move(request), [call](Result<session::Pty*> agent) {
    if (!agent) {
      // What is not the program's fault is the terminal's: there may be a way without one.
      const bool terminal = agent.error().code == Code::internal;
      if (terminal) agent.error().code = Code::pty_spawn_failed;
      return call->fail(agent.error(), terminal ? json::object{{"terminal", true}} : json::object{});
    }
    const session::Pty& pty = **agent;
    call->audit().pty = pty.number();
    call->finish(json::object{{"pty", pty.number()},
                              {"pid", pty.about().pid},
                              {"offset", pty.about().run_offset},
                              {"journal", pty.base_path() + ".journal"}});
  });
}

void report_loop(const CallPtr& call) {
  session::Session* found = call->session();
  if (found == nullptr) return;
  if (!found->is_loop()) return call->fail({Code::invalid_param, 0, "the session is no loop"});
  found->report({.mode = word(*call, "mode"),
                 .iteration = *wire::integer(call->params(), "iteration"),
                 .phase = word(*call, "phase")},
                base::printable(wire::text(call->params(), "text").value_or(""), kMostNote));
  call->finish(json::object{});
}

}  // namespace host
