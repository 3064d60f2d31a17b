// SPDX-License-Identifier: Apache-2.0
#include "detect/idle_screens.h"

#include <array>
#include <re2/re2.h>
#include <vector>

namespace detect {
namespace {

constexpr auto kTable = std::to_array<IdleScreen>({
    {"claude", "1.0 to 2.1", R"(^\s*(?:│\s*)?[>❯](?:\s|\x{A0}|$))",
     R"(\? for shortcuts|bypass permissions|accept edits|plan mode on|\bfor agents\b)"},
    {"codex", "0.40 to 0.166",
     R"(^\s*[›▌>]\s*(?:Ask Codex|Find and fix|Explain this|Improve|Write tests|Summarize|Implement|Use /|Run /|$))",
     R"((?i)\? for shortcuts|context left|⏎ send|gpt-|/status)"},
    {"gemini", "0.1 to 0.61", R"(^\s*(?:│\s*)?[>*!]\s+(?:Type your message|$))",
     R"((?i)no sandbox|gemini-|context left|/model|YOLO)"},
    {"opencode", "0.5 to 1.18", R"((?i)^\s*[┃│█]\s*(?:>|Ask anything|$))",
     R"((?i)\bopencode\b|ctrl\+p commands|tab agents|enter send)"},
    {"aider", "0.50 to 0.86", R"(^(?:ask|architect|code|multi|diff|help)?> ?$)",
     R"((?i)aider v|^Repo-map:|tokens: .* sent|^Added .* to the chat|^Main model:|─{20})"},
});

struct Compiled {
  std::string_view agent;
  RE2 input_line;
  RE2 near;
  Compiled(const IdleScreen& row)
      : agent(row.agent),
        input_line(re2::StringPiece(row.input_line.data(), row.input_line.size()), RE2::Quiet),
        near(re2::StringPiece(row.near.data(), row.near.size()), RE2::Quiet) {}
};

constexpr size_t kReach = 14;  // lines from the bottom

}  // namespace

std::span<const IdleScreen> idle_screens() { return kTable; }

std::string_view find_idle_screen(const View& view) {
  static const auto* const compiled = [] {
    auto* all = new std::vector<std::unique_ptr<Compiled>>();
    for (const IdleScreen& each : kTable) all->push_back(std::make_unique<Compiled>(each));
    return all;
  }();
  const size_t last = view.last_text_line();
  const size_t first = last > kReach ? last - kReach : 0;
  for (const auto& each : *compiled) {
    bool box = false;
    bool around = false;
    for (size_t i = first; i <= last; i++) {
      box = box || RE2::PartialMatch(view.lines[i].text, each->input_line);
      around = around || RE2::PartialMatch(view.lines[i].text, each->near);
    }
    if (box && around) return each->agent;
  }
  return {};
}

}  // namespace detect
