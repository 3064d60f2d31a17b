// SPDX-License-Identifier: Apache-2.0
// evidence.*: packs on request, and looking at them. A pack can be larger than a message: it comes in parts.
#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "base/strings.h"
#include "daemon/describe.h"
#include "daemon/method_functions.h"
#include "store/inbox.h"
#include "vt/picture.h"
#include "vt/text_view.h"
#include "wire/encoding.h"
#include "wire/params.h"

namespace host {
namespace {

using base::Code;
using base::Result;
using store::EvidencePack;
namespace json = wire::json;

constexpr int64_t kUsualPacks = 100;
constexpr size_t kMostNote = 4096;
constexpr size_t kMostPage = 900 << 10;   // of packs in one answer
constexpr size_t kMostPiece = 128 << 10;  // of a part: fits into a message, even if every byte is escaped
// Of what stands in the answer that has everything; all of them together fit into a message.
constexpr size_t kMostScreenText = 96 << 10;
constexpr size_t kMostOutputText = 32 << 10;
constexpr size_t kMostSent = 16 << 10;
constexpr size_t kMostStat = 16 << 10;

json::object describe(const store::EvidenceHead& head) {
  return {{"evidence_id", head.id},
          {"at", to_time(head.at)},
          {"session", head.session},
          {"name", head.name},
          {"pty", head.pty},
          {"agent", head.agent},
          {"channel", head.channel},
          {"action", head.action},
          {"note", head.note},
          {"secret", head.secret},
          {"exit_code", head.exit_code ? json::value(*head.exit_code) : json::value(nullptr)},
          {"cwd", wire::to_utf8(head.cwd, wire::Rest::never_comes).text},
          {"diff_note", head.diff_note},
          {"truncated", head.truncated},
          {"complete", head.complete}};
}

// The screen again, for as long as somebody looks at it.
template <typename Look>
std::string seen(const store::ScreenShot& shot, Look look) {
  const auto fit = [](int64_t cells) { return static_cast<int>(std::clamp<int64_t>(cells, 1, 4096)); };
  vt::Screen screen({.columns = fit(shot.cols), .rows = fit(shot.rows)});
  screen.feed(shot.bytes);
  return look(screen);
}

std::string text_of(const store::ScreenShot& shot) {
  return seen(shot, [](const vt::Screen& screen) {
    std::string text;
    for (const std::string& row : vt::rows(screen)) text += row + "\n";
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
  });
}

std::string picture_of(const store::ScreenShot& shot) {
  return seen(shot, [](const vt::Screen& screen) { return vt::svg(screen); });
}

// Named as `tend evidence export` names the files.
constexpr std::array<std::string_view, 7> kParts = {"before.txt", "before.svg", "after.txt", "after.svg",
                                                    "sent.bin",   "output.txt", "diff.patch"};

bool has(const EvidencePack& pack, std::string_view part) {
  if (part.starts_with("before.")) return pack.before.has_value();
  if (part.starts_with("after.")) return pack.after.has_value();
  if (part == "sent.bin") return pack.sent && !pack.secret;
  if (part == "output.txt") return pack.output.has_value();
  return !pack.diff.empty();
}

std::string bytes_of(const EvidencePack& pack, std::string_view part) {
  if (part == "before.txt") return text_of(*pack.before);
  if (part == "before.svg") return picture_of(*pack.before);
  if (part == "after.txt") return text_of(*pack.after);
  if (part == "after.svg") return picture_of(*pack.after);
  if (part == "sent.bin") return *pack.sent;
  if (part == "output.txt") return *pack.output;
  return pack.diff;
}

json::value screen_text(const std::optional<store::ScreenShot>& shot) {
  return shot ? json::value(wire::cut_text(text_of(*shot), kMostScreenText)) : json::value(nullptr);
}

json::object everything(const EvidencePack& pack) {
  json::object object = describe(pack);
  json::array parts;
  for (const std::string_view each : kParts) {
    if (has(pack, each)) parts.emplace_back(each);
  }
  object["sent"] = nullptr;
  object["sent_bytes"] = nullptr;
  if (pack.secret && pack.sent) object["sent"] = "secret";
  if (has(pack, "sent.bin")) {
    object["sent"] = wire::to_utf8(pack.sent->substr(0, kMostSent), wire::Rest::never_comes).text;
    object["sent_bytes"] = pack.sent->size();
  }
  object["before"] = screen_text(pack.before);
  object["after"] = screen_text(pack.after);
  object["output"] = nullptr;
  object["output_cut"] = pack.output_cut;
  if (pack.output) {
    const size_t from = pack.output->size() - std::min(pack.output->size(), kMostOutputText);
    object["output"] = wire::to_utf8(pack.output->substr(from), wire::Rest::never_comes).text;
    object["output_cut"] = pack.output_cut || from > 0;
  }
  object["diff_stat"] = wire::to_utf8(pack.diff_stat.substr(0, kMostStat), wire::Rest::never_comes).text;
  object["diff_bytes"] = pack.diff.size();
  object["parts"] = std::move(parts);
  return object;
}

struct Piece {
  std::string part;
  size_t offset = 0;
  bool base64 = false;
};

Result<json::value> piece_of(const EvidencePack& pack, const Piece& wanted) {
  if (!has(pack, wanted.part))
    return base::fail(Code::invalid_param, 0, fmt::format("evidence '{}' has no {}", pack.id, wanted.part));
  const std::string bytes = bytes_of(pack, wanted.part);
  const size_t begin = std::min(wanted.offset, bytes.size());
  std::string piece = bytes.substr(begin, kMostPiece);
  const bool last = begin + piece.size() == bytes.size();
  size_t end = begin + piece.size();
  if (wanted.base64) {
    piece = wire::to_base64(piece);
  } else {
    wire::Utf8Piece text = wire::to_utf8(piece, last ? wire::Rest::never_comes : wire::Rest::may_come);
    end = begin + text.consumed;
    piece = std::move(text.text);
  }
  return json::object{{"evidence_id", pack.id},   {"part", wanted.part},
                      {"data", std::move(piece)}, {"encoding", wanted.base64 ? "base64" : "text"},
                      {"size", bytes.size()},     {"next", last ? json::value(nullptr) : json::value(end)}};
}

Result<Piece> wanted_piece(const Call& call) {
  Piece wanted{.part = wire::text(call.params(), "part").value_or(""),
               .offset = static_cast<size_t>(wire::integer(call.params(), "offset").value_or(0)),
               .base64 = wire::text(call.params(), "encoding") == "base64"};
  if (!wanted.part.empty() && std::find(kParts.begin(), kParts.end(), wanted.part) == kParts.end())
    return base::fail(Code::invalid_param, 0,
                      "part must be before.txt, before.svg, after.txt, after.svg, sent.bin, output.txt or "
                      "diff.patch");
  if (const auto encoding = wire::text(call.params(), "encoding");
      encoding && *encoding != "text" && *encoding != "base64")
    return base::fail(Code::invalid_param, 0, "encoding must be text or base64");
  return wanted;
}

Result<json::value> read_list(store::Connection& connection, store::EvidenceFilter filter) {
  auto heads = store::list_evidence(connection, filter);
  if (!heads) return base::fail(heads);
  json::array list;
  size_t bytes = 0;
  for (const store::EvidenceHead& each : *heads) {
    json::object about = describe(each);
    bytes += json::serialize(about).size();
    if (bytes > kMostPage && !list.empty()) break;
    list.push_back(std::move(about));
    filter.before = each.number;
  }
  filter.limit = 1;
  auto more = store::list_evidence(connection, filter);
  if (!more) return base::fail(more);
  json::value next = more->empty() ? json::value(nullptr) : json::value(std::to_string(*filter.before));
  return json::object{{"evidence", std::move(list)}, {"next", std::move(next)}};
}

// Answers once it is in the store, and in its thread.
void attach_and_answer(const CallPtr& call, const std::string& id) {
  const auto finish = [call, id](const Result<void>& done) {
    if (!done) return call->fail(done.error());
    call->finish(json::object{{"evidence_id", id}});
  };
  const auto thread = wire::text(call->params(), "thread");
  if (!thread) return finish({});
  call->context().store.write(
      [thread, id](store::Connection& connection) -> Result<void> {
        auto message = store::load_message(connection, *thread);
        if (!message) return base::fail(message);
        if (!*message)
          return base::fail(Code::invalid_param, 0, fmt::format("there is no thread '{}'", *thread));
        return store::attach_evidence(connection, (*message)->thread, id);
      },
      finish);
}

}  // namespace

void capture_evidence(const CallPtr& call) {
  const session::Pty* pty = call->pty();
  if (pty == nullptr) return;
  std::string note = wire::text(call->params(), "note").value_or("");
  if (note.size() > kMostNote) return call->fail({Code::invalid_param, 0, "the note has more than 4 KiB"});
  const auto session = call->context().sessions.find(call->audit().session);
  EvidenceKeeper& keeper = call->context().evidence;
  auto pending = keeper.capture(*call, **session, *pty, std::move(note));
  const std::string id = pending.id();
  call->audit().evidence_id = id;
  keeper.finish(std::move(pending), {.after = EvidenceKeeper::After::never},
                [call, id](const Result<void>& saved) {
                  if (!saved) return call->fail(saved.error());
                  attach_and_answer(call, id);
                });
}

void list_packs(const CallPtr& call) {
  store::EvidenceFilter filter{.session = wire::text(call->params(), "session"),
                               .before = {},
                               .limit = wire::integer(call->params(), "limit").value_or(kUsualPacks)};
  if (const auto after = wire::text(call->params(), "after")) {
    filter.before = base::parse_number<int64_t>(*after, 0, std::numeric_limits<int64_t>::max());
    if (!filter.before)
      return call->fail({Code::invalid_param, 0, "after must be the 'next' of another answer"});
  }
  if (filter.session) {
    if (const auto found = call->context().sessions.find(*filter.session)) filter.session = (*found)->id();
  }
  run_aside(call, [&store = call->context().store, filter]() -> Result<json::value> {
    auto reader = store.reader();
    if (!reader) return base::fail(reader);
    return read_list(*reader, filter);
  });
}

void get_evidence(const CallPtr& call) {
  auto wanted = wanted_piece(*call);
  if (!wanted) return call->fail(wanted.error());
  const std::string id = wire::text(call->params(), "evidence_id").value_or("");
  call->audit().evidence_id = wire::cut_text(id, wire::kMostAgent);
  run_aside(call, [&store = call->context().store, id, wanted = *wanted]() -> Result<json::value> {
    auto reader = store.reader();
    if (!reader) return base::fail(reader);
    auto pack = store::load_evidence(*reader, id);
    if (!pack) return base::fail(pack);
    if (!*pack)
      return base::fail(
          Code::invalid_param, 0,
          fmt::format("there is no evidence '{}'; tend evidence lists it", wire::cut_text(id, 80)));
    if (wanted.part.empty()) return everything(**pack);
    return piece_of(**pack, wanted);
  });
}

}  // namespace host
