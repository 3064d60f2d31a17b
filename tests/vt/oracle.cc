// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/json.h"
#include "support/wait.h"

namespace vt_test {
namespace {

using support::Json;

[[noreturn]] void give_up(const std::string& what) {
  fmt::print(stderr, "oracle: {}\n", what);
  std::abort();
}

void append_event(std::string& out, const Event& event) {
  switch (event.kind) {
    case Event::Kind::output:
      out += fmt::format("o {}\n", event.bytes.size());
      out += event.bytes;
      out += '\n';
      break;
    case Event::Kind::resize:
      out += fmt::format("r {} {}\n", event.cols, event.rows);
      break;
    case Event::Kind::mark:
      break;
  }
}

void append_job(std::string& out, const Job& job) {
  out += fmt::format("job {} {} {}\n", job.recording.cols, job.recording.rows, job.scrollback);
  for (size_t i = 0; i < job.recording.events.size(); i++) {
    append_event(out, job.recording.events[i]);
    if (std::ranges::find(job.looks, i) != job.looks.end()) out += "d\n";
  }
  out += "D\nend\n";
}

std::vector<RowView> read_rows(const Json& json) {
  std::vector<RowView> rows;
  for (const Json& item : json.array()) {
    RowView row{.wrapped = item["wrapped"].boolean(), .cells = {}};
    for (const Json& cell : item["cells"].array())
      row.cells.push_back({.text = cell[0].string(),
                           .width = cell[2].integer(),
                           .style = static_cast<size_t>(cell[1].integer())});
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string read_mode(const Json& json, const std::string& name) {
  const Json& mode = json[name];
  if (mode.is_null()) return "default";
  if (name == "mouseTrackingMode" || name == "mouseEncoding" || name == "cursorStyle") return mode.string();
  return mode.boolean() ? "on" : "off";
}

View read_view(const Json& json) {
  View view{
      .cols = json["cols"].integer(),
      .rows = json["rows"].integer(),
      .alternate = json["buffer"].string() == "alternate",
      .cursor_x = json["cursor"]["x"].integer(),
      .cursor_y = json["cursor"]["y"].integer(),
      .pending_wrap = json["cursor"]["pendingWrap"].boolean(),
      .screen = read_rows(json["screen"]),
      .scrollback_length = static_cast<size_t>(json["scrollbackLength"].integer()),
      .pen = static_cast<size_t>(json["pen"].integer()),
      .scroll_top = json["scrollRegion"][0].integer(),
      .scroll_bottom = json["scrollRegion"][1].integer(),
      .title = json["title"].string(),
      .replies = json["replies"].string(),
  };
  for (const Json& style : json["styles"].array())
    view.styles.push_back({style[0].integer(), style[1].integer(), style[2].integer(), style[3].integer(),
                           style[4].integer(), style[5].string()});
  if (json.has("normalScreen")) view.main_screen = read_rows(json["normalScreen"]);
  if (json.has("scrollback")) view.scrollback = read_rows(json["scrollback"]);
  for (const Json& tab : json["tabs"].array()) view.tabs.push_back(tab.integer());
  for (const char* name :
       {"applicationCursorKeysMode", "applicationKeypadMode", "bracketedPasteMode", "insertMode",
        "mouseTrackingMode", "originMode", "reverseWraparoundMode", "sendFocusMode", "synchronizedOutputMode",
        "wraparoundMode", "cursorHidden", "cursorStyle", "cursorBlink", "mouseEncoding", "newlineMode"})
    view.modes[name] = read_mode(json["modes"], name);
  return view;
}

}  // namespace

Oracle::Oracle() {
  std::signal(SIGPIPE, SIG_IGN);
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) give_up("no pipe");
  pid_ = ::fork();
  if (pid_ < 0) give_up("no process");
  if (pid_ == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    if (::chdir(TEND_ORACLE_PACKAGES) == 0) ::execlp("node", "node", TEND_ORACLE, nullptr);
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  input_ = base::Fd(in[1]);
  output_ = base::Fd(out[0]);
  ::fcntl(input_.get(), F_SETFL, O_NONBLOCK);
}

Oracle::~Oracle() {
  input_.reset();  // its end of input is its sign to go
  ::waitpid(pid_, nullptr, 0);
}

// Writes and reads at once, as either side may wait for the other.
void Oracle::feed_and_read(const std::string& input, size_t lines) {
  size_t written = 0;
  size_t read_lines = 0;
  while (written < input.size() || read_lines < lines) {
    pollfd fds[] = {{output_.get(), POLLIN, 0}, {written < input.size() ? input_.get() : -1, POLLOUT, 0}};
    constexpr int kMilliseconds = static_cast<int>(std::chrono::milliseconds(support::kDeadline).count());
    if (::poll(fds, 2, kMilliseconds) <= 0) give_up("no answer within the deadline");
    if (fds[1].revents != 0) {
      const ssize_t n = ::write(input_.get(), input.data() + written, input.size() - written);
      if (n > 0) written += static_cast<size_t>(n);
      if (n < 0 && errno != EAGAIN) give_up("it has ended");
    }
    if (fds[0].revents != 0) {
      char buffer[65536];
      const ssize_t n = ::read(output_.get(), buffer, sizeof buffer);
      if (n <= 0) give_up("it has ended; are node and the packages of tests/oracle there?");
      read_lines += static_cast<size_t>(std::count(buffer, buffer + n, '\n'));
      pending_.append(buffer, static_cast<size_t>(n));
    }
  }
}

std::vector<Answer> Oracle::run(std::span<const Job> jobs) {
  std::string input;
  for (const Job& job : jobs) append_job(input, job);
  pending_.clear();
  feed_and_read(input, jobs.size());
  std::vector<Answer> answers;
  std::string_view rest = pending_;
  for (size_t i = 0; i < jobs.size(); i++) {
    const size_t end = rest.find('\n');
    const Json answer = Json::parse(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    Answer& result = answers.emplace_back();
    if (answer.has("error")) {
      result.error = answer["error"].string();
      continue;
    }
    for (const Json& dump : answer["dumps"].array()) result.views.push_back(read_view(dump));
  }
  return answers;
}

}  // namespace vt_test
