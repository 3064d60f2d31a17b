// SPDX-License-Identifier: Apache-2.0
#include "script.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <utility>

#include "base/strings.h"
#include "random_sequence.h"
#include "vt/rendition.h"
#include "vt/snapshot.h"
#include "vt/text_view.h"
#include "vt/utf8.h"

namespace vt_test {
namespace {

// Words between blanks; in quotes, \e \r \n \t \b \a \f \v \0 \" \\ \xNN and \u{N} stand for themselves.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  std::vector<std::string> all() {
    std::vector<std::string> words;
    while (at_ < text_.size()) {
      if (text_[at_] == ' ')
        at_++;
      else if (text_[at_] == '"')
        words.push_back(quoted());
      else
        words.push_back(plain());
    }
    return words;
  }

 private:
  std::string plain() {
    const size_t end = std::min(text_.find(' ', at_), text_.size());
    std::string word(text_.substr(at_, end - at_));
    at_ = end;
    return word;
  }

  std::string quoted() {
    std::string word;
    for (at_++; at_ < text_.size() && text_[at_] != '"'; at_++) {
      if (text_[at_] == '\\')
        escape(word);
      else
        word += text_[at_];
    }
    at_++;
    return word;
  }

  void escape(std::string& word) {
    constexpr std::string_view kNames = "ernbtafv0\"\\";
    constexpr std::string_view kValues("\x1b\r\n\b\t\a\f\v\0\"\\", 11);
    const char kind = text_[++at_];
    if (kind == 'x') {
      word += static_cast<char>(std::strtol(std::string(text_.substr(at_ + 1, 2)).c_str(), nullptr, 16));
      at_ += 2;
    } else if (kind == 'u') {
      const size_t end = text_.find('}', at_);
      vt::utf8::append(word, static_cast<char32_t>(std::strtol(
                                 std::string(text_.substr(at_ + 2, end - at_ - 2)).c_str(), nullptr, 16)));
      at_ = end;
    } else {
      word += kValues[kNames.find(kind)];
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

// "3,4"
std::pair<int, int> two_numbers(const std::string& word) {
  const size_t between = word.find_first_of(",x");
  return {std::atoi(word.c_str()), std::atoi(word.c_str() + between + 1)};
}

std::string mark_text(const vt::Mark& mark) {
  constexpr std::string_view kNames[] = {"prompt", "command", "output", "done"};
  return fmt::format("{}@{}{}", kNames[static_cast<size_t>(mark.kind)], mark.column,
                     mark.status ? fmt::format(":{}", *mark.status) : "");
}

std::string tabs_text(const vt::Screen& screen) {
  const std::vector<bool>& tabs = screen.buffer(screen.showing()).tabs;
  std::string out;
  for (size_t x = 0; x < tabs.size(); x++)
    if (tabs[x]) out += fmt::format("{}{}", out.empty() ? "" : " ", x);
  return out;
}

std::string on_off(bool on) { return on ? "on" : "off"; }

}  // namespace

std::vector<std::string> Script::run(const std::string& path) {
  Script script(path);
  std::ifstream file(path);
  if (!file) return {path + " cannot be read"};
  std::string line;
  while (std::getline(file, line)) {
    script.line_++;
    script.execute(base::trim(line));
  }
  script.finish();
  return script.failures_;
}

void Script::fail(const std::string& message) {
  failures_.push_back(fmt::format("{}:{} ({}): {}", path_, line_, case_, message));
}

void Script::start(vt::Size size) {
  vt::Options options;
  options.scrollback_rows = scrollback_;
  recorder_ = std::make_unique<Recorder>();
  screen_ = std::make_unique<vt::Screen>(size, options, recorder_.get());
  bytewise_ = std::make_unique<vt::Screen>(size, options);
}

void Script::finish() {
  if (!screen_) return;
  if (!(*screen_ == *bytewise_)) fail("fed byte by byte the screen is another");
  vt::Options options;
  options.scrollback_rows = scrollback_;
  vt::Screen copy(screen_->size(), options);
  const std::string bytes = vt::snapshot(*screen_, vt::Include::scrollback);
  copy.feed(bytes);
  if (!(*screen_ == copy)) fail("the snapshot gives another screen: " + escaped(bytes));
  screen_.reset();
}

void Script::execute(std::string_view statement) {
  if (statement.empty() || statement[0] == '#') return;
  if (statement.starts_with("== ")) {
    finish();
    case_ = statement.substr(3);
    scrollback_ = 100;
    start({20, 5});
    return;
  }
  std::vector<std::string> words = Words(statement).all();
  const std::string command = words[0];
  words.erase(words.begin());
  if (!screen_) return fail("a case starts with == and a sentence");
  if (act(command, words)) return;
  size_t used = 0;
  const std::string seen = look(command, words, used);
  const std::string wanted = used < words.size() ? words[used] : "";
  if (seen != wanted)
    fail(fmt::format(R"({}: "{}" instead of "{}")", statement, escaped(seen), escaped(wanted)));
}

bool Script::act(std::string_view command, const std::vector<std::string>& words) {
  if (command == "feed") {
    for (const std::string& word : words) {
      screen_->feed(word);
      for (const char c : word) bytewise_->feed({&c, 1});
    }
  } else if (command == "size") {
    const auto [columns, rows] = two_numbers(words[0]);
    if (words.size() > 1) scrollback_ = static_cast<size_t>(std::atoi(words[1].c_str()));
    start({columns, rows});
  } else if (command == "resize") {
    const auto [columns, rows] = two_numbers(words[0]);
    screen_->resize({columns, rows});
    bytewise_->resize({columns, rows});
  } else {
    return false;
  }
  return true;
}

std::string Script::look_at_cell(std::string_view what, int x, int y) {
  vt::Line line;
  screen_->read(y, line);
  line.glyphs.resize(static_cast<size_t>(screen_->size().columns));
  const vt::Glyph& glyph = line.glyphs[static_cast<size_t>(x)];
  if (what == "style")
    return vt::rendition(glyph.style) + (glyph.style.has(vt::kProtected) ? " protected" : "");
  if (what == "link") return glyph.style.link == 0 ? "" : screen_->link(glyph.style.link).uri;
  if (glyph.tail()) return "tail";
  if (glyph.blank()) return "blank";
  std::string text;
  for (const char32_t cp : line.characters(glyph)) vt::utf8::append(text, cp);
  return text + (glyph.wide() ? " wide" : "");
}

std::string Script::look(std::string_view what, const std::vector<std::string>& words, size_t& used) {
  const vt::Screen& screen = *screen_;
  if (what == "cursor") return fmt::format("{},{}", screen.cursor().x, screen.cursor().y);
  if (what == "reply") return std::exchange(recorder_->replies, {});
  if (what == "clipboard") return std::exchange(recorder_->clipboard, {});
  if (what == "bells") return std::to_string(recorder_->bells);
  if (what == "title") return screen.titles().title;
  if (what == "icon") return screen.titles().icon;
  if (what == "directory") return screen.directory();
  if (what == "showing") return screen.showing() == vt::Which::main ? "main" : "alternate";
  if (what == "mouse") return std::to_string(vt::mouse_number(screen.mouse_protocol()));
  if (what == "mouse_encoding") return std::to_string(vt::mouse_number(screen.mouse_encoding()));
  if (what == "keyboard") return std::to_string(screen.keyboard_flags());
  if (what == "other_keys") return std::to_string(screen.modify_other_keys());
  if (what == "shape") return std::to_string(screen.cursor_shape());
  if (what == "scrollback") return std::to_string(screen.scrollback().size());
  if (what == "tabs") return tabs_text(screen);
  if (what == "pen") return vt::rendition(screen.pen());
  if (what == "pending") return screen.pending();
  if (what == "lines") return fmt::format("{}", fmt::join(vt::lines(screen, 1000), "/"));
  if (what == "rows") return fmt::format("{}", fmt::join(vt::rows(screen), "/"));
  if (words.empty()) {
    fail(fmt::format("no such statement: {}", what));
    return {};
  }
  used = 1;
  const auto [first, second] = two_numbers(words[0]);
  if (what == "cell" || what == "style" || what == "link") return look_at_cell(what, first, second);
  if (what == "color") return vt::color_code(screen.palette().color(first));
  if (what == "mode") {
    for (const vt::ModeInfo& info : vt::all_modes())
      if (info.name == words[0]) return on_off(screen.modes()[info.mode]);
    return "unknown";
  }
  vt::Line line;
  screen.read(first, line);
  if (what == "row") return line.text();
  if (what == "wrapped") return on_off(line.wrapped);
  if (what == "marks") {
    std::string out;
    for (const vt::Mark& mark : line.marks) out += (out.empty() ? "" : " ") + mark_text(mark);
    return out;
  }
  fail(fmt::format("no such statement: {}", what));
  return {};
}

}  // namespace vt_test
