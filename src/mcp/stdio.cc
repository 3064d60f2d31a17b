// SPDX-License-Identifier: Apache-2.0
#include "mcp/stdio.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "mcp/line_reader.h"

namespace mcp {
namespace {

using base::Code;
using base::fail;
using base::Result;
using base::log::Level;
using std::chrono::milliseconds;

// While so much waits to be read, nothing more is taken from anybody.
constexpr size_t kMuchOutput = 1 << 20;
// After the client has closed its end, for what is still under way.
constexpr std::chrono::seconds kLastWait{2};

// So much, and no more, can be written to a pipe that poll() calls ready without waiting; a socket is asked
// not to wait.
Result<size_t> write_some(int fd, std::string_view bytes) {
  ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (n < 0 && errno == ENOTSOCK) n = ::write(fd, bytes.data(), std::min<size_t>(bytes.size(), PIPE_BUF));
  if (n >= 0) return static_cast<size_t>(n);
  if (errno == EAGAIN || errno == EINTR) return 0;
  return fail(Code::internal, errno, "cannot write the answer");
}

class Talk {
 public:
  Talk(ServerOptions options, Streams streams) : streams_(streams), server_(std::move(options), clock_) {}

  Server& server() { return server_; }

  Result<void> run() {
    for (;;) {
      if (ended() || out_gone_) return {};
      if (auto turned = turn(); !turned) return turned;
    }
  }

 private:
  bool ended() const { return end_ && (clock_.now() >= *end_ || (server_.idle() && unsent() == 0)); }
  bool full() const { return unsent() > kMuchOutput; }
  size_t unsent() const { return server_.output().size() - sent_; }

  Result<void> turn() {
    const bool full = this->full();
    std::vector<pollfd> watched;
    watched.push_back({closed_ || full || lines_wait_ ? -1 : streams_.in, POLLIN, 0});
    watched.push_back({streams_.out, static_cast<short>(unsent() > 0 ? POLLOUT : 0), 0});
    std::vector<std::list<Link>::iterator> links;
    for (auto link = server_.links().begin(); link != server_.links().end(); ++link) {
      const bool more = link->client.waiting_output() > 0;
      watched.push_back(
          {full ? -1 : link->client.fd(), static_cast<short>(POLLIN | (more ? POLLOUT : 0)), 0});
      links.push_back(link);
    }
    if (::poll(watched.data(), watched.size(), wait_ms()) < 0 && errno != EINTR)
      return fail(Code::internal, errno, "cannot wait");
    // A link that the server lets go while it hears of another is not among those that come later: each is
    // only touched by its own news, and by lines, which come last.
    for (size_t i = 0; i < links.size(); i++)
      if (watched[i + 2].revents != 0) server_.take_news(links[i]);
    server_.on_time();
    if (watched[0].revents != 0) take_input();
    take_lines();
    if ((watched[1].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) out_gone_ = true;
    if (watched[1].revents != 0) send_output();
    return {};
  }

  int wait_ms() const {
    if (lines_wait_ && !full()) return 0;
    auto next = server_.next();
    if (end_ && (!next || *end_ < *next)) next = end_;
    if (!next) return -1;
    const auto left = std::chrono::ceil<milliseconds>(*next - clock_.now()).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
  }

  void take_input() {
    std::array<char, 64 << 10> buffer;
    const ssize_t n = ::read(streams_.in, buffer.data(), buffer.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n > 0) return reader_.append({buffer.data(), static_cast<size_t>(n)});
    closed_ = true;
  }

  // A few bytes may ask for much, so each line is taken only when there is room for an answer.
  void take_lines() {
    for (lines_wait_ = true; !full();) {
      auto line = reader_.next();
      if (!line && closed_) line = reader_.rest();
      if (!line) {
        lines_wait_ = false;
        break;
      }
      take(*line);
    }
    if (closed_ && !lines_wait_ && !end_) end_ = clock_.now() + kLastWait;
  }

  void take(const Line& line) {
    if (line.kind == Line::Kind::too_long) return server_.refuse_long_line();
    server_.take_line(line.text);
  }

  void send_output() {
    std::string& output = server_.output();
    while (unsent() > 0) {
      auto sent = write_some(streams_.out, std::string_view(output).substr(sent_));
      // Nobody reads any more.
      if (!sent) {
        out_gone_ = true;
        return;
      }
      sent_ += *sent;
      pollfd more{streams_.out, POLLOUT, 0};
      if (*sent == 0 || ::poll(&more, 1, 0) != 1) break;
    }
    if (sent_ == output.size()) {
      output.clear();
      sent_ = 0;
    } else if (sent_ > kMuchOutput) {
      output.erase(0, std::exchange(sent_, 0));
    }
  }

  base::RealClock clock_;
  Streams streams_;
  Server server_;
  LineReader reader_;
  size_t sent_ = 0;
  bool lines_wait_ = false;  // for room
  bool closed_ = false;      // by the client
  std::optional<base::Moment> end_;
  bool out_gone_ = false;
};

}  // namespace

Result<void> serve(ServerOptions options, Streams streams) {
  Talk talk(std::move(options), streams);
  // Standard output belongs to the protocol.
  base::log::set_sink(
      [&](Level level, std::string_view line) {
        if (level >= Level::warning) fmt::print(stderr, "tend mcp: {}\n", line);
        talk.server().tell_log(level, line);
      },
      Level::debug);
  auto ran = talk.run();
  base::log::set_sink({}, Level::error);
  return ran;
}

}  // namespace mcp
