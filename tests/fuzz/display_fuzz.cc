// SPDX-License-Identifier: Apache-2.0
// The files beside a journal, as the fuzzer says: a display is recovered from them or without them, goes on,
// and the next one finds what it noted.
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "base/fd.h"
#include "session/display.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

struct Place {
  Place() {
    char name[] = "/dev/shm/display_fuzz.XXXXXX";
    check(::mkdtemp(name) != nullptr);
    base = std::string(name) + "/pty";
    const base::Fd folder(::open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    file = pty::Journal::create(folder.get(), "pty.journal", pty::Journal::kLeastCapacity).value();
    const auto pipe = base::make_pipe().value();
    auto journal = pty::Journal::map(file.get(), pty::Journal::Access::write).value();
    check(::write(pipe.write_end.get(), "some output\r\n", 13) == 13);
    check(journal.take(pipe.read_end.get(), 13).value() == 13);
  }
  ~Place() {
    session::Display::remove(base);
    ::rmdir(base.substr(0, base.rfind('/')).c_str());
  }
  std::string base;
  base::Fd file;
};

void write_file(const std::string& path, std::string_view bytes) {
  const base::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  check(base::write_all(file.get(), bytes).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Place place;
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t cut = (static_cast<size_t>(data[0]) << 8 | data[1]) % (bytes.size() + 1);
  write_file(place.base + ".margin", bytes.substr(0, cut));
  write_file(place.base + ".screen0", "tendscr1" + std::string(bytes.substr(cut)));
  auto journal = pty::Journal::map(place.file.get(), pty::Journal::Access::write).value();
  const session::Display::Options options{.base = place.base, .scrollback_rows = 50};

  session::Display display(options, {80, 24}, nullptr);
  display.recover(journal);
  check(display.offset() == journal.window().end);
  display.resize({61, 17});
  display.show("a note");
  session::Display next(options, {80, 24}, nullptr);
  next.recover(journal);
  check(next.screen().same_but_scrollback(display.screen()));
  return 0;
}
