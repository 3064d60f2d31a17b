// SPDX-License-Identifier: Apache-2.0
#include "session/display.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "vt/snapshot.h"

namespace session {
namespace {

using base::Fd;
using base::log::Level;

constexpr unsigned kSlots = 3;
constexpr size_t kMostMargin = 1 << 20;
constexpr size_t kMostCheckpoint = 256 << 20;
// No terminal comes to so many: a number beyond is damage, and what is noted from there on would not be found
// again.
constexpr uint64_t kMostNotes = uint64_t{1} << 40;
constexpr std::array<char, 8> kMagic = {'t', 'e', 'n', 'd', 's', 'c', 'r', '1'};
constexpr mode_t kPrivate = 0600;

struct NoteHeader {
  uint64_t offset;
  uint64_t number;
  uint32_t kind;
  uint32_t length;
};

struct CheckpointHeader {
  std::array<char, 8> magic;
  uint64_t offset;
  uint64_t next_note;
  uint32_t cols;
  uint32_t rows;
  uint64_t length;
};

std::string slot_path(const std::string& base, unsigned slot) {
  return base + ".screen" + std::to_string(slot);
}

std::string read_file(const std::string& path, size_t most) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat about{};
  if (!file || ::fstat(file.get(), &about) != 0 || static_cast<uint64_t>(about.st_size) > most) return {};
  std::string text(static_cast<size_t>(about.st_size), '\0');
  const ssize_t n = ::pread(file.get(), text.data(), text.size(), 0);
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return text;
}

// A new file in the place of the old one, whole or not at all.
bool replace_file(const std::string& path, std::string_view text) {
  const std::string fresh = path + ".new";
  const Fd file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kPrivate));
  return file && base::write_all(file.get(), text).has_value() && ::rename(fresh.c_str(), path.c_str()) == 0;
}

// Over what the file had, which costs a thirtieth of making it anew: meanwhile it is no checkpoint, and there
// are others. What is longer than the new text stays behind it.
bool write_checkpoint(const std::string& path, const CheckpointHeader& header, std::string_view snapshot) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kPrivate));
  const auto put = [&](const void* bytes, size_t count, size_t at) {
    return ::pwrite(file.get(), bytes, count, static_cast<off_t>(at)) == static_cast<ssize_t>(count);
  };
  constexpr decltype(kMagic) kNone{};
  return file && put(kNone.data(), kNone.size(), 0) && put(snapshot.data(), snapshot.size(), sizeof header) &&
         put(&header, sizeof header, 0);
}

template <typename Header>
std::string with_header(const Header& header, std::string_view payload) {
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  return bytes.append(payload);
}

}  // namespace

struct Display::Note {
  uint64_t offset;
  uint64_t number;
  Kind kind;
  std::string payload;
};

struct Display::Saved {
  uint64_t offset;
  uint64_t next_note;
  vt::Size size;
  unsigned slot;
  std::string snapshot;
};

void Display::Gate::reply(std::string_view bytes) {
  if (open && to_ != nullptr) to_->reply(bytes);
}
void Display::Gate::bell() {
  if (open && to_ != nullptr) to_->bell();
}
void Display::Gate::clipboard_write(std::string_view selection, std::string_view data) {
  if (open && to_ != nullptr) to_->clipboard_write(selection, data);
}

Display::Display(Options options, vt::Size size, vt::Sink* sink) : options_(std::move(options)), gate_(sink) {
  make_screen(size);
}

void Display::make_screen(vt::Size size) {
  screen_.emplace(size, vt::Options{.scrollback_rows = options_.scrollback_rows, .cell = {}, .theme = {}},
                  &gate_);
}

void Display::start() {
  const vt::Size size = screen_->size();
  const std::array<uint32_t, 2> payload = {static_cast<uint32_t>(size.columns),
                                           static_cast<uint32_t>(size.rows)};
  note(Kind::size, {reinterpret_cast<const char*>(payload.data()), sizeof payload});
}

void Display::note(Kind kind, std::string_view payload) {
  if (!margin_) {
    const std::string path = options_.base + ".margin";
    margin_.reset(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, kPrivate));
  }
  const NoteHeader header{.offset = offset_,
                          .number = next_note_++,
                          .kind = static_cast<uint32_t>(kind),
                          .length = static_cast<uint32_t>(payload.size())};
  const std::string record = with_header(header, payload);
  if (margin_ && base::write_all(margin_.get(), record)) {
    margin_bytes_ += record.size();
    return;
  }
  base::log::say(Level::warning, "cannot write {}.margin: {}", options_.base, std::strerror(errno));
  // A part of it would stand before all that follows.
  if (margin_ && ::ftruncate(margin_.get(), static_cast<off_t>(margin_bytes_)) != 0) margin_.reset();
}

void Display::follow(pty::Journal& journal) {
  const auto window = journal.window();
  if (window.end != offset_) screen_->feed(journal.view(std::max(offset_, window.begin), window.end));
  offset_ = window.end;
  if (offset_ - last_checkpoint_ >= journal.capacity() / 2 || margin_bytes_ > kMostMargin)
    checkpoint(journal);
}

void Display::resize(vt::Size size) {
  if (size == screen_->size()) return;
  screen_->resize(size);
  start();
}

void Display::show(std::string_view text) {
  screen_->feed(text);
  last_text_ = offset_;
  note(Kind::text, text);
}

void Display::checkpoint(pty::Journal& journal) {
  const std::string snapshot = vt::snapshot(*screen_, vt::Include::screen);
  const CheckpointHeader header{.magic = kMagic,
                                .offset = offset_,
                                .next_note = next_note_,
                                .cols = static_cast<uint32_t>(screen_->size().columns),
                                .rows = static_cast<uint32_t>(screen_->size().rows),
                                .length = snapshot.size()};
  if (!write_checkpoint(slot_path(options_.base, next_slot_), header, snapshot)) {
    base::log::say(Level::warning, "cannot write {}: {}", slot_path(options_.base, next_slot_),
                   std::strerror(errno));
    return;
  }
  next_slot_ = (next_slot_ + 1) % kSlots;
  last_checkpoint_ = offset_;
  journal.set_processed(offset_);
  if (margin_bytes_ > kMostMargin) {
    uint64_t oldest = next_note_;
    for (const Saved& each : read_checkpoints()) oldest = std::min(oldest, each.next_note);
    compact(oldest);
  }
}

// The notes that no checkpoint needs go.
void Display::compact(uint64_t first_kept) {
  std::string kept;
  for (const Note& each : read_margin()) {
    if (each.number < first_kept) continue;
    const NoteHeader header{.offset = each.offset,
                            .number = each.number,
                            .kind = static_cast<uint32_t>(each.kind),
                            .length = static_cast<uint32_t>(each.payload.size())};
    kept += with_header(header, each.payload);
  }
  if (!replace_file(options_.base + ".margin", kept)) return;
  margin_.reset();
  margin_bytes_ = kept.size();
}

std::vector<Display::Note> Display::read_margin() const {
  const std::string bytes = read_file(options_.base + ".margin", 4 * kMostMargin);
  std::vector<Note> notes;
  size_t at = 0;
  NoteHeader header{};
  // A note that a kill cut short is the last one, and did not happen.
  while (bytes.size() - at >= sizeof header) {
    std::memcpy(&header, bytes.data() + at, sizeof header);
    at += sizeof header;
    const bool known =
        header.kind == static_cast<uint32_t>(Kind::size) || header.kind == static_cast<uint32_t>(Kind::text);
    const uint64_t least = notes.empty() ? 0 : notes.back().number + 1;
    if (!known || header.length > bytes.size() - at || header.number < least ||
        header.number - least > kMostNotes)
      break;
    notes.push_back(
        {header.offset, header.number, static_cast<Kind>(header.kind), bytes.substr(at, header.length)});
    at += header.length;
  }
  return notes;
}

std::vector<Display::Saved> Display::read_checkpoints() const {
  std::vector<Saved> found;
  for (unsigned slot = 0; slot < kSlots; slot++) {
    const std::string bytes = read_file(slot_path(options_.base, slot), kMostCheckpoint);
    CheckpointHeader header{};
    if (bytes.size() < sizeof header) continue;
    std::memcpy(&header, bytes.data(), sizeof header);
    const auto most = static_cast<uint32_t>(vt::Screen::kMostColumns);
    // The first note, of the size that it began with, is older than any checkpoint.
    if (header.magic != kMagic || header.next_note < 1 || header.next_note > kMostNotes ||
        header.length > bytes.size() - sizeof header || header.cols < 1 || header.cols > most ||
        header.rows < 1 || header.rows > most)
      continue;
    found.push_back({header.offset,
                     header.next_note,
                     {static_cast<int>(header.cols), static_cast<int>(header.rows)},
                     slot,
                     bytes.substr(sizeof header, header.length)});
  }
  std::sort(found.begin(), found.end(), [](const Saved& a, const Saved& b) {
    return std::pair(a.offset, a.next_note) < std::pair(b.offset, b.next_note);
  });
  return found;
}

void Display::apply(const Note& note) {
  if (note.kind == Kind::text) screen_->feed(note.payload);
  std::array<uint32_t, 2> size{};
  if (note.kind != Kind::size || note.payload.size() != sizeof size) return;
  std::memcpy(size.data(), note.payload.data(), sizeof size);
  const auto fit = [](uint32_t value) {
    return static_cast<int>(std::clamp<uint32_t>(value, 1, vt::Screen::kMostColumns));
  };
  screen_->resize({fit(size[0]), fit(size[1])});
}

void Display::recover(const pty::Journal& journal, Past past) {
  gate_.open = false;
  const std::vector<Note> notes = read_margin();
  const std::vector<Saved> saved = read_checkpoints();
  const auto window = journal.window();
  const auto is_reached = [&](const Saved& each) {
    return each.offset >= window.begin && each.offset <= window.end;
  };
  // Where the ring has not gone round yet, it has more of the past than any checkpoint.
  const bool has_all = window.begin == 0 && !notes.empty() && notes.front().number == 0;
  auto from = std::find_if(saved.begin(), saved.end(), is_reached);
  if (past == Past::none && from != saved.end())
    from = std::prev(std::find_if(saved.rbegin(), saved.rend(), is_reached).base());
  else if (has_all)
    from = saved.end();
  uint64_t first_note = 0;
  offset_ = window.begin;
  if (from != saved.end()) {
    make_screen(from->size);
    screen_->feed(from->snapshot);
    offset_ = from->offset;
    first_note = from->next_note;
  }
  const auto feed_to = [&](uint64_t end) {
    std::array<char, 64 << 10> buffer;
    while (offset_ < end) {
      const auto piece =
          journal.read(offset_, std::span(buffer).first(std::min<uint64_t>(buffer.size(), end - offset_)));
      if (piece.count == 0) break;
      screen_->feed({buffer.data(), piece.count});
      offset_ = piece.offset + piece.count;
    }
  };
  for (const Note& each : notes) {
    next_note_ = std::max(next_note_, each.number + 1);
    margin_bytes_ += sizeof(NoteHeader) + each.payload.size();
    if (each.kind == Kind::text) last_text_ = each.offset;
    if (each.number < first_note) continue;
    // Output from before the ring's beginning is gone; what was noted then still counts, for the size.
    feed_to(std::min(each.offset, window.end));
    apply(each);
  }
  feed_to(window.end);
  for (const Saved& each : saved) next_note_ = std::max(next_note_, each.next_note);
  if (!saved.empty()) {
    last_checkpoint_ = saved.back().offset;
    next_slot_ = (saved.back().slot + 1) % kSlots;
  }
  // What a kill or a full disk cut short must not stand before what follows.
  [[maybe_unused]] const int cut =
      ::truncate((options_.base + ".margin").c_str(), static_cast<off_t>(margin_bytes_));
  gate_.open = true;
}

void Display::remove(const std::string& base) {
  for (unsigned slot = 0; slot < kSlots; slot++) ::unlink(slot_path(base, slot).c_str());
  for (const char* suffix : {".margin", ".margin.new", ".journal"}) ::unlink((base + suffix).c_str());
}

}  // namespace session
