// SPDX-License-Identifier: Apache-2.0
// `tend channel add`: the service is asked whether the tokens are good before anything is written.
#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/folders.h"
#include "base/programs.h"
#include "base/strings.h"
#include "cli/access.h"
#include "cli/ask_secret.h"
#include "cli/channel_command.h"
#include "cli/channel_settings.h"
#include "cli/report.h"
#include "config/text.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

constexpr size_t kMostSaid = 64 << 10;

// What a kind needs that nobody may see: what `tend-channel --check` calls it, the setting that names its
// file, the question for a person, the option that names a file.
struct Secret {
  std::string_view name;
  std::string_view setting;
  std::string_view question;
  std::optional<std::string> ChannelAddOptions::* file;
};

constexpr std::array<Secret, 1> kTelegram = {
    {{"token", "token_file", "Token of the bot, from @BotFather", &ChannelAddOptions::token_file}}};
constexpr std::array<Secret, 2> kSlack = {
    {{"bot_token", "bot_token_file", "Token of the bot, xoxb-…", &ChannelAddOptions::token_file},
     {"app_token", "app_token_file", "Token of the app, xapp-…", &ChannelAddOptions::app_token_file}}};
constexpr std::array<Secret, 1> kWebhook = {
    {{"secret", "secret_file", "Key that signs what is posted", &ChannelAddOptions::token_file}}};

std::span<const Secret> secrets_of(std::string_view kind) {
  if (kind == "telegram") return kTelegram;
  if (kind == "slack") return kSlack;
  if (kind == "webhook") return kWebhook;
  return {};
}

Result<void> check_usage(const ChannelAddOptions& options) {
  if (secrets_of(options.kind).empty())
    return fail(Code::invalid_param, 0,
                fmt::format("'{}' is no kind of channel: telegram, slack or webhook is wanted",
                            base::printable(options.kind, 40)));
  const bool webhook = options.kind == "webhook";
  if (webhook && !options.url) return fail(Code::invalid_param, 0, "a webhook needs --url");
  if (!webhook && options.kind != "telegram" && options.users.empty())
    return fail(Code::invalid_param, 0, "who may answer? Give --user, once for each");
  return {};
}

// `tend-channel --check KIND`: what goes in and comes out are pipes, because tokens stand there.
Result<json::object> ask_service(const std::string& kind, const json::object& given) {
  auto program = base::find_program("tend-channel");
  if (!program) return fail(program);
  auto in = base::make_pipe();
  auto out = base::make_pipe();
  if (!in || !out) return in ? fail(out) : fail(in);
  const pid_t child = ::fork();
  if (child < 0) return fail(Code::internal, errno, "cannot start tend-channel");
  if (child == 0) {
    for (const auto& [from, to] : {std::pair(in->read_end.get(), 0), std::pair(out->write_end.get(), 1),
                                   std::pair(out->write_end.get(), 2)}) {
      ::fcntl(from, F_SETFL, 0);
      ::dup2(from, to);
    }
    ::close_range(3, ~0U, 0);
    ::execl(program->c_str(), program->c_str(), "--check", kind.c_str(), nullptr);
    ::_exit(127);
  }
  in->read_end.reset();
  out->write_end.reset();
  const auto written = base::write_all(in->write_end.get(), json::serialize(given));
  in->write_end.reset();
  std::string said;
  std::array<char, 4096> piece{};
  // The check has deadlines of its own.
  ::fcntl(out->read_end.get(), F_SETFL, 0);
  for (ssize_t n = 1; n != 0 && said.size() < kMostSaid;) {
    n = ::read(out->read_end.get(), piece.data(), piece.size());
    if (n < 0 && errno != EINTR) break;
    if (n > 0) said.append(piece.data(), static_cast<size_t>(n));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  boost::system::error_code wrong;
  const json::value answer = json::parse(said, wrong);
  if (!written || !WIFEXITED(status) || WEXITSTATUS(status) != 0 || wrong || !answer.is_object())
    return fail(Code::internal, 0, base::printable(base::trim(said), 400));
  return answer.get_object();
}

Result<std::string> absolute(const std::string& path) {
  std::error_code wrong;
  const auto whole = std::filesystem::absolute(path, wrong);
  if (wrong) return fail(Code::invalid_param, wrong.value(), "there is no file " + path);
  return whole.string();
}

// The tokens, for the check; those that are typed are to be written to files of ours.
struct Given {
  json::object check;
  std::vector<std::string> lines;                               // of the configuration
  std::vector<std::pair<std::string, std::string>> files = {};  // paths, and what goes into them
};

Result<Given> gather(const ChannelAddOptions& options, const base::Folders& folders) {
  Given given;
  for (const Secret& each : secrets_of(options.kind)) {
    std::string path = fmt::format("{}/{}.{}", folders.config, options.kind, each.name);
    if (options.*each.file) {
      auto whole = absolute(*(options.*each.file));
      if (!whole) return fail(whole);
      path = *whole;
      given.check[fmt::format("{}_file", each.name)] = path;
    } else {
      auto secret = ask_secret(std::string(each.question));
      if (!secret) return fail(secret);
      given.check[each.name] = *secret;
      given.files.emplace_back(path, *secret + "\n");
    }
    given.lines.push_back(fmt::format("{}: {}", each.setting, config::yaml_text(path)));
  }
  const auto text = [&](std::string_view name, const std::optional<std::string>& value) {
    if (!value) return;
    given.check[name] = *value;
    given.lines.push_back(fmt::format("{}: {}", name, config::yaml_text(*value)));
  };
  text("api_url", options.api_url);
  text("url", options.url);
  text("listen", options.listen);
  return given;
}

// Telegram's users are numbers that few people know: the first who writes to the bot is asked about.
Result<std::vector<std::string>> find_users(const ChannelAddOptions& options, Given& given,
                                            const std::string& bot) {
  if (!options.users.empty() || options.kind == "webhook") return options.users;
  if (::isatty(STDERR_FILENO) == 1)
    fmt::print(stderr, "Send any message to {} now, from the account that is to answer ...\n", bot);
  given.check["find_user"] = true;
  auto found = ask_service(options.kind, given.check);
  if (!found) return fail(found);
  const auto user = wire::text(*found, "user");
  if (!user)
    return fail(
        Code::invalid_param, 0,
        fmt::format("nobody wrote to {}; try again, or give the number of the user with --user", bot));
  fmt::print("{} ({}) may answer\n", base::printable(wire::text(*found, "user_name").value_or("?"), 80),
             *user);
  return std::vector{*user};
}

Result<void> tell_daemon() {
  auto client = reach_running_daemon();
  // The next daemon reads the settings anyway.
  if (!client) return {};
  auto done = client->call("channel.reload", {});
  if (!done) return fail(done);
  return {};
}

Result<int> add(const ChannelAddOptions& options) {
  if (auto good = check_usage(options); !good) return fail(good);
  auto folders = base::find_folders(std::getenv);
  if (!folders) return fail(folders);
  auto given = gather(options, *folders);
  if (!given) return fail(given);
  auto known = ask_service(options.kind, given->check);
  if (!known) return fail(known);
  const std::string name = base::printable(wire::text(*known, "name").value_or(options.kind), 80);
  auto users = find_users(options, *given, name);
  if (!users) return fail(users);
  if (!users->empty()) {
    std::string list;
    for (const std::string& each : *users)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", config::quote(each));
    given->lines.push_back(fmt::format("allowed_users: [{}]", list));
  }
  if (auto made = base::make_private_folder(folders->config); !made) return fail(made);
  const std::string file = folders->config + "/config.yml";
  for (const auto& [path, text] : given->files)
    if (auto written = write_private(path, text); !written) return fail(written);
  if (auto written = write_channel(file, options.kind, given->lines); !written) return fail(written);
  if (auto told = tell_daemon(); !told) return fail(told);
  fmt::print("{} is set up in {}.\nTry it with: tend channel test {}\n", name, file, options.kind);
  return kDone;
}

}  // namespace

int add_channel(const ChannelAddOptions& options) { return finish(add(options)); }

}  // namespace cli
