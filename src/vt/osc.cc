// SPDX-License-Identifier: Apache-2.0
// OSC: titles, directory, links, colours, clipboard, marks.
#include <algorithm>

#include "base/strings.h"
#include "vt/screen.h"
#include "vt/utf8.h"

namespace vt {
namespace {

constexpr size_t kMostQueries = 16;  // colours that one sequence may ask for
constexpr size_t kMostSelection = 16;

struct Halves {
  std::string_view left;
  std::string_view right;
  bool divided = false;
};

Halves divide(std::string_view text, char at) {
  const size_t found = text.find(at);
  if (found == std::string_view::npos) return {text, {}, false};
  return {text.substr(0, found), text.substr(found + 1), true};
}

}  // namespace

void Screen::system_command(std::string_view text, Terminator terminator) {
  drop_partial();
  const auto [number, data, divided] = divide(text, ';');
  const auto command = base::parse_number<int>(number, 0, 9999);
  if (!command) return;
  switch (*command) {
    case 0:
      titles_.icon = utf8::clean(data, Titles::kMostBytes);
      [[fallthrough]];
    case 2:
      titles_.title = utf8::clean(data, Titles::kMostBytes);
      break;
    case 1:
      titles_.icon = utf8::clean(data, Titles::kMostBytes);
      break;
    case 4:
      indexed_colors(data, terminator);
      break;
    case 7:
      directory_ = utf8::clean(data, Titles::kMostBytes);
      break;
    case 8:
      set_link(data);
      break;
    case 10:
    case 11:
    case 12:
      special_colors(*command - 10, data, terminator);
      break;
    case 52:
      clipboard(data);
      break;
    case 104:
      reset_indexed_colors(data);
      break;
    case 110:
    case 111:
    case 112:
      palette_.reset(Palette::kForeground + *command - 110);
      break;
    case 133:
      set_mark(data);
      break;
    default:
      break;
  }
}

uint32_t Screen::intern_link(const Link& link) {
  if (tables_.links.wants_sweep()) {
    pen_.link = 0;
    collect();
  }
  return tables_.links.intern(link);
}

void Screen::set_link(std::string_view data) {
  const auto [parameters, uri, divided] = divide(data, ';');
  if (!divided) return;
  pen_changed_ = true;
  if (uri.empty()) {
    if (base::trim(parameters).empty()) pen_.link = 0;
    return;
  }
  Link link{{}, utf8::clean(uri, LinkTable::kMostUri + 1)};
  for (const std::string_view parameter : base::split(parameters, ':'))
    if (parameter.starts_with("id=")) link.id = utf8::clean(parameter.substr(3), LinkTable::kMostId);
  pen_.link = link.uri.size() > LinkTable::kMostUri || link.uri.empty() ? 0 : intern_link(link);
}

void Screen::set_mark(std::string_view data) {
  const auto [kind, rest, divided] = divide(data, ';');
  if (kind.size() != 1) return;
  Mark mark;
  mark.column = static_cast<uint32_t>(cursor_column());
  switch (kind[0]) {
    case 'A':
    case 'N':
    case 'P':
      mark.kind = MarkKind::prompt;
      break;
    case 'B':
    case 'I':
      mark.kind = MarkKind::command;
      break;
    case 'C':
      mark.kind = MarkKind::output;
      break;
    case 'D':
      mark.kind = MarkKind::done;
      mark.status = base::parse_number<int32_t>(divide(rest, ';').left, INT32_MIN, INT32_MAX);
      break;
    default:
      return;
  }
  current_row().marks.add(mark);
}

void Screen::clipboard(std::string_view data) {
  const auto [selection, content, divided] = divide(data, ';');
  if (!divided || sink_ == nullptr || selection.size() > kMostSelection) return;
  if (content == "?")
    sink_->clipboard_read(selection);
  else
    sink_->clipboard_write(selection, content);
}

void Screen::indexed_colors(std::string_view data, Terminator terminator) {
  const std::vector<std::string_view> parts = base::split(data, ';');
  size_t queries = 0;
  for (size_t i = 0; i + 1 < parts.size(); i += 2) {
    const auto index = base::parse_number<int>(parts[i], 0, 255);
    if (!index) continue;
    if (parts[i + 1] == "?") {
      if (++queries <= kMostQueries) reply_color("4;" + std::to_string(*index), *index, terminator);
    } else if (const auto color = parse_color(parts[i + 1])) {
      palette_.set(*index, *color);
    }
  }
}

// OSC 10, 11 and 12 go on to the next with every further colour they are given.
void Screen::special_colors(int first, std::string_view data, Terminator terminator) {
  for (const std::string_view part : base::split(data, ';')) {
    if (first > 2) return;
    if (part == "?")
      reply_color(std::to_string(10 + first), Palette::kForeground + first, terminator);
    else if (const auto color = parse_color(part))
      palette_.set(Palette::kForeground + first, *color);
    first++;
  }
}

void Screen::reset_indexed_colors(std::string_view data) {
  if (data.empty()) return palette_.reset_indexed();
  for (const std::string_view part : base::split(data, ';'))
    if (const auto index = base::parse_number<int>(part, 0, 255)) palette_.reset(*index);
}

}  // namespace vt
