// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <unistd.h>

#include "base/fd.h"
#include "base/strings.h"
#include "cli/report.h"
#include "wire/encoding.h"

namespace cli {
namespace {

constexpr std::string_view kGap = "  ";
constexpr size_t kMostCell = 4096;

std::string_view code_of(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::strong:
      return "\x1b[1m";
    case Tone::good:
      return "\x1b[32m";
    case Tone::busy:
      return "\x1b[33m";
    case Tone::bad:
      return "\x1b[31m";
    case Tone::faint:
      return "\x1b[2m";
  }
  return "";
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Han, Hangul, kana, full width and most pictures.
bool starts_wide_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead == 0xF0) return text.size() > 1 && static_cast<unsigned char>(text[1]) >= 0x9F;
  return (lead >= 0xE3 && lead <= 0xED) ||
         (lead == 0xEF && text.size() > 1 && static_cast<unsigned char>(text[1]) >= 0xBC);
}

}  // namespace

bool stdout_has_colour() {
  const char* off = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  return ::isatty(1) == 1 && (off == nullptr || *off == '\0') && !dumb;
}

int print(std::string_view text) {
  const auto written = base::write_all(1, text);
  return written ? kDone : report(written.error());
}

int print_json(const wire::json::value& value) { return print(wire::json::serialize(value) + "\n"); }

std::string toned(std::string_view text, Tone tone) {
  if (tone == Tone::plain || text.empty() || !stdout_has_colour()) return std::string(text);
  return std::string(code_of(tone)) + std::string(text) + "\x1b[0m";
}

Tone tone_of_state(std::string_view state) {
  if (state == "running" || state == "working" || state == "ready" || state == "unknown") return Tone::good;
  if (state == "waiting" || state == "restarting") return Tone::busy;
  return Tone::faint;
}

size_t width_of(std::string_view text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size(); i++) {
    if (continues_character(text[i])) continue;
    width += starts_wide_character(text.substr(i)) ? 2 : 1;
  }
  return width;
}

std::string clip(std::string_view text, size_t most) {
  if (width_of(text) <= most) return std::string(text);
  size_t end = 0;
  size_t width = 0;
  while (end < text.size()) {
    const size_t next = width + (starts_wide_character(text.substr(end)) ? 2 : 1);
    if (next + 1 > most) break;
    width = next;
    end++;
    while (end < text.size() && continues_character(text[end])) end++;
  }
  return std::string(text.substr(0, end)) + "…";
}

Table::Table(std::vector<std::string> head) {
  std::vector<Cell> cells;
  cells.reserve(head.size());
  for (std::string& each : head) cells.push_back({std::move(each), Tone::faint});
  rows_.push_back(std::move(cells));
}

void Table::add(std::vector<Cell> row) {
  for (Cell& each : row) each.text = base::printable(each.text, kMostCell);
  rows_.push_back(std::move(row));
}

std::string Table::text(std::string_view indent) const {
  std::vector<size_t> widths(rows_[0].size());
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); i++) widths[i] = std::max(widths[i], width_of(row[i].text));
  }
  std::string text;
  for (const auto& row : rows_) {
    text += indent;
    for (size_t i = 0; i < row.size(); i++) {
      text += toned(row[i].text, row[i].tone);
      if (i + 1 == row.size()) break;
      text += std::string(widths[i] - width_of(row[i].text), ' ');
      text += kGap;
    }
    text += '\n';
  }
  return text;
}

std::string harmless_lines(std::string_view bytes) {
  constexpr unsigned char kDelete = 0x7f;
  std::string shown;
  const std::string text = wire::to_utf8(bytes, wire::Rest::never_comes).text;
  for (size_t i = 0; i < text.size(); i++) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool second = i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (byte == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    if (byte == 0xc2 && second) {  // U+0080 to U+009F: control characters of eight bits
      shown += "^?";
      i++;
    } else if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == kDelete) {
      shown += {'^', static_cast<char>(byte ^ 0x40)};
    } else {
      shown += text[i];
    }
  }
  if (!shown.ends_with('\n')) shown += '\n';
  return shown;
}

}  // namespace cli
