#include "loop/lines.h"
#include "loop/limits.h"
#include "base/strings.h"
namespace loop {
class Lines::State { public: Take take; std::string cur; int esc=0; };
Lines::Lines(vt::Size, Take take) : state_(std::make_unique<State>()) { state_->take = std::move(take); }
Lines::~Lines() = default;
void Lines::feed(std::string_view b) { for (char c : b) { auto& s=*state_;
  if (s.esc==1) { s.esc = c=='[' ? 2 : 0; continue; }
  if (s.esc==2) { if (c>='@' && c<='~') s.esc=0; continue; }
  if (c=='\x1b') { s.esc=1; continue; }
  if (c=='\r') continue;
  if (c=='\n') { s.take(s.cur); s.cur.clear(); } else s.cur += c; } }
void Lines::feed_plain(std::string_view b) { feed(b); }
void Lines::resize(vt::Size) {}
void Lines::pause() { if (!state_->cur.empty()) state_->take(state_->cur); state_->cur.clear(); }
std::optional<UsageLimit> find_limit(config::Backend, std::string_view line, base::WallTime) {
  const auto at = line.find("usage limit reached|"); if (at==std::string_view::npos) return {};
  auto n = base::parse_number<long>(line.substr(at+20),0,1L<<40);
  UsageLimit u{std::string(line)}; if (n) u.resets_at = base::WallTime(std::chrono::seconds(*n)); return u; }
}
