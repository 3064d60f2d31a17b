// SPDX-License-Identifier: Apache-2.0
// The table of all settings. A row's default is written as a file would have it and goes through the same
// checks; its limits are what the part that uses it can bear.
#include <array>

#include "config/checks.h"
#include "config/config.h"
#include "config/schema.h"
#include "config/store.h"

namespace config {
namespace {

using Words = std::span<const std::string_view>;
using Sv = std::string_view;

constexpr Limits kCount = {1, 1'000'000};
constexpr Limits kMilliseconds = {0, 3'600'000};
constexpr Limits kFraction = {0, 1};
constexpr double kDay = 86'400;
constexpr double kYear = 366 * kDay;

// In the order of the enums of config.h.
constexpr std::array<Sv, 2> kLineOrAnywhere = {"line", "anywhere"};
constexpr std::array<Sv, 2> kAskOrIgnore = {"ask", "ignore"};
constexpr std::array<Sv, 2> kWaitOrStop = {"wait", "stop"};
constexpr std::array<Sv, 8> kBackends = {"claude", "codex",   "gemini",   "kiro",
                                         "amp",    "copilot", "opencode", "custom"};
constexpr std::array<Sv, 2> kPromptModes = {"arg", "stdin"};
constexpr std::array<Sv, 4> kResizes = {"smallest", "latest", "leader", "fixed"};
constexpr std::array<Sv, 6> kPromptTypes = {"YES_NO",    "CONFIRM_ENTER", "MULTIPLE_CHOICE",
                                            "FREE_TEXT", "PAGER",         "UNKNOWN"};
constexpr std::array<Sv, 2> kWebhookFormat = {"json", "text"};
constexpr std::array<Sv, 2> kOnExpiry = {"nothing", "default"};
constexpr std::array<Sv, 2> kRoots = {"readonly", "overlay"};
constexpr std::array<Sv, 3> kNetworks = {"host", "none", "proxy"};

constexpr Setting boolean(Sv path, Sv fallback, Put store, Sv about) {
  return {.path = path, .type = Type::boolean, .fallback = fallback, .about = about, .store = store};
}
constexpr Setting whole(Sv path, std::optional<Sv> fallback, Limits limits, Put store, Sv about) {
  return {.path = path,
          .type = Type::whole,
          .fallback = fallback,
          .about = about,
          .store = store,
          .limits = limits};
}
constexpr Setting decimal(Sv path, Sv fallback, Limits limits, Put store, Sv about) {
  Setting row = whole(path, fallback, limits, store, about);
  row.type = Type::decimal;
  return row;
}
constexpr Setting choice(Sv path, std::optional<Sv> fallback, Words words, Put store, Sv about) {
  return {.path = path,
          .type = Type::choice,
          .fallback = fallback,
          .about = about,
          .store = store,
          .choices = words};
}
constexpr Setting text(Sv path, std::optional<Sv> fallback, Put store, Sv about,
                       Check check = check_not_empty) {
  return {
      .path = path, .type = Type::text, .fallback = fallback, .about = about, .store = store, .check = check};
}
constexpr Setting file(Sv path, Put store, Sv about) {
  Setting row = text(path, {}, store, about);
  row.type = Type::path;
  return row;
}
constexpr Setting list(Sv path, Put store, Sv about, Check check = nullptr) {
  Setting row = text(path, "[]", store, about, check);
  row.type = Type::texts;
  return row;
}
constexpr Setting map(Sv path, Put store, Sv about) {
  Setting row = text(path, "{}", store, about, nullptr);
  row.type = Type::map;
  row.secrecy = Secrecy::secret;
  return row;
}
constexpr Setting records(Sv path, std::span<const Setting> fields, Put store, Sv about) {
  Setting row = text(path, "[]", store, about, nullptr);
  row.type = Type::records;
  row.fields = fields;
  return row;
}
constexpr Setting gone(Setting row, Sv why) {
  row.gone = why;
  return row;
}
constexpr Setting secret(Setting row) {
  row.secrecy = Secrecy::secret;
  return row;
}
constexpr Setting required(Setting row) {
  row.need = Setting::Need::required;
  return row;
}
constexpr Setting checked(Setting row, Check check) {
  row.check = check;
  return row;
}
constexpr Setting whole_record(Setting row, RecordCheck check) {
  row.check_record = check;
  return row;
}

constexpr std::array kPatternFields = {
    required(choice("type", {}, kPromptTypes, put<&DetectorPattern::type>, "What a match asks for")),
    required(text("pattern", {}, put<&DetectorPattern::pattern>,
                  "Regular expression (RE2) for the text on the screen")),
    decimal("confidence", "0.90", {0.05, 0.95}, put<&DetectorPattern::confidence>, "How sure a match is"),
    boolean("secret", "false", put<&DetectorPattern::secret>, "The answer is a secret"),
};

enum RuleField {
  kRuleCommand,
  kRuleCwd,
  kRuleType,
  kRuleText,
  kRuleConfidence,
  kRuleAnswer,
  kRuleMax,
  kRuleAction
};

constexpr std::array kRuleFields = {
    text("command", {}, put<&PromptRule::command>, "Only for this program (its name, or its whole path)"),
    text("cwd", {}, put<&PromptRule::cwd>, "Only in this folder and below"),
    choice("type", {}, kPromptTypes, put<&PromptRule::type>, "Only for prompts of this type"),
    text("text", {}, put<&PromptRule::text>, "Only if this regular expression (RE2) matches the question"),
    decimal("min_confidence", "0.0", kFraction, put<&PromptRule::min_confidence>,
            "Only from this confidence on"),
    text("answer", {}, put<&PromptRule::answer>, "Answers with this", nullptr),
    whole("max", {}, kCount, put<&PromptRule::max>, "Answers at most this many times in a session"),
    choice("action", {}, kAskOrIgnore, put<&PromptRule::action>,
           "Instead of an answer: ask a person, or do nothing"),
};

std::optional<std::string> check_rule(const Record& rule) {
  if (rule[kRuleAnswer].is_set() == rule[kRuleAction].is_set()) return "wants either 'answer' or 'action'";
  if (rule[kRuleMax].is_set() && !rule[kRuleAnswer].is_set()) return "has 'max' without 'answer'";
  return {};
}

constexpr std::array kSections = {
    Section{"event_loop", "What `tend loop` repeats, and when it stops."},
    Section{"cli", "The agent that `tend loop` runs."},
    Section{"session", "Sessions and their terminals."},
    Section{"input_filter", "What browsers may not type into an agent."},
    Section{"detector", "When a program counts as waiting for a person."},
    Section{"prompts", "What happens to a prompt that was found."},
    Section{"supervision", "Parts of the daemon that stop making progress."},
    Section{"channels", "Where prompts are sent."},
    Section{"web", "The server for browsers, `tend serve`."},
    Section{"sandbox", "The cage of a session, `tend run --sandbox`."},
    Section{"store", "The database."},
    Section{"audit", "The audit trail."},
    Section{"evidence", "Evidence packs."},
};

constexpr auto kEventLoop = &Config::event_loop;
constexpr auto kCli = &Config::cli;
constexpr auto kSession = &Config::session;
constexpr auto kFilter = &Config::input_filter;
constexpr auto kDetector = &Config::detector;
constexpr auto kPrompts = &Config::prompts;
constexpr auto kSupervision = &Config::supervision;
constexpr auto kChannels = &Config::channels;
constexpr auto kWeb = &Config::web;
constexpr auto kSandbox = &Config::sandbox;

constexpr std::array kSettings = {
    text("event_loop.prompt", {}, put<kEventLoop, &EventLoop::prompt>,
         "The prompt itself; goes before `prompt_file`"),
    text("event_loop.prompt_file", "PROMPT.md", put<kEventLoop, &EventLoop::prompt_file>,
         "File with the prompt, from the loop's folder"),
    text("event_loop.completion_promise", "LOOP_COMPLETE", put<kEventLoop, &EventLoop::completion_promise>,
         "What the agent prints when all is done"),
    choice("event_loop.promise_match", "line", kLineOrAnywhere, put<kEventLoop, &EventLoop::promise_match>,
           "The promise counts alone on its line, or anywhere in the output"),
    text("event_loop.verify", {}, put<kEventLoop, &EventLoop::verify>,
         "Command that must succeed before a promise is believed"),
    whole("event_loop.max_iterations", "100", kCount, put<kEventLoop, &EventLoop::max_iterations>,
          "Iterations"),
    whole("event_loop.max_runtime_seconds", "14400", {1, kYear}, put<kEventLoop, &EventLoop::max_runtime>,
          "Runtime of the whole loop"),
    whole("event_loop.max_consecutive_failures", "5", kCount,
          put<kEventLoop, &EventLoop::max_consecutive_failures>, "Failures in a row"),
    whole("event_loop.cooldown_delay_seconds", "0", {0, kDay}, put<kEventLoop, &EventLoop::cooldown_delay>,
          "Pause between iterations"),
    choice("event_loop.on_prompt", "ask", kAskOrIgnore, put<kEventLoop, &EventLoop::on_prompt>,
           "What to do when the agent asks something"),
    choice("event_loop.on_limit", "wait", kWaitOrStop, put<kEventLoop, &EventLoop::on_limit>,
           "What to do at the backend's usage limit"),

    choice("cli.backend", "claude", kBackends, put<kCli, &Cli::backend>, "Which agent"),
    text("cli.command", {}, put<kCli, &Cli::command>,
         "Program to start instead of the backend's own; `custom` needs it"),
    list("cli.args", put<kCli, &Cli::args>, "More arguments for it"),
    choice("cli.prompt_mode", "arg", kPromptModes, put<kCli, &Cli::prompt_mode>,
           "How a `custom` agent gets the prompt"),
    text("cli.prompt_flag", {}, put<kCli, &Cli::prompt_flag>,
         "Option that stands before a `custom` agent's prompt"),
    boolean("cli.pty_mode", "false", put<kCli, &Cli::pty_mode>, "Run the agent in a terminal"),
    boolean("cli.pty_interactive", "true", put<kCli, &Cli::pty_interactive>, "Pass keys on to it"),
    whole("cli.idle_timeout_secs", "30", {0, 7 * kDay}, put<kCli, &Cli::idle_timeout>,
          "End it after so long without output or keys; 0: never"),

    boolean("session.auto_restart", "false", put<kSession, &Session::auto_restart>,
            "Start the program again when it ends"),
    whole("session.restart_delay_ms", "1000", kMilliseconds, put<kSession, &Session::restart_delay>,
          "Pause before that"),
    choice("session.resize", "smallest", kResizes, put<kSession, &Session::resize>,
           "Whose window decides the size"),
    whole("session.scrollback_rows", "10000", {0, 1'000'000}, put<kSession, &Session::scrollback_rows>,
          "Rows kept above the screen"),
    checked(whole("session.journal_bytes", "1048576", {65'536, 1'073'741'824},
                  put<kSession, &Session::journal_bytes>,
                  "Output kept on disk for each terminal; a power of two"),
            check_power_of_two),
    whole("session.read_max_bytes", "102400", {1, 1'048'576}, put<kSession, &Session::read_max_bytes>,
          "Output that one `tend read` gives"),
    whole("session.keep_exited_secs", "3600", {0, kYear}, put<kSession, &Session::keep_exited>,
          "How long a dead terminal can still be read"),
    text("session.detach_key", "ctrl-]", put_as<key_byte, kSession, &Session::detach_key>,
         "Key that detaches: `ctrl-` and a letter or one of `\\ ] ^ _`, or `off`", check_key),
    whole("session.cols", "120", {1, 1000}, put<kSession, &Session::cols>, "Width when nobody is attached"),
    whole("session.rows", "30", {1, 1000}, put<kSession, &Session::rows>, "Height when nobody is attached"),
    map("session.env", put<kSession, &Session::env>, "More environment for programs"),
    whole("session.session_max_age_hours", "24", {1, 8784}, put<kSession, &Session::max_age>,
          "How long ended sessions are remembered"),

    whole("input_filter.ctrl_c_debounce_ms", "500", {0, 60'000}, put<kFilter, &InputFilter::ctrl_c_debounce>,
          "A second Ctrl+C within this time does not pass"),
    list("input_filter.block_sequences", put_each<sequence_bytes, kFilter, &InputFilter::block_sequences>,
         R"(More sequences to block; `\x03 \r \n \t \e \\` are escapes)", check_sequence),
    whole("input_filter.partial_hold_ms", "500", {0, 60'000}, put<kFilter, &InputFilter::partial_hold>,
          "How long the start of a sequence is held back"),
    choice("input_filter.anchor", "line", kLineOrAnywhere, put<kFilter, &InputFilter::anchor>,
           "Words are blocked as a whole line, or anywhere"),

    boolean("detector.enabled", "true", put<kDetector, &Detector::enabled>,
            "Watch programs for questions; without it their state is unknown"),
    decimal("detector.stuck_timeout_seconds", "2.0", {0.1, 3600}, put<kDetector, &Detector::stuck_timeout>,
            "Silence that counts as waiting where the kernel cannot be asked"),
    gone(
        decimal("detector.stuck_poll_interval_seconds", "0.5", {0, 3600}, nullptr, "Has no meaning any more"),
        "has no meaning any more: nothing polls"),
    records("detector.patterns", kPatternFields, put<kDetector, &Detector::patterns>,
            "More patterns of prompts"),
    whole("detector.echo_suppression_ms", "500", {0, 60'000}, put<kDetector, &Detector::echo_suppression>,
          "How long the echo of an answer is not taken for a prompt"),
    whole("detector.buffer_bytes", "65536", {1024, 16'777'216}, put<kDetector, &Detector::buffer_bytes>,
          "How far back it looks, in bytes"),
    whole("detector.buffer_lines", "200", {1, 10'000}, put<kDetector, &Detector::buffer_lines>,
          "How far back it looks, in lines"),
    decimal("detector.high_threshold", "0.85", kFraction, put<kDetector, &Detector::high_threshold>,
            "Confidence at which one signal is enough"),
    decimal("detector.med_threshold", "0.60", kFraction, put<kDetector, &Detector::med_threshold>,
            "Confidence at which two signals are enough"),

    whole("prompts.timeout_seconds", "300", {1, 30 * kDay}, put<kPrompts, &Prompts::timeout>,
          "How long a prompt can be answered"),
    whole("prompts.inject_settle_ms", "100", {0, 60'000}, put<kPrompts, &Prompts::inject_settle>,
          "Pause after an answer is written"),
    decimal("prompts.injection_timeout_seconds", "5.0", {0.1, 300},
            put<kPrompts, &Prompts::injection_timeout>, "How long an answer waits for its turn"),
    boolean("prompts.secrets_remote", "false", put<kPrompts, &Prompts::secrets_remote>,
            "Secrets may be answered through channels"),
    choice("prompts.on_expiry", "nothing", kOnExpiry, put<kPrompts, &Prompts::on_expiry>,
           "What to do when nobody answers"),
    whole_record(records("prompts.rules", kRuleFields, put<kPrompts, &Prompts::rules>,
                         "Who answers what; the first that fits decides"),
                 check_rule),

    whole("supervision.task_timeout_seconds", "30", {1, 3600}, put<kSupervision, &Supervision::task_timeout>,
          "Time without progress after which a part is started again, and a keeper not waited for"),
    whole("supervision.max_task_restarts", "3", {0, 1000}, put<kSupervision, &Supervision::max_task_restarts>,
          "How often"),
    decimal("supervision.restart_delay_seconds", "1.0", {0, 3600},
            put<kSupervision, &Supervision::restart_delay>, "Pause before that"),

    file("channels.telegram.token_file", put<kChannels, &Channels::telegram, &Telegram::token_file>,
         "File with the bot's token"),
    list("channels.telegram.allowed_users", put<kChannels, &Channels::telegram, &Telegram::allowed_users>,
         "Who may answer; empty: nobody", check_not_empty),
    text("channels.telegram.api_url", "https://api.telegram.org",
         put<kChannels, &Channels::telegram, &Telegram::api_url>, "Where the Bot API is", check_api_url),
    file("channels.slack.bot_token_file", put<kChannels, &Channels::slack, &Slack::bot_token_file>,
         "File with the bot's token"),
    file("channels.slack.app_token_file", put<kChannels, &Channels::slack, &Slack::app_token_file>,
         "File with the app's token, for Socket Mode"),
    list("channels.slack.allowed_users", put<kChannels, &Channels::slack, &Slack::allowed_users>,
         "Who may answer; empty: nobody", check_not_empty),
    text("channels.slack.api_url", "https://slack.com/api", put<kChannels, &Channels::slack, &Slack::api_url>,
         "Where the Web API is", check_api_url),
    secret(text("channels.webhook.url", {}, put<kChannels, &Channels::webhook, &Webhook::url>,
                "Where events are posted", check_url)),
    file("channels.webhook.secret_file", put<kChannels, &Channels::webhook, &Webhook::secret_file>,
         "File with the key that signs them"),
    text("channels.webhook.listen", {}, put<kChannels, &Channels::webhook, &Webhook::listen>,
         "Address and port where signed answers come in, as `127.0.0.1:8787`"),
    text("channels.webhook.answer_url", {}, put<kChannels, &Channels::webhook, &Webhook::answer_url>,
         "How others reach that, if by another address", check_url),
    choice("channels.webhook.format", "json", kWebhookFormat,
           put<kChannels, &Channels::webhook, &Webhook::format>,
           "What is posted: `text` is for people (ntfy)"),
    whole("channels.request_timeout_seconds", "10", {1, 300}, put<kChannels, &Channels::request_timeout>,
          "Longest request to a channel"),
    file("channels.ca_file", put<kChannels, &Channels::ca_file>,
         "Certificates (PEM) of authorities that are trusted beside the system's own"),

    text("web.host", "127.0.0.1", put<kWeb, &Web::host>, "Address to listen at"),
    whole("web.port", "8888", {0, 65'535}, put<kWeb, &Web::port>, "Port; 0: any that is free"),
    file("web.tls_cert", put<kWeb, &Web::tls_cert>, "Certificate (PEM)"),
    file("web.tls_key", put<kWeb, &Web::tls_key>, "Its key (PEM)"),
    boolean("web.insecure", "false", put<kWeb, &Web::insecure>, "Listen off loopback without TLS"),

    boolean("sandbox.enabled", "false", put<kSandbox, &Sandbox::enabled>, "Every session is in a sandbox"),
    file("sandbox.workspace", put<kSandbox, &Sandbox::workspace>,
         "The folder that may be written; the session's own if not set"),
    choice("sandbox.root", "readonly", kRoots, put<kSandbox, &Sandbox::root>,
           "The host's files: read-only, or under a layer that takes the changes"),
    file("sandbox.overlay_folder", put<kSandbox, &Sandbox::overlay_folder>,
         "Where that layer is kept; if not set it goes with the session"),
    list("sandbox.home", put_each<home_entry_of, kSandbox, &Sandbox::home>,
         "What is seen of the home, `PATH` (read-only) or `PATH:rw`, from the home on", check_home_entry),
    list("sandbox.mounts", put_each<mount_of, kSandbox, &Sandbox::mounts>,
         "More folders inside, `SOURCE:TARGET` or `SOURCE:TARGET:ro`", check_mount),
    choice("sandbox.network", "host", kNetworks, put<kSandbox, &Sandbox::network>,
           "The host's network, none, or HTTP through a proxy"),
    list("sandbox.allow_domains", put<kSandbox, &Sandbox::allow_domains>,
         "What the proxy lets through: `NAME`, `*.NAME`, either with `:PORT`", check_domain),
    whole("sandbox.memory_bytes", "0", {0, 1e15}, put<kSandbox, &Sandbox::memory_bytes>,
          "Most memory, by cgroup v2; 0: no limit"),
    whole("sandbox.max_pids", "0", {0, 4'000'000}, put<kSandbox, &Sandbox::max_pids>,
          "Most processes and threads, by cgroup v2; 0: no limit"),
    whole("sandbox.cpu_percent", "0", {0, 1'000'000}, put<kSandbox, &Sandbox::cpu_percent>,
          "Most of one processor, by cgroup v2; 0: no limit"),
    map("sandbox.env", put<kSandbox, &Sandbox::env>, "More environment inside; `$NAME` is the caller's own"),
    boolean("sandbox.best_effort", "false", put<kSandbox, &Sandbox::best_effort>,
            "Go on without what the kernel refuses"),

    file("store.path", put<&Config::store, &Store::path>,
         "The database file; in the state folder if not set"),
    whole("store.archive_days", "90", {1, 36'500}, put<&Config::store, &Store::archive>,
          "Age at which rows are archived"),

    boolean("audit.keystrokes", "false", put<&Config::audit, &Audit::keystrokes>,
            "Record what people type, not only how much"),

    boolean("evidence.auto", "true", put<&Config::evidence, &Evidence::automatic>,
            "Capture evidence for what agents do"),
    whole("evidence.keep_days", "30", {1, 36'500}, put<&Config::evidence, &Evidence::keep>,
          "Age at which evidence is removed"),
};

}  // namespace

std::span<const Section> sections() { return kSections; }
std::span<const Setting> settings() { return kSettings; }

}  // namespace config
