// SPDX-License-Identifier: Apache-2.0
#include "racers.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "channel/telegram_text.h"
#include "channel/webhook_text.h"

namespace media_test {
namespace {

constexpr timeval kDeadline{.tv_sec = 30, .tv_usec = 0};

Heard outcome_of(std::string_view word) {
  if (word == "accepted") return Heard::accepted;
  if (word == "rejected") return Heard::rejected;
  return word == "unknown" ? Heard::unknown : Heard::nothing;
}

// The whole answer of a server that closes the connection behind it.
std::string ask(uint16_t port, const std::string& request) {
  const base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kDeadline, sizeof kDeadline);
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return "";
  if (!base::write_all(socket.get(), request)) return "";
  std::string answer;
  char piece[4096];
  for (ssize_t n = 0; (n = ::recv(socket.get(), piece, sizeof piece, 0)) > 0;)
    answer.append(piece, static_cast<size_t>(n));
  return answer;
}

}  // namespace

std::string tap(channel_test::BotServer& bot, int64_t user, const Target& target, uint32_t choice) {
  return bot.press_data(user, channel::callback_data({.prompt = target.prompt,
                                                      .nonce = target.nonce,
                                                      .what = channel::Press::What::choice,
                                                      .choice = choice}));
}

Heard tap_heard(const channel_test::BotServer& bot, const std::string& press) {
  const auto text = bot.alert(press);
  if (!text) return Heard::nothing;
  if (*text == "Done.") return Heard::accepted;
  if (text->starts_with("The program took it")) return Heard::rejected;
  if (text->starts_with("It was sent")) return Heard::unknown;
  return Heard::refused;
}

Heard post_answer(const Hook& hook, const Target& target, const std::string& answer) {
  const std::string base = fmt::format("http://127.0.0.1:{}", hook.port);
  const std::string url = channel::answer_url(
      base, hook.key, {.prompt = target.prompt, .nonce = target.nonce, .expires = target.expires});
  const std::string body = "answer=" + answer;
  const std::string said =
      ask(hook.port, fmt::format("POST {} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                                 "Content-Type: application/x-www-form-urlencoded\r\n"
                                 "Content-Length: {}\r\n\r\n{}",
                                 url.substr(base.size()), body.size(), body));
  const size_t space = said.find(' ');
  const size_t end = said.find("\r\n\r\n");
  if (space == std::string::npos || end == std::string::npos) return Heard::nothing;
  const std::string status = said.substr(space + 1, 3);
  if (status == "200") return outcome_of(said.substr(end + 4, said.find('\n', end + 4) - end - 4));
  if (status == "403" || status == "410") return Heard::turned_off;
  return Heard::refused;
}

Command::Command(const std::string& prompt, const std::string& value)
    : output_(::memfd_create("answer", MFD_CLOEXEC)) {
  const char* argv[] = {TEND, "answer", prompt.c_str(), value.c_str(), "--json", nullptr};
  pid_ = ::fork();
  if (pid_ != 0) return;
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, 0);
  ::dup2(output_, 1);
  ::dup2(null, 2);
  ::close_range(3, ~0U, 0);
  ::execv(argv[0], const_cast<char**>(argv));
  ::_exit(127);
}

Heard Command::heard() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  char text[4096] = {};
  const ssize_t n = ::pread(output_, text, sizeof text - 1, 0);
  ::close(output_);
  const std::string_view said(text, n > 0 ? static_cast<size_t>(n) : 0);
  for (const char* word : {"accepted", "rejected", "unknown"})
    if (said.find(fmt::format("\"outcome\":\"{}\"", word)) != std::string_view::npos) return outcome_of(word);
  return WIFEXITED(status) && WEXITSTATUS(status) != 127 ? Heard::refused : Heard::nothing;
}

}  // namespace media_test
