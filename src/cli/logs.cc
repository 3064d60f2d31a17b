// SPDX-License-Identifier: Apache-2.0
#include "cli/logs.h"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "cli/access.h"
#include "cli/output.h"
#include "cli/plain_text.h"
#include "cli/report.h"
#include "wire/encoding.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

constexpr int64_t kFollowMs = 3'600'000;  // of one question; then it is asked again

struct Piece {
  std::string bytes;
  uint64_t next = 0;
  uint64_t lost = 0;
  bool alive = false;
};

Result<Piece> read_piece(wire::Client& client, const Target& target, uint64_t since, int64_t wait_ms) {
  json::object params = to_params(target);
  params["since"] = since;
  params["encoding"] = "base64";
  params["max_bytes"] = 1 << 20;
  params["timeout_ms"] = wait_ms;
  auto answer = look(client, "pty.read", params);
  if (!answer) return fail(answer);
  const json::object& piece = answer->as_object();
  const auto number = [&](std::string_view name) {
    return static_cast<uint64_t>(wire::integer(piece, name).value_or(0));
  };
  auto bytes = wire::from_base64(wire::text(piece, "data").value_or(""));
  if (!bytes) return fail(Code::pty_read_failed, 0, "the daemon's answer is not base64");
  return Piece{std::move(*bytes), number("next_offset"), number("lost_bytes"), wire::flag(piece, "alive")};
}

// The last lines of a text, or of bytes that are lines.
std::string_view last_lines(std::string_view text, uint64_t count) {
  if (count == 0) return {};
  size_t at = text.size();
  // The newline at the very end ends the last line and begins none.
  if (at > 0 && text[at - 1] == '\n') at--;
  while (at > 0) {
    const size_t newline = text.rfind('\n', at - 1);
    if (newline == std::string_view::npos) return text;
    if (--count == 0) return text.substr(newline + 1);
    at = newline;
  }
  return text;
}

// What the daemon calls it, by an id that does not change hands: a name may, while it is followed.
Result<Target> settle(wire::Client& client, const Target& target) {
  auto session = look(client, "session.get", {{"session", target.session}});
  if (!session) return fail(session);
  return Target{wire::text(session->as_object(), "id").value_or(""), target.pty};
}

class Log {
 public:
  Log(wire::Client& client, Target target, const LogsOptions& options)
      : client_(client), target_(std::move(target)), options_(options) {}

  // All that there is now.
  Result<int> show_past() {
    std::string past;
    for (;;) {
      auto piece = read_piece(client_, target_, offset_, 0);
      if (!piece) return fail(piece);
      // What the journal has lost before the first look is no news.
      offset_ = piece->next;
      alive_ = piece->alive;
      if (piece->bytes.empty()) break;
      past += options_.raw ? piece->bytes : text_.feed(piece->bytes);
      if (options_.lines) past = std::string(last_lines(past, *options_.lines + 1));
    }
    const bool ends = !options_.follow || !alive_;
    if (!options_.raw) past += ends ? text_.finish() : text_.unfinished();
    return print(options_.lines ? last_lines(past, *options_.lines) : std::string_view(past));
  }

  Result<int> follow() {
    while (alive_) {
      auto piece = read_piece(client_, target_, offset_, kFollowMs);
      if (!piece) return fail(piece);
      if (piece->lost > 0)
        fmt::print(stderr, "tend: {} bytes went by faster than they could be read\n", piece->lost);
      offset_ = piece->next;
      // Of a program that has ended there may be more than one piece.
      alive_ = piece->alive || !piece->bytes.empty();
      if (const int code = print(text_of(*piece)); code != kDone) return code;
    }
    return options_.raw ? kDone : print(text_.finish());
  }

 private:
  std::string text_of(const Piece& piece) {
    if (options_.raw) return piece.bytes;
    const std::string lines = text_.feed(piece.bytes);
    return lines + text_.unfinished();
  }

  wire::Client& client_;
  Target target_;
  const LogsOptions& options_;
  PlainText text_;
  uint64_t offset_ = 0;
  bool alive_ = true;
};

Result<int> show_logs(const LogsOptions& options) {
  auto target = parse_target(options.target);
  if (!target) return fail(target);
  auto client = reach_daemon();
  if (!client) return fail(client);
  auto settled = settle(*client, *target);
  if (!settled) return fail(settled);
  Log log(*client, std::move(*settled), options);
  auto shown = log.show_past();
  if (!shown || *shown != kDone || !options.follow) return shown;
  return log.follow();
}

}  // namespace

int logs(const LogsOptions& options) { return finish(show_logs(options)); }

}  // namespace cli
