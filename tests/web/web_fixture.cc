// SPDX-License-Identifier: Apache-2.0
#include "web_fixture.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdio>
#include <filesystem>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/strings.h"

namespace web_test {

std::string quoted(const std::string& text) { return base::shell_quote(text); }

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string output;
  std::array<char, 65536> buffer;
  size_t count = 0;
  while ((count = ::fread(buffer.data(), 1, buffer.size(), pipe)) > 0) output.append(buffer.data(), count);
  ::pclose(pipe);
  return output;
}

std::string Answer::header(const std::string& name) const {
  const size_t at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const size_t begin = at + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

json::value Answer::value() const {
  boost::system::error_code wrong;
  const json::value parsed = json::parse(body, wrong);
  EXPECT_FALSE(wrong) << body;
  return parsed;
}

std::string Answer::code() const {
  boost::system::error_code wrong;
  const json::value parsed = json::parse(body, wrong);
  if (wrong || !parsed.is_object() || !parsed.as_object().contains("error")) return "";
  return std::string(parsed.at_pointer("/error/code").as_string());
}

void WebTest::SetUp() {
  host_test::DaemonTest::SetUp();
  const json::object opened = serve();
  token_ = opened.at("token").as_string();
  token_id_ = opened.at("token_id").as_string();
  port_ = opened.at("port").as_int64();
}

json::object WebTest::serve(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"serve", "--json"};
  if (port_ == 0 && std::find(more.begin(), more.end(), "--port") == more.end())
    arguments.insert(arguments.end(), {"--port", "0"});
  else if (port_ != 0)
    arguments.insert(arguments.end(), {"--port", std::to_string(port_)});
  arguments.insert(arguments.end(), more.begin(), more.end());
  const auto ran = home_.tend(arguments);
  EXPECT_EQ(ran.status, 0) << ran.output;
  boost::system::error_code wrong;
  const json::value said = json::parse(ran.output, wrong);
  EXPECT_FALSE(wrong) << ran.output;
  return wrong ? json::object() : said.as_object();
}

Answer WebTest::curl(const std::vector<std::string>& arguments, const std::string& path) {
  std::string command = "curl -s -i --max-time 40 --path-as-is";
  for (const std::string& each : arguments) command += " " + quoted(each);
  command += " " + quoted(path.starts_with("http") ? path : origin() + path);
  const std::string said = output_of(command);
  Answer answer;
  const size_t end = said.find("\r\n\r\n");
  if (end == std::string::npos || !said.starts_with("HTTP/1.1 ")) return answer;
  answer.status = base::parse_number<int>(said.substr(9, 3), 100, 599).value_or(0);
  answer.head = said.substr(0, end + 2);
  answer.body = said.substr(end + 4);
  return answer;
}

Answer WebTest::post(const std::string& path, const json::object& body) {
  return curl({"-H", bearer(), "-H", "Content-Type: application/json", "-d", json::serialize(body)}, path);
}

std::string WebTest::cookie() {
  const Answer answer = curl({}, "/?token=" + token_);
  EXPECT_EQ(answer.status, 303) << answer.body;
  const std::string set = answer.header("Set-Cookie");
  return set.substr(0, set.find(';'));
}

json::object WebTest::client(const std::string& query, const json::array& steps, json::object options) {
  if (!options.contains("url")) options["url"] = "ws://127.0.0.1:" + std::to_string(port_) + "/ws?" + query;
  if (!options.contains("headers")) options["headers"] = json::object{{"Authorization", "Bearer " + token_}};
  const std::string said = output_of("cd '" WEB_PACKAGES "' && " NODE " client.mjs " +
                                     quoted(json::serialize(options)) + " " + quoted(json::serialize(steps)));
  boost::system::error_code wrong;
  const json::value seen = json::parse(said, wrong);
  EXPECT_FALSE(wrong) << said;
  if (wrong) return {};
  EXPECT_TRUE(seen.at("failed").is_null()) << json::serialize(steps) << "\n" << said.substr(0, 4000);
  return seen.as_object();
}

json::value WebTest::closed_by(const std::string& words, const std::string& query, json::array steps) {
  const std::string attached = home_.file("attached");
  std::filesystem::remove(attached);
  steps.insert(steps.begin(), json::object{{"hears", "hello"}});
  steps.push_back(json::object{{"touch", attached}});
  steps.push_back(json::object{{"closed", true}});
  const pid_t other = ::fork();
  if (other == 0) {
    const std::string line = "until [ -e " + quoted(attached) +
                             " ]; do sleep 0.05; done; exec env TEND_HOME=" + quoted(home_.path()) +
                             " " TEND " " + words + " > /dev/null";
    ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(127);
  }
  const json::object seen = client(query, steps);
  int status = 0;
  ::waitpid(other, &status, 0);
  EXPECT_EQ(status, 0) << words;
  return seen.contains("closed") ? seen.at("closed") : json::value(nullptr);
}

json::array WebTest::messages(const json::object& seen, std::string_view type) {
  json::array found;
  for (const json::value& each : seen.at("messages").as_array())
    if (each.at("type").as_string() == type) found.push_back(each);
  return found;
}

base::Fd WebTest::connected() const {
  base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<uint16_t>(port_));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) return {};
  return socket;
}

std::string WebTest::all_of(int fd, std::chrono::seconds deadline) {
  std::string all;
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (std::chrono::steady_clock::now() < end) {
    pollfd wait{fd, POLLIN, 0};
    if (::poll(&wait, 1, 100) <= 0) continue;
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count <= 0) return all;
    all.append(buffer.data(), static_cast<size_t>(count));
  }
  return "(not closed) " + all;
}

}  // namespace web_test
