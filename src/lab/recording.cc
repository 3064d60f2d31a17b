// SPDX-License-Identifier: Apache-2.0
#include "lab/recording.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "vt/utf8.h"

namespace lab {
namespace {

using Kind = RecordedEvent::Kind;
using base::Duration;
using base::Result;
using detect::Evidence;
using detect::Verdict;
using std::chrono::microseconds;

constexpr std::string_view kHeader = "tend-watch 1";
constexpr std::array<std::pair<Kind, std::string_view>, 7> kKinds{{{Kind::output, "out"},
                                                                   {Kind::input, "in"},
                                                                   {Kind::look, "look"},
                                                                   {Kind::cut, "cut"},
                                                                   {Kind::point, "point"},
                                                                   {Kind::note, "#"},
                                                                   {Kind::end, "end"}}};
constexpr std::array kVerdicts{Verdict::waits, Verdict::may_wait, Verdict::busy,
                               Verdict::both,  Verdict::unknown,  Verdict::gone};
constexpr int64_t kLatest = 3'600'000'000;  // microseconds

int64_t us(Duration time) { return std::chrono::duration_cast<microseconds>(time).count(); }

bool is_utf8(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[i]);
    const size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
    if (length == 0 || i + length > bytes.size()) return false;
    for (size_t n = 1; n < length; n++)
      if ((static_cast<unsigned char>(bytes[i + n]) & 0xC0) != 0x80) return false;
    i += length;
  }
  return true;
}

// As it can be read, where it is text; a piece that ends within a character is all numbers beyond ASCII.
std::string escape(std::string_view bytes) {
  const bool text = is_utf8(bytes);
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\x1b':
        out += "\\e";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !text))
          out += fmt::format("\\x{:02x}", byte);
        else
          out += c;
    }
  }
  return out;
}

std::optional<std::string> unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i >= text.size()) return {};
    switch (text[i]) {
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'e':
        out += '\x1b';
        break;
      case '\\':
        out += '\\';
        break;
      case 'x': {
        unsigned value = 0;
        const std::string_view digits = text.substr(i + 1, 2);
        if (digits.size() != 2 ||
            std::from_chars(digits.data(), digits.data() + 2, value, 16).ptr != digits.data() + 2)
          return {};
        out += static_cast<char>(value);
        i += 2;
        break;
      }
      default:
        return {};
    }
  }
  return out;
}

// "may_wait" in the file, "may wait" for people.
std::string word_of(Verdict verdict) {
  std::string name(name_of(verdict));
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

struct Number {
  std::string_view name;
  uint64_t (*get)(const Evidence&);
  void (*set)(Evidence&, uint64_t);
};
constexpr std::array<Number, 7> kNumbers{{
    {"turns", [](const Evidence& e) -> uint64_t { return e.turns; },
     [](Evidence& e, uint64_t v) { e.turns = v; }},
    {"cpu", [](const Evidence& e) -> uint64_t { return e.cpu_ns; },
     [](Evidence& e, uint64_t v) { e.cpu_ns = v; }},
    {"unread", [](const Evidence& e) -> uint64_t { return e.unread; },
     [](Evidence& e, uint64_t v) { e.unread = static_cast<uint32_t>(v); }},
    {"refused", [](const Evidence& e) -> uint64_t { return e.refused; },
     [](Evidence& e, uint64_t v) { e.refused = static_cast<uint16_t>(v); }},
    {"sockets", [](const Evidence& e) -> uint64_t { return e.sockets; },
     [](Evidence& e, uint64_t v) { e.sockets = static_cast<uint16_t>(v); }},
    {"requests", [](const Evidence& e) -> uint64_t { return e.requests; },
     [](Evidence& e, uint64_t v) { e.requests = static_cast<uint16_t>(v); }},
    {"pipes", [](const Evidence& e) -> uint64_t { return e.pipes; },
     [](Evidence& e, uint64_t v) { e.pipes = static_cast<uint16_t>(v); }},
}};

struct Flag {
  std::string_view name;
  bool Evidence::* flag;
};
constexpr std::array<Flag, 4> kFlags{{{"lines", &Evidence::canonical},
                                      {"echo", &Evidence::echo},
                                      {"shell", &Evidence::shell},
                                      {"relayed", &Evidence::relayed}}};

std::string write_evidence(const Evidence& evidence) {
  std::string out = word_of(evidence.verdict);
  if (!evidence.call.empty()) out += " call=" + evidence.call;
  if (evidence.timeout_ms >= 0) out += fmt::format(" timeout={}", evidence.timeout_ms);
  for (const Number& each : kNumbers)
    if (const uint64_t value = each.get(evidence); value != 0) out += fmt::format(" {}={}", each.name, value);
  for (const Flag& each : kFlags)
    if (evidence.*each.flag) out += fmt::format(" {}", each.name);
  // A name may hold blanks, so it comes last. Which process it was is no matter.
  if (!evidence.command.empty()) out += (evidence.reader != 0 ? " reader=" : " leader=") + evidence.command;
  return out;
}

bool read_field(std::string_view field, Evidence& evidence) {
  for (const Flag& each : kFlags) {
    if (field != each.name) continue;
    evidence.*each.flag = true;
    return true;
  }
  const size_t equals = field.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = field.substr(0, equals);
  const std::string_view value = field.substr(equals + 1);
  if (name == "call") {
    evidence.call = value;
    return true;
  }
  if (name == "timeout") {
    const auto timeout = base::parse_number<int32_t>(value, 0, INT32_MAX);
    evidence.timeout_ms = timeout.value_or(-1);
    return timeout.has_value();
  }
  const auto number = base::parse_number<uint64_t>(value, 0, UINT64_MAX);
  for (const Number& each : kNumbers) {
    if (name != each.name || !number) continue;
    each.set(evidence, *number);
    return true;
  }
  return false;
}

std::optional<Evidence> read_evidence(std::string_view text) {
  Evidence evidence{.canonical = false, .echo = false};
  for (const std::string_view who : {" reader=", " leader="}) {
    const size_t at = text.find(who);
    if (at == std::string_view::npos) continue;
    evidence.command = text.substr(at + who.size());
    evidence.reader = who == " reader=" ? 1 : 0;
    text = text.substr(0, at);
    break;
  }
  const auto fields = base::split(text, ' ');
  const auto* const verdict = std::find_if(kVerdicts.begin(), kVerdicts.end(),
                                           [&](Verdict each) { return word_of(each) == fields.front(); });
  if (verdict == kVerdicts.end()) return {};
  evidence.verdict = *verdict;
  for (size_t i = 1; i < fields.size(); i++)
    if (!read_field(fields[i], evidence)) return {};
  return evidence;
}

std::string write_rest(const RecordedEvent& event) {
  switch (event.kind) {
    case Kind::output:
    case Kind::input:
      return " " + escape(event.bytes);
    case Kind::look:
      return fmt::format(" {} {}", us(event.begun), write_evidence(event.evidence));
    case Kind::cut:
      return fmt::format(" {}", event.count);
    case Kind::note:
    case Kind::point:
    case Kind::end:
      break;
  }
  return event.bytes.empty() ? "" : " " + escape(event.bytes);
}

std::optional<RecordedEvent> read_event(std::string_view line) {
  const size_t first = line.find(' ');
  const auto at = base::parse_number<int64_t>(line.substr(0, first), 0, kLatest);
  if (!at || first == std::string_view::npos) return {};
  line.remove_prefix(first + 1);
  const size_t second = std::min(line.find(' '), line.size());
  const auto* const kind = std::find_if(
      kKinds.begin(), kKinds.end(), [&](const auto& each) { return each.second == line.substr(0, second); });
  if (kind == kKinds.end()) return {};
  RecordedEvent event{.kind = kind->first, .at = microseconds(*at)};
  line.remove_prefix(std::min(second + 1, line.size()));
  if (event.kind == Kind::look) {
    const size_t blank = std::min(line.find(' '), line.size());
    const auto begun = base::parse_number<int64_t>(line.substr(0, blank), 0, kLatest);
    auto evidence = read_evidence(line.substr(std::min(blank + 1, line.size())));
    if (!begun || !evidence) return {};
    event.begun = microseconds(*begun);
    event.evidence = std::move(*evidence);
    return event;
  }
  if (event.kind == Kind::cut) {
    const auto count = base::parse_number<uint64_t>(line, 0, UINT64_MAX);
    if (!count) return {};
    event.count = *count;
    return event;
  }
  auto bytes = unescape(line);
  if (!bytes) return {};
  event.bytes = std::move(*bytes);
  return event;
}

}  // namespace

Duration Recording::point() const {
  const auto found = std::find_if(events.begin(), events.end(),
                                  [](const RecordedEvent& each) { return each.kind == Kind::point; });
  return found == events.end() ? Duration::zero() : found->at;
}

Duration Recording::end() const { return events.empty() ? Duration::zero() : events.back().at; }

std::string write_recording(const Recording& recording) {
  std::string out = fmt::format("{} {} {}\n", kHeader, recording.size.cols, recording.size.rows);
  for (const RecordedEvent& event : recording.events) {
    const auto* const kind = std::find_if(kKinds.begin(), kKinds.end(),
                                          [&](const auto& each) { return each.first == event.kind; });
    out += fmt::format("{} {}{}\n", us(event.at), kind->second, write_rest(event));
  }
  return out;
}

Result<Recording> parse_recording(std::string_view text) {
  const auto lines = base::split(text, '\n');
  const auto wrong = [](size_t line) {
    return base::fail(base::Code::invalid_param, 0,
                      fmt::format("line {} of the recording is wrong", line + 1));
  };
  Recording recording;
  const auto head = base::split(lines.front(), ' ');
  if (!lines.front().starts_with(kHeader) || head.size() != 4) return wrong(0);
  const auto cols = base::parse_number<uint16_t>(head[2], 1, pty::kMostCells);
  const auto rows = base::parse_number<uint16_t>(head[3], 1, pty::kMostCells);
  if (!cols || !rows) return wrong(0);
  recording.size = {*cols, *rows};
  for (size_t i = 1; i < lines.size(); i++) {
    if (lines[i].empty()) continue;
    auto event = read_event(lines[i]);
    if (!event || event->at < recording.end()) return wrong(i);
    recording.events.push_back(std::move(*event));
  }
  return recording;
}

void cut_middle(Recording& recording, size_t most_at_the_start, size_t most_at_the_end) {
  auto& events = recording.events;
  size_t total = 0;
  for (const RecordedEvent& each : events) total += each.bytes.size();
  if (total <= most_at_the_start + most_at_the_end) return;
  size_t first = 0;
  for (size_t bytes = 0; first < events.size(); first++) {
    bytes += events[first].bytes.size();
    if (bytes > most_at_the_start) break;
  }
  size_t last = events.size();
  for (size_t bytes = 0; last > first; last--) {
    bytes += events[last - 1].bytes.size();
    if (bytes > most_at_the_end) break;
  }
  if (last <= first) return;
  RecordedEvent cut{.kind = Kind::cut, .at = events[first].at};
  std::vector<RecordedEvent> kept(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(first));
  const size_t place = kept.size();
  for (size_t i = first; i < last; i++) {
    cut.count += events[i].bytes.size();
    // The steps that were taken are part of the truth.
    if (events[i].kind == Kind::point) kept.push_back(std::move(events[i]));
  }
  kept.insert(kept.begin() + static_cast<std::ptrdiff_t>(place), std::move(cut));
  std::move(events.begin() + static_cast<std::ptrdiff_t>(last), events.end(), std::back_inserter(kept));
  events = std::move(kept);
}

Recorder::Recorder(pty::Size size) : start_(base::RealClock().now()) { recording_.size = size; }

void Recorder::output(base::Moment now, std::string_view bytes) {
  add(Kind::output, now, std::string(bytes));
}

void Recorder::input(base::Moment now, std::string_view bytes) { add(Kind::input, now, std::string(bytes)); }

void Recorder::looked(base::Moment begun, base::Moment now, const Evidence& evidence) {
  recording_.events.push_back(
      {.kind = Kind::look, .at = now - start_, .begun = begun - start_, .bytes = {}, .evidence = evidence});
}

void Recorder::changed(base::Moment now, const detect::Change& change) {
  add(Kind::note, now, describe(change));
}

void Recorder::add(Kind kind, base::Moment now, std::string text) {
  recording_.events.push_back({.kind = kind, .at = now - start_, .begun = {}, .bytes = std::move(text)});
}

std::string describe(const detect::Change& change) {
  switch (change.kind) {
    case detect::Change::Kind::state:
      return std::string(name_of(change.state));
    case detect::Change::Kind::left:
      return change.answered ? "answered" : "left";
    case detect::Change::Kind::asked:
      break;
  }
  return fmt::format("asked {} {:.2f} {}", name_of(change.asked->prompt.type), change.asked->confidence,
                     change.asked->prompt.question);
}

}  // namespace lab
