// SPDX-License-Identifier: Apache-2.0
#include "daemon/methods.h"

#include <algorithm>
#include <array>

#include "daemon/asker.h"
#include "daemon/method_functions.h"
#include "daemon/waits.h"

namespace host {
namespace {

using wire::Kind;
using wire::Need;
using wire::Param;

constexpr int64_t kMostMs = int64_t{1000} * 60 * 60 * 24 * 365;
constexpr Param kSession{"session", Kind::text, Need::required};
constexpr Param kPty{"pty", Kind::integer, Need::optional, 0, 63};
// Of any terminal; clamped to what a PTY takes.
constexpr int64_t kMostSize = 65535;
constexpr Param kCols{"cols", Kind::integer, Need::optional, 0, kMostSize};
constexpr Param kRows{"rows", Kind::integer, Need::optional, 0, kMostSize};
constexpr Param kNewCols{"cols", Kind::integer, Need::required, 0, kMostSize};
constexpr Param kNewRows{"rows", Kind::integer, Need::required, 0, kMostSize};
constexpr Param kForce{"force", Kind::flag};
constexpr Param kTimeout{"timeout_ms", Kind::integer, Need::optional, 0, kMostMs};
constexpr Param kEncoding{"encoding", Kind::text};
constexpr Param kScrollback{"scrollback", Kind::integer, Need::optional, 0, 1'000'000};

constexpr std::array<Param, 0> kNothing = {};
constexpr std::array kAuditShow = std::to_array<Param>({{"session", Kind::text},
                                                        {"action", Kind::text},
                                                        {"agent", Kind::text},
                                                        {"after", Kind::integer},
                                                        {"limit", Kind::integer, Need::optional, 1, 1000},
                                                        {"newest_first", Kind::flag}});
constexpr std::array kAuditVerify =
    std::to_array<Param>({{"anchor_seq", Kind::integer}, {"anchor_hash", Kind::text}});
constexpr std::array kChannelTest = std::to_array<Param>({{"kind", Kind::text}});
constexpr std::array kChannelReport =
    std::to_array<Param>({{"state", Kind::text, Need::required}, {"detail", Kind::text}});
constexpr std::array kChannelTested = std::to_array<Param>(
    {{"number", Kind::integer, Need::required}, {"ok", Kind::flag, Need::required}, {"detail", Kind::text}});
constexpr std::array kChannelRefused = std::to_array<Param>(
    {{"who", Kind::text, Need::required}, {"what", Kind::text}, {"count", Kind::integer, Need::optional, 1}});
constexpr std::array kChannelRemember = std::to_array<Param>(
    {{"key", Kind::text, Need::required}, {"value", Kind::text, Need::required}, {"prompt", Kind::text}});
constexpr std::array kShutdown = std::to_array<Param>({{"kill", Kind::flag}});
constexpr std::array kSubscribe = std::to_array<Param>({{"after", Kind::integer}});
constexpr std::array kCapture =
    std::to_array<Param>({kSession, kPty, {"note", Kind::text}, {"thread", Kind::text}});
constexpr std::array kEvidenceGet = std::to_array<Param>({{"evidence_id", Kind::text, Need::required},
                                                          {"part", Kind::text},
                                                          {"offset", Kind::integer},
                                                          kEncoding});
constexpr std::array kEvidenceList = std::to_array<Param>(
    {{"session", Kind::text}, {"after", Kind::text}, {"limit", Kind::integer, Need::optional, 1, 1000}});
constexpr std::array kInboxClaim = std::to_array<Param>({{"id", Kind::text}, {"to", Kind::text}});
constexpr std::array kInboxDone =
    std::to_array<Param>({{"id", Kind::text, Need::required}, {"result", Kind::text}});
constexpr std::array kInboxList = std::to_array<Param>({{"to", Kind::text},
                                                        {"thread", Kind::text},
                                                        {"state", Kind::text},
                                                        {"after", Kind::text},
                                                        {"limit", Kind::integer, Need::optional, 1, 1000}});
constexpr std::array kInboxSend = std::to_array<Param>({{"to", Kind::text},
                                                        {"subject", Kind::text},
                                                        {"body", Kind::text, Need::required},
                                                        {"thread", Kind::text},
                                                        {"evidence", Kind::texts}});
constexpr std::array kAnswer = std::to_array<Param>({{"prompt_id", Kind::text, Need::required},
                                                     {"nonce", Kind::text},
                                                     {"answer", Kind::text},
                                                     {"choice", Kind::integer, Need::optional, 1, 1000},
                                                     {"keys", Kind::texts},
                                                     {"cancel", Kind::flag}});
constexpr std::array kPromptGet = std::to_array<Param>({{"prompt_id", Kind::text, Need::required}});
constexpr std::array kPromptList = std::to_array<Param>(
    {{"session", Kind::text}, {"state", Kind::text}, {"limit", Kind::integer, Need::optional, 1, 1000}});
constexpr std::array kAttach = std::to_array<Param>({kSession,
                                                     kPty,
                                                     {"role", Kind::text},
                                                     {"takeover", Kind::flag},
                                                     {"lossless", Kind::flag},
                                                     kCols,
                                                     kRows,
                                                     kScrollback,
                                                     {"from", Kind::integer}});
constexpr std::array kPtyKill = std::to_array<Param>({kSession, kPty, kForce});
constexpr std::array kPtyList = std::to_array<Param>({{"session", Kind::text}});
constexpr std::array kRead = std::to_array<Param>({kSession,
                                                   kPty,
                                                   {"since", Kind::integer},
                                                   {"max_bytes", Kind::integer, Need::optional, 1, 1 << 20},
                                                   kTimeout,
                                                   kEncoding});
constexpr std::array kLend = std::to_array<Param>({{"stops", Kind::texts}});
constexpr std::array kProgress = std::to_array<Param>({{"offset", Kind::integer, Need::required}});
constexpr std::array kReady = std::to_array<Param>(
    {{"offset", Kind::integer, Need::required}, {"round", Kind::integer}, {"heard", Kind::integer}});
constexpr std::array kResize = std::to_array<Param>({kSession, kPty, kNewCols, kNewRows});
constexpr std::array kResolve = std::to_array<Param>({{"target", Kind::text, Need::required}});
constexpr std::array kResync = std::to_array<Param>({kCols, kRows});
constexpr std::array kRun = std::to_array<Param>({kSession,
                                                  kPty,
                                                  {"command", Kind::text, Need::required},
                                                  kTimeout,
                                                  {"sentinel", Kind::text},
                                                  {"interrupt", Kind::flag},
                                                  {"raw", Kind::flag},
                                                  {"max_bytes", Kind::integer, Need::optional, 1, 12 << 20},
                                                  kEncoding,
                                                  {"progress", Kind::flag},
                                                  {"run", Kind::text}});
constexpr std::array kRunCancel = std::to_array<Param>({{"run", Kind::text, Need::required}});
constexpr std::array kScreen =
    std::to_array<Param>({kSession, kPty, {"format", Kind::text}, kScrollback, kCols, kRows});
constexpr std::array kSpawn = std::to_array<Param>({{"session", Kind::text},
                                                    {"shell", Kind::text},
                                                    {"command", Kind::texts},
                                                    {"cwd", Kind::text},
                                                    {"env", Kind::texts},
                                                    {"umask", Kind::integer, Need::optional, 0, 0777},
                                                    kCols,
                                                    kRows});
constexpr std::array kWait = std::to_array<Param>({kSession,
                                                   kPty,
                                                   {"until", Kind::text, Need::required},
                                                   {"quiet_ms", Kind::integer, Need::optional, 0, kMostMs},
                                                   {"pattern", Kind::text},
                                                   kTimeout});
constexpr std::array kWindow = std::to_array<Param>({kNewCols, kNewRows});
constexpr std::array kWrite = std::to_array<Param>(
    {kSession, kPty, {"data", Kind::text}, {"keys", Kind::texts}, {"enter", Kind::flag}, kEncoding});
constexpr std::array kCreate = std::to_array<Param>({{"name", Kind::text},
                                                     {"command", Kind::texts, Need::required},
                                                     {"cwd", Kind::text},
                                                     {"env", Kind::texts},
                                                     {"umask", Kind::integer, Need::optional, 0, 0777},
                                                     kCols,
                                                     kRows,
                                                     {"fixed_size", Kind::flag},
                                                     {"labels", Kind::map},
                                                     {"settings", Kind::text},
                                                     {"auto_restart", Kind::flag},
                                                     {"loop", Kind::text},
                                                     {"attach", Kind::flag},
                                                     {"lossless", Kind::flag}});
constexpr std::array kIterate = std::to_array<Param>({kSession,
                                                      {"run", Kind::integer, Need::required, 1, UINT32_MAX},
                                                      {"command", Kind::texts, Need::required},
                                                      {"cwd", Kind::text},
                                                      {"env", Kind::texts},
                                                      {"umask", Kind::integer, Need::optional, 0, 0777},
                                                      kCols,
                                                      kRows});
constexpr std::array kReport = std::to_array<Param>({kSession,
                                                     {"mode", Kind::text, Need::required},
                                                     {"iteration", Kind::integer, Need::required},
                                                     {"phase", Kind::text, Need::required},
                                                     {"text", Kind::text}});
constexpr std::array kList =
    std::to_array<Param>({{"after", Kind::text}, {"limit", Kind::integer, Need::optional, 1, 1000}});
constexpr std::array kGet = std::to_array<Param>({kSession});
constexpr std::array kKill = std::to_array<Param>({kSession, kForce});
constexpr std::array kRestart = std::to_array<Param>({kSession, kPty});

constexpr std::array kWebStart = std::to_array<Param>({{"host", Kind::text},
                                                       {"port", Kind::integer, Need::optional, 0, 65535},
                                                       {"tls_cert", Kind::text},
                                                       {"tls_key", Kind::text},
                                                       {"insecure", Kind::flag},
                                                       {"names", Kind::texts},
                                                       {"read_only", Kind::flag}});
constexpr std::array kWebRevoke = std::to_array<Param>({{"token", Kind::text, Need::required}});

constexpr std::array kMethods = std::to_array<Method>({
    {"audit.export", kAuditShow, show_audit, ""},
    {"audit.head", kNothing, audit_head, ""},
    {"audit.show", kAuditShow, show_audit, ""},
    {"audit.verify", kAuditVerify, verify_audit, ""},
    {"channel.list", kNothing, list_channels, ""},
    {"channel.recall", kNothing, recall_channel, ""},
    {"channel.refused", kChannelRefused, channel_refused, "refused"},
    {"channel.reload", kNothing, reload_channels, "channel_reload"},
    {"channel.remember", kChannelRemember, remember_for_channel, ""},
    {"channel.report", kChannelReport, report_channel, ""},
    {"channel.test", kChannelTest, test_channels, "channel_test"},
    {"channel.tested", kChannelTested, channel_tested, ""},
    {"daemon.shutdown", kShutdown, shut_down, "shutdown"},
    {"daemon.status", kNothing, daemon_status, ""},
    {"events.subscribe", kSubscribe, subscribe, ""},
    {"evidence.capture", kCapture, capture_evidence, "evidence"},
    {"evidence.get", kEvidenceGet, get_evidence, "read"},
    {"evidence.list", kEvidenceList, list_packs, "list"},
    {"inbox.claim", kInboxClaim, claim, "inbox_claim"},
    {"inbox.done", kInboxDone, done_with, "inbox_done"},
    {"inbox.list", kInboxList, list_inbox, "list"},
    {"inbox.send", kInboxSend, send_message, "inbox_send"},
    {"loop.iterate", kIterate, iterate, "spawn"},
    {"loop.report", kReport, report_loop, ""},
    {"prompt.answer", kAnswer, answer_prompt, "answer"},
    {"prompt.get", kPromptGet, get_prompt, "list"},
    {"prompt.list", kPromptList, list_prompts, "list"},
    {"pty.attach", kAttach, attach, "attach"},
    {"pty.detach", kNothing, detach, ""},
    {"pty.eof", kNothing, end_input, ""},
    {"pty.kill", kPtyKill, kill_pty, "kill"},
    {"pty.lend", kLend, lend, ""},
    {"pty.list", kPtyList, list_ptys, "list"},
    {"pty.progress", kProgress, viewer_progress, ""},
    {"pty.read", kRead, read_output, "read"},
    {"pty.ready", kReady, viewer_ready, ""},
    {"pty.resize", kResize, resize, "resize"},
    {"pty.resolve", kResolve, resolve, ""},
    {"pty.resync", kResync, resync, ""},
    {"pty.run", kRun, run_command, "run"},
    {"pty.run_cancel", kRunCancel, cancel_run, "cancel"},
    {"pty.screen", kScreen, show_screen, "screen"},
    {"pty.spawn", kSpawn, spawn, "spawn"},
    {"pty.wait", kWait, wait_for_state, "wait"},
    {"pty.window", kWindow, set_window, ""},
    {"pty.write", kWrite, write, "write"},
    {"session.create", kCreate, create_session, "spawn"},
    {"session.get", kGet, get_session, "list"},
    {"session.kill", kKill, kill_session, "kill"},
    {"session.list", kList, list_sessions, "list"},
    {"session.restart", kRestart, restart, "restart"},
    {"web.revoke", kWebRevoke, revoke_token, "web_revoke"},
    {"web.start", kWebStart, start_web, "web_start"},
    {"web.status", kNothing, web_status, ""},
    {"web.stop", kNothing, stop_web, "web_stop"},
    {"web.tokens", kNothing, list_tokens, "list"},
});

constexpr std::array<std::string_view, 12> kNotifications = {
    "channel.try", "event",    "pty.detached", "pty.error",    "pty.input",   "pty.notice",
    "pty.output",  "pty.pace", "pty.resized",  "pty.returned", "pty.suspend", "run.progress"};

}  // namespace

std::span<const Method> methods() { return kMethods; }

const Method* find_method(std::string_view name) {
  const auto found =
      std::lower_bound(kMethods.begin(), kMethods.end(), name,
                       [](const Method& each, std::string_view wanted) { return each.name < wanted; });
  return found != kMethods.end() && found->name == name ? &*found : nullptr;
}

void start_call(Context& context, const std::weak_ptr<Asker>& asker, wire::Request request,
                const Method& method) {
  const auto call = std::make_shared<Call>(context, asker, std::move(request));
  if (auto good = wire::check(call->params(), method.params); !good) return call->fail(good.error());
  call->audit().action = method.action;
  method.run(call);
}

std::span<const std::string_view> notifications() { return kNotifications; }

}  // namespace host
