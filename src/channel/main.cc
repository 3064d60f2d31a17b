// SPDX-License-Identifier: Apache-2.0
// The program `tend-channel KIND`: one channel, started by the daemon and ended with it. Its standard input
// is a pipe that the daemon holds: when that closes, the daemon is gone. `tend-channel --check KIND` asks the
// service about the tokens on its standard input, for `tend channel add`, and prints a line of JSON.
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/folders.h"
#include "base/log.h"
#include "channel/kinds.h"
#include "channel/silent.h"
#include "config/load.h"

namespace channel {
namespace {

using base::fail;
using base::Result;
namespace json = boost::json;

constexpr int kBadUsage = 2;
constexpr size_t kMostInput = 64 << 10;

void log_to_stderr() {
  base::log::set_sink(
      [](base::log::Level level, std::string_view line) {
        const std::time_t now = std::time(nullptr);
        std::tm utc{};
        ::gmtime_r(&now, &utc);
        fmt::print(stderr, "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z {} {}\n", utc.tm_year + 1900, utc.tm_mon + 1,
                   utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, base::log::level_name(level), line);
      },
      base::log::Level::info);
}

// Tokens are in this memory: no core of it is written.
void keep_to_itself() {
  ::signal(SIGPIPE, SIG_IGN);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

Result<config::Config> read_config(const base::Folders& folders) {
  const char* home = std::getenv("HOME");
  auto loaded =
      config::load({.user_file = folders.config + "/config.yml", .home = home != nullptr ? home : ""});
  if (!loaded) return fail(loaded);
  const auto& ca_file = loaded->config.channels.ca_file;
  if (ca_file && ::access(ca_file->c_str(), R_OK) != 0)
    return fail(base::Code::invalid_param, errno, "channels.ca_file: " + *ca_file);
  return std::move(loaded->config);
}

Result<int> serve(const Kind& kind) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto folders = base::find_folders(std::getenv);
  if (!folders) return fail(folders);
  auto config = read_config(*folders);
  auto client = wire::Client::connect(
      folders->runtime + "/tend.sock",
      {.agent = fmt::format("channel:{}", kind.name), .channel = std::string(kind.name)});
  if (!client) return fail(client);
  const config::Config settings = config ? std::move(*config) : config::defaults().config;

  event::Loop loop;
  event::Watch daemon(loop, STDIN_FILENO, [&](event::Ready) { loop.stop(); });
  daemon.want({.input = true});
  Http http(loop, settings.channels.request_timeout, settings.channels.ca_file);
  Desk desk(loop, std::move(*client),
            {.kind = std::string(kind.name),
             .report_every = base::Duration(settings.supervision.task_timeout) * 2 / 5,
             .secrets_remote = settings.prompts.secrets_remote});
  auto made = config ? kind.make({.desk = desk, .http = http, .config = settings})
                     : Result<std::unique_ptr<Medium>>(std::unexpected(config.error()));
  // With settings that will not do there is nothing to try again: it says so until they are better.
  const std::unique_ptr<Medium> medium =
      made ? std::move(*made) : std::make_unique<Silent>(made.error().message());
  Result<int> code = 0;
  desk.open(*medium, [&](const base::Error& error) {
    code = std::unexpected(error);
    loop.stop();
  });
  loop.run();
  return code;
}

std::string read_input() {
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t count = 1; count > 0 && text.size() < kMostInput;) {
    count = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (count > 0) text.append(piece.data(), static_cast<size_t>(count));
  }
  return text;
}

// {"timeout_seconds":10, and what the kind wants}
Result<int> check(const Kind& kind) {
  boost::system::error_code wrong;
  const json::value given = json::parse(read_input(), wrong);
  if (wrong || !given.is_object()) return fail(base::Code::invalid_param, 0, "an object is wanted");
  const json::value* timeout = given.get_object().if_contains("timeout_seconds");
  auto folders = base::find_folders(std::getenv);
  if (!folders) return fail(folders);
  auto config = read_config(*folders);
  if (!config) return fail(config);
  event::Loop loop;
  Http http(loop, std::chrono::seconds(timeout != nullptr && timeout->is_int64() ? timeout->get_int64() : 10),
            config->channels.ca_file);
  Result<json::object> result = fail(base::Code::internal, 0, "there was no answer");
  kind.check(http, loop, given.get_object(), [&](Result<json::object> checked) {
    result = std::move(checked);
    loop.stop();
  });
  loop.run();
  if (!result) return fail(result);
  fmt::print("{}\n", json::serialize(*result));
  return 0;
}

int run(int argc, char** argv) {
  const bool checks = argc == 3 && std::string_view(argv[1]) == "--check";
  const Kind* kind = argc == 2 || checks ? find_kind(argv[argc - 1]) : nullptr;
  if (kind == nullptr) {
    fmt::print(stderr, "tend-channel is started by tend's daemon; see 'tend channel'\n");
    return kBadUsage;
  }
  keep_to_itself();
  log_to_stderr();
  const auto code = checks ? check(*kind) : serve(*kind);
  if (code) return *code;
  fmt::print(stderr, "{}\n", code.error().message());
  return 1;
}

}  // namespace
}  // namespace channel

int main(int argc, char** argv) {
  try {
    return channel::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tend-channel: %s\n", error.what());
    return 1;
  }
}
