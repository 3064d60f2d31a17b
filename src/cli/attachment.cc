// SPDX-License-Identifier: Apache-2.0
#include "cli/attachment.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <utility>
#include <vector>

#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
using std::chrono::milliseconds;
namespace json = wire::json;

constexpr size_t kMostPiece = 64 << 10;
constexpr size_t kMostBefore = 16 << 20;
constexpr size_t kMostKeys = 64 << 10;  // that the daemon has not taken; then the terminal waits

uint64_t number(const json::object& object, std::string_view name) {
  return static_cast<uint64_t>(wire::integer(object, name).value_or(0));
}

Result<pty::Journal> open_journal(const std::string& path) {
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return fail(Code::pty_read_failed, errno, "cannot open " + path);
  return pty::Journal::map(file.get(), pty::Journal::Access::read);
}

// Where the detach key stands in what was typed: as a byte, or as the keyboard protocols write it. The key is
// one of Ctrl with a character.
struct Found {
  size_t at;
  size_t length;
};
std::vector<std::string> forms_of(char key) {
  const int code = key + '@' >= 'A' && key + '@' <= 'Z' ? key + '`' : key + '@';
  return {std::string(1, key), fmt::format("\x1b[{};5u", code), fmt::format("\x1b[27;5;{}~", code)};
}
std::optional<Found> find_key(std::string_view keys, char key) {
  for (const std::string& form : forms_of(key)) {
    if (const size_t at = keys.find(form); at != std::string_view::npos) return Found{at, form.size()};
  }
  return {};
}

}  // namespace

Result<Attachment> Attachment::create(UserTerminal& terminal, wire::Client client,
                                      const json::object& attached, AttachmentOptions options) {
  auto journal = open_journal(wire::text(attached, "journal").value_or(""));
  if (!journal) return fail(journal);
  Attachment attachment(terminal, std::move(client), std::move(*journal), std::move(options));
  attachment.note_attached(attached);
  attachment.note_run(attached);
  return attachment;
}

Attachment::Attachment(UserTerminal& terminal, wire::Client client, pty::Journal journal,
                       AttachmentOptions options)
    : terminal_(terminal),
      client_(std::move(client)),
      journal_(std::move(journal)),
      options_(std::move(options)) {}

void Attachment::note_attached(const json::object& attached) {
  session_ = wire::text(attached, "session").value_or("");
  pty_ = static_cast<uint32_t>(number(attached, "pty"));
  size_ = {static_cast<uint16_t>(number(attached, "cols")), static_cast<uint16_t>(number(attached, "rows"))};
  offset_ = told_ = number(attached, "offset");
  snapshot_left_ = number(attached, "snapshot_bytes");
  rung_ = true;
}

Result<AttachmentEnd> Attachment::run() {
  // The window may have changed between asking for its size and the handler that reports changes.
  window_ = size_;
  send_window();
  if (!options_.loop && !options_.plain_newlines) loan_ = TerminalLoan::make(terminal_, journal_);
  offer_terminal();
  // What came with the answer to the request is here already, and no poll will tell of it.
  if (auto heard = hear(); !heard) return fail(heard);
  while (!finished()) {
    if (auto shown = show(); !shown) return fail(shown);
    if (finished()) break;
    if (client_) {
      if (!client_->flush()) lost();
    }
    if (auto waited = wait(); !waited) return fail(waited);
  }
  loan_.reset();
  if (const std::string rest = newlines_.rest(); !rest.empty()) {
    if (auto written = terminal_.write(rest); !written) return fail(written);
  }
  return *end_;
}

bool Attachment::has_output() const {
  return !before_.empty() || shown_ < piece_.size() || !notices_.empty() || journal_.window().end > offset_;
}

// Behind what is still to be shown: a screen that is cut off may end in the middle of a sequence, and what
// has scrolled away is shown once only. Where too much waits, it is given up.
void Attachment::show_before(std::string_view text) {
  if (before_.size() - before_shown_ > kMostBefore) before_shown_ = before_.size();
  before_.erase(0, std::exchange(before_shown_, 0));
  before_ += text;
}

bool Attachment::finished() const { return end_ && (detaching_ || !has_output()); }

int Attachment::timeout() const {
  std::optional<base::Moment> due;
  for (const auto& each : {retry_, paint_at_, held_until_}) {
    if (each && (!due || *each < *due)) due = each;
  }
  if (!due) return -1;
  const auto left = std::chrono::ceil<milliseconds>(*due - clock_.now());
  return static_cast<int>(std::max<int64_t>(left.count(), 0));
}

Result<void> Attachment::wait() {
  const bool lent = loan_ && loan_->lent();
  const bool usable = terminal_.usable() && !lent;
  const size_t unsent = keys_.size() + (client_ ? client_->waiting_output() : 0);
  const bool wants_keys =
      usable && !input_ended_ && unsent < kMostKeys && (!exit_ || options_.loop) && !end_ && reads_keys();
  const bool wants_output = usable && snapshot_left_ == 0 && (!before_.empty() || shown_ < piece_.size());
  enum { kInput, kOutput, kSignals, kDaemon, kControl, kCount };
  std::array<pollfd, kCount> ready{{
      {wants_keys ? terminal_.input() : -1, POLLIN, 0},
      {wants_output ? terminal_.output() : -1, POLLOUT, 0},
      {terminal_.events_fd(), POLLIN, 0},
      {client_ ? client_->fd() : -1,
       static_cast<short>(POLLIN | (client_ && client_->waiting_output() > 0 ? POLLOUT : 0)), 0},
      {options_.loop ? options_.loop->control_fd : -1, POLLIN, 0},
  }};
  const int count = ::poll(ready.data(), ready.size(), timeout());
  const int why = errno;
  take_terminal_back();
  if (count < 0 && why != EINTR) return fail(Code::internal, why, "cannot wait for input");
  if (ready[kSignals].revents != 0) {
    const term::Events seen = terminal_.take_events();
    if (seen.resized || seen.continued) send_window();
    // A stop has left the shell's lines on the screen.
    if (seen.continued) ask_for_screen();
  }
  // The daemon first: keys are not for one that has gone.
  Result<void> done;
  if (ready[kDaemon].revents != 0) done = hear();
  if (ready[kControl].revents != 0) control(options_.loop->take_control());
  if (done && ready[kInput].revents != 0) done = take_keys();
  if (retry_ && clock_.now() >= *retry_) try_again();
  if (paint_at_ && clock_.now() >= *paint_at_) paint();
  if (held_until_ && clock_.now() >= *held_until_) release_keys();
  return done;
}

Result<void> Attachment::take_keys() {
  std::array<char, 16 << 10> buffer;
  auto count = terminal_.read(buffer);
  if (!count) return fail(count);
  if (!*count) return {};
  if (std::exchange(keeps_terminal_, false)) rung_ = true;
  if (**count == 0) {
    input_ended_ = true;
    // A terminal that has gone is a detach; the end of a file is for the program to see.
    if (terminal_.is_terminal())
      end_ = AttachmentEnd{.reason = "the terminal has gone"}, detaching_ = true;
    else if (client_ && !attach_asked_ && input_open_)
      client_->notify("pty.eof", {});
    return {};
  }
  type({buffer.data(), **count});
  return {};
}

void Attachment::type(std::string_view keys) {
  if (options_.detach_key && terminal_.is_terminal()) {
    if (const auto found = find_key(keys, *options_.detach_key)) {
      keys = keys.substr(0, found->at);
      detaching_ = true;
      end_ = AttachmentEnd{.reason = ""};
    }
  }
  std::string forwarded;
  if (options_.loop) {
    Routed routed = options_.loop->route(keys, !exit_);
    keys = forwarded = std::move(routed.forward);
    control(routed.control);
    held_until_.reset();
    if (routed.holds) held_until_ = clock_.now() + options_.loop->hold;
  }
  pass(keys);
  if (!detaching_ || !client_) return;
  client_->notify("pty.detach", {});
  // The daemon would hear it anyway when the connection goes.
  [[maybe_unused]] const auto flushed = client_->flush();
}

void Attachment::pass(std::string_view keys) {
  if (!client_ || attach_asked_ || !input_open_)
    keys_ += keys;
  else if (!keys.empty())
    send_keys(keys);
}

// Everything that can go to the terminal now, goes.
Result<void> Attachment::show() {
  while (terminal_.usable() && snapshot_left_ == 0 && !detaching_) {
    if (!before_.empty()) {
      auto written = terminal_.show(std::string_view(before_).substr(before_shown_));
      if (!written) return fail(written);
      if (*written == 0) return {};
      before_shown_ += *written;
      if (before_shown_ < before_.size()) continue;
      before_.clear();
      before_shown_ = 0;
      continue;
    }
    if (shown_ < piece_.size()) {
      auto written = terminal_.show(std::string_view(piece_).substr(shown_));
      if (!written) return fail(written);
      shown_ += *written;
      // What a terminal did not take now, it does not take at a second try either.
      if (shown_ < piece_.size()) return {};
      continue;
    }
    if (!read_more()) break;
  }
  tell_ready();
  return {};
}

// Fills piece_ or before_ with what comes next; false if there is nothing.
bool Attachment::read_more() {
  if (screen_asked_ || (screen_lost_ && !end_)) return false;
  const uint64_t end = journal_.window().end;
  if (painted()) {
    // What is said beside the output is on the screen too.
    if (end > offset_ || !notices_.empty()) paint();
    return false;
  }
  const uint64_t limit = notices_.empty() ? end : std::min(end, notices_.front().offset);
  if (offset_ >= limit) {
    if (notices_.empty()) return false;
    show_before(terminal_.shows() ? std::move(notices_.front().text) : std::string());
    notices_.pop_front();
    return true;
  }
  piece_.resize(std::min<uint64_t>(kMostPiece, limit - offset_));
  shown_ = 0;
  const auto read = journal_.read(offset_, piece_);
  if (read.offset > offset_ && terminal_.is_terminal()) {
    // Lapped. What the screen shows now is worth more than what is left of the past.
    piece_.clear();
    ask_for_screen();
    return false;
  }
  piece_.resize(read.count);
  offset_ = read.offset + read.count;
  if (options_.plain_newlines) newlines_.take(piece_);
  // The daemon knows how far this terminal is behind, and lets the program wait a little for it.
  if (offset_ - told_ >= journal_.capacity() / 8 && client_ && !attach_asked_) {
    told_ = offset_;
    client_->notify("pty.progress", {{"offset", offset_}});
    if (!client_->flush()) lost();
  }
  return true;
}

void Attachment::tell_ready() {
  if (!rung_ || !client_ || attach_asked_ || screen_asked_ || snapshot_left_ > 0 || end_) return;
  if (shown_ < piece_.size() || !before_.empty()) return;
  // There is more, and the next picture is due for it.
  if (painted() && journal_.window().end > offset_ && paint_at_) return;
  // Even if there is more by now: the daemon then rings at once. Not to tell it would be to sleep for ever.
  rung_ = false;
  told_ = offset_;
  json::object params{{"offset", offset_}};
  if (may_lend()) {
    params["round"] = loan_->lend({.offset = offset_, .typed = typed_, .reached = reached_});
    params["heard"] = client_->heard();
  }
  client_->notify("pty.ready", std::move(params));
}

void Attachment::offer_terminal() {
  if (loan_ && client_)
    loan_->offer(*client_, options_.detach_key ? forms_of(*options_.detach_key) : std::vector<std::string>{});
}

// Only while output and keys go straight through, and nothing is under way.
bool Attachment::may_lend() const {
  return loan_ && loan_->wanted() && !keeps_terminal_ && terminal_.usable() && notices_.empty() &&
         !painted() && !paint_at_ && !screen_lost_ && !exit_ && !input_ended_ && input_open_ && keys_.empty();
}

// And the daemon hears that we are ready when it is lent again.
void Attachment::take_terminal_back() {
  if (!loan_ || !loan_->lent()) return;
  const pty::Standing now = loan_->take_back();
  offset_ = told_ = std::clamp(now.offset, offset_, std::max(offset_, journal_.window().end));
  typed_ = std::max(typed_, now.typed);
  reached_ = std::clamp(now.reached, reached_, typed_);
  rung_ = true;
}

}  // namespace cli
