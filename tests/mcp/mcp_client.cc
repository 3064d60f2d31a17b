// SPDX-License-Identifier: Apache-2.0
#include "mcp_client.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/wait.h"

namespace mcp_test {

McpClient::McpClient() {
  int in[2];
  int out[2];
  EXPECT_EQ(0, ::pipe2(in, O_CLOEXEC));
  EXPECT_EQ(0, ::pipe2(out, O_CLOEXEC));
  const char* folder = std::getenv("TMPDIR");
  err_ = base::Fd(::open(folder != nullptr ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    ::dup2(err_.get(), 2);
    ::execl(TEND, TEND, "mcp", nullptr);
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  in_ = base::Fd(in[1]);
  out_ = base::Fd(out[0]);
}

McpClient::~McpClient() {
  if (!status_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  EXPECT_EQ("", garbage_);
}

void McpClient::write(std::string_view bytes) { (void)base::write_all(in_.get(), bytes); }

int64_t McpClient::request(std::string_view method, json::object params) {
  line(json::serialize(json::object{
      {"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", std::move(params)}}));
  return last_id_;
}

void McpClient::notify(std::string_view method, json::object params) {
  line(json::serialize(json::object{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}));
}

bool McpClient::read_some(int timeout_ms) {
  pollfd ready{out_.get(), POLLIN, 0};
  if (::poll(&ready, 1, timeout_ms) != 1) return true;
  char bytes[64 << 10];
  const ssize_t n = ::read(out_.get(), bytes, sizeof bytes);
  if (n <= 0) return false;
  buffer_.append(bytes, static_cast<size_t>(n));
  for (size_t end = buffer_.find('\n'); end != std::string::npos; end = buffer_.find('\n')) {
    boost::system::error_code wrong;
    json::parse_options options;
    options.max_depth = 64;
    json::value value = json::parse(std::string_view(buffer_).substr(0, end), wrong, {}, options);
    if (!wrong && value.is_object())
      kept_.push_back(std::move(value.get_object()));
    else if (!wrong && value.is_array())
      kept_.push_back({{"batch", std::move(value)}});
    else
      garbage_ += buffer_.substr(0, end + 1);
    buffer_.erase(0, end + 1);
  }
  return true;
}

std::optional<json::object> McpClient::heard(const Fits& fits) {
  const auto end = std::chrono::steady_clock::now() + support::kDeadline;
  for (;;) {
    for (auto each = kept_.begin(); each != kept_.end(); ++each) {
      if (!fits(*each)) continue;
      json::object found = std::move(*each);
      kept_.erase(each);
      return found;
    }
    if (std::chrono::steady_clock::now() >= end || !read_some(100)) return {};
  }
}

std::optional<json::object> McpClient::heard(std::string_view method) {
  return heard([&](const json::object& each) {
    return each.contains("method") && each.at("method").as_string() == method;
  });
}

json::object McpClient::answer(int64_t id) {
  auto found = heard([&](const json::object& each) {
    return each.contains("id") && each.at("id") == id && !each.contains("method");
  });
  EXPECT_TRUE(found) << "no answer to " << id << "\n" << errors();
  return found.value_or(json::object());
}

json::object McpClient::result(std::string_view method, json::object params) {
  json::object whole = answer(request(method, std::move(params)));
  EXPECT_TRUE(whole.contains("result")) << method << ": " << json::serialize(whole);
  return whole.contains("result") ? whole.at("result").as_object() : json::object();
}

int64_t McpClient::error(std::string_view method, json::object params) {
  json::object whole = answer(request(method, std::move(params)));
  EXPECT_TRUE(whole.contains("error")) << method << ": " << json::serialize(whole);
  return whole.contains("error") ? whole.at("error").at("code").as_int64() : 0;
}

int64_t McpClient::error_of_line(std::string_view text) {
  line(text);
  const auto found = heard([](const json::object& each) { return each.contains("error"); });
  return found ? found->at("error").at("code").as_int64() : 0;
}

json::object McpClient::tool(std::string_view name, json::object arguments) {
  json::object said = result("tools/call", {{"name", name}, {"arguments", std::move(arguments)}});
  EXPECT_FALSE(said.contains("isError")) << name << ": " << json::serialize(said);
  return said.contains("structuredContent") ? said.at("structuredContent").as_object() : json::object();
}

std::string McpClient::tool_error(std::string_view name, json::object arguments) {
  json::object said = result("tools/call", {{"name", name}, {"arguments", std::move(arguments)}});
  if (!said.contains("isError")) return "";
  return std::string(said.at("structuredContent").at_pointer("/error/code").as_string());
}

json::object McpClient::initialize(std::string_view version) {
  json::object said = result("initialize", {{"protocolVersion", version},
                                            {"capabilities", json::object()},
                                            {"clientInfo", {{"name", "tester"}, {"version", "1"}}}});
  notify("notifications/initialized");
  return said;
}

std::optional<int> McpClient::wait_exit() {
  support::wait_until([&] {
    read_some(0);
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return status_.has_value();
  });
  return status_;
}

std::string McpClient::errors() const {
  std::string text(static_cast<size_t>(::lseek(err_.get(), 0, SEEK_END)), '\0');
  [[maybe_unused]] const ssize_t n = ::pread(err_.get(), text.data(), text.size(), 0);
  return text;
}

std::string McpTest::spawn(McpClient& client, const std::string& name, const json::array& command) {
  return std::string(
      client.tool("pty_spawn", {{"name", name}, {"command", command}}).at("session").as_string());
}

host_test::Peer McpTest::peer() {
  return host_test::Peer(
      wire::Client::connect(home_.socket(), {.agent = "watcher", .channel = "test"}).value());
}

}  // namespace mcp_test
