// SPDX-License-Identifier: Apache-2.0
// Config: the whole configuration as one value, a struct for each section, every field checked. Whoever gets
// one keeps it: nothing changes it afterwards, and a file that is edited later changes nothing of it.
// It comes from load.h only; the rows of table.cc say which setting fills which field, its default and
// limits.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace config {

// The order of the values is the order of the words in the setting's row.
enum class PromiseMatch { line, anywhere };
enum class OnPrompt { ask, ignore };
enum class OnLimit { wait, stop };
enum class Backend { claude, codex, gemini, kiro, amp, copilot, opencode, custom };
enum class PromptMode { arg, stdin_text };
enum class Resize { smallest, latest, leader, fixed };
enum class Anchor { line, anywhere };
enum class PromptType { yes_no, confirm_enter, multiple_choice, free_text, pager, unknown };
enum class OnExpiry { nothing, take_default };
enum class WebhookFormat { json, text };
enum class RuleAction { ask, ignore };
enum class SandboxRoot { readonly, overlay };
enum class Network { host, none, proxy };

using Environment = std::map<std::string, std::string>;

struct EventLoop {
  std::optional<std::string> prompt;  // goes before prompt_file
  std::string prompt_file;            // from the loop's own folder
  std::string completion_promise;
  PromiseMatch promise_match{};
  std::optional<std::string> verify;
  int max_iterations = 0;
  std::chrono::seconds max_runtime{};
  int max_consecutive_failures = 0;
  std::chrono::seconds cooldown_delay{};
  OnPrompt on_prompt{};
  OnLimit on_limit{};
  bool operator==(const EventLoop&) const = default;
};

struct Cli {
  Backend backend{};
  std::optional<std::string> command;
  std::vector<std::string> args;
  PromptMode prompt_mode{};
  std::optional<std::string> prompt_flag;
  bool pty_mode = false;
  bool pty_interactive = false;
  std::chrono::seconds idle_timeout{};  // 0: off
  bool operator==(const Cli&) const = default;
};

struct Session {
  bool auto_restart = false;
  std::chrono::milliseconds restart_delay{};
  Resize resize{};
  uint32_t scrollback_rows = 0;
  uint64_t journal_bytes = 0;  // a power of two
  uint32_t read_max_bytes = 0;
  std::chrono::seconds keep_exited{};
  std::optional<char> detach_key;  // the byte that the key sends; nothing: off
  uint16_t cols = 0;
  uint16_t rows = 0;
  Environment env;
  std::chrono::hours max_age{};
  bool operator==(const Session&) const = default;
};

struct InputFilter {
  std::chrono::milliseconds ctrl_c_debounce{};
  std::vector<std::string> block_sequences;  // bytes: escapes are decoded
  std::chrono::milliseconds partial_hold{};
  Anchor anchor{};
  bool operator==(const InputFilter&) const = default;
};

struct DetectorPattern {
  PromptType type{};
  std::string pattern;  // RE2; compiled by whoever matches
  double confidence = 0;
  bool secret = false;
  bool operator==(const DetectorPattern&) const = default;
};

struct Detector {
  bool enabled = false;
  base::Duration stuck_timeout{};
  std::vector<DetectorPattern> patterns;
  std::chrono::milliseconds echo_suppression{};
  uint32_t buffer_bytes = 0;
  uint32_t buffer_lines = 0;
  double high_threshold = 0;
  double med_threshold = 0;
  bool operator==(const Detector&) const = default;
};

// Exactly one of `answer` and `action` is there.
struct PromptRule {
  std::optional<std::string> command;
  std::optional<std::string> cwd;
  std::optional<PromptType> type;
  std::optional<std::string> text;  // RE2
  double min_confidence = 0;
  std::optional<std::string> answer;
  std::optional<int> max;  // answers by this rule; nothing: no bound
  std::optional<RuleAction> action;
  bool operator==(const PromptRule&) const = default;
};

struct Prompts {
  std::chrono::seconds timeout{};
  std::chrono::milliseconds inject_settle{};
  base::Duration injection_timeout{};
  bool secrets_remote = false;
  OnExpiry on_expiry{};
  std::vector<PromptRule> rules;
  bool operator==(const Prompts&) const = default;
};

struct Supervision {
  std::chrono::seconds task_timeout{30};
  int max_task_restarts = 3;
  base::Duration restart_delay = std::chrono::seconds(1);
  bool operator==(const Supervision&) const = default;
};

struct Telegram {
  std::optional<std::string> token_file;
  std::vector<std::string> allowed_users;
  std::string api_url;
  bool operator==(const Telegram&) const = default;
};

struct Slack {
  std::optional<std::string> bot_token_file;
  std::optional<std::string> app_token_file;
  std::vector<std::string> allowed_users;
  std::string api_url;
  bool operator==(const Slack&) const = default;
};

struct Webhook {
  std::optional<std::string> url;
  std::optional<std::string> secret_file;
  std::optional<std::string> listen;
  std::optional<std::string> answer_url;
  WebhookFormat format{};
  bool operator==(const Webhook&) const = default;
};

struct Channels {
  Telegram telegram;
  Slack slack;
  Webhook webhook;
  std::chrono::seconds request_timeout{};
  std::optional<std::string> ca_file;
  bool operator==(const Channels&) const = default;
};

struct Web {
  std::string host;
  uint16_t port = 0;
  std::optional<std::string> tls_cert;
  std::optional<std::string> tls_key;
  bool insecure = false;
  bool operator==(const Web&) const = default;
};

enum class Access { read_write, read_only };

struct Mount {
  std::string source;
  std::string target;
  Access access = Access::read_write;
  bool operator==(const Mount&) const = default;
};

struct Sandbox {
  bool enabled = false;
  std::optional<std::string> workspace;  // nothing: the session's folder
  SandboxRoot root{};
  std::optional<std::string> overlay_folder;  // nothing: changes go with the session
  std::vector<Mount> home;                    // source and target from the home
  std::vector<Mount> mounts;
  Network network{};
  std::vector<std::string> allow_domains;
  uint64_t memory_bytes = 0;  // 0: no limit, as in the next two
  uint32_t max_pids = 0;
  uint32_t cpu_percent = 0;
  Environment env;  // "$NAME" stands for the caller's own
  bool best_effort = false;
  bool operator==(const Sandbox&) const = default;
};

struct Store {
  std::optional<std::string> path;  // nothing: in the state folder
  std::chrono::days archive{};
  bool operator==(const Store&) const = default;
};

struct Audit {
  bool keystrokes = false;
  bool operator==(const Audit&) const = default;
};

struct Evidence {
  bool automatic = false;
  std::chrono::days keep{};
  bool operator==(const Evidence&) const = default;
};

struct Config {
  EventLoop event_loop;
  Cli cli;
  Session session;
  InputFilter input_filter;
  Detector detector;
  Prompts prompts;
  Supervision supervision;
  Channels channels;
  Web web;
  Sandbox sandbox;
  Store store;
  Audit audit;
  Evidence evidence;
  bool operator==(const Config&) const = default;
};

}  // namespace config
