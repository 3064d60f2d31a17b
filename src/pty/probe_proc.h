// SPDX-License-Identifier: Apache-2.0
// What one look reads of /proc. Everything goes through small buffers on the stack: a look leaves no memory
// behind in the keeper, and a file without end costs no more than the caller wants to read of it.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "base/fd.h"

namespace pty::probe {

// One thread. Threads and not processes are asked for everything, because a process whose first thread has
// ended shows neither descriptors nor memory.
struct Task {
  pid_t pid = 0;
  pid_t tid = 0;
};

struct Path {
  char text[64];
};
Path task_path(Task task, const char* file);                  // /proc/PID/task/TID/FILE
Path task_path(Task task, const char* folder, int numbered);  // …/FOLDER/NUMBER

// What one read() gives of a file, closed by a zero byte, or the errno.
struct ProcText {
  std::string_view text;
  int error = 0;
};
ProcText read_once(const Path& path, std::span<char> into);

// The pieces of a file of any length, one after the other. One that does not fit the buffer is the last.
class Pieces {
 public:
  Pieces(const Path& path, char separator);
  std::optional<std::string_view> next();

 private:
  base::Fd file_;
  char separator_;
  size_t begin_ = 0;
  size_t end_ = 0;
  std::array<char, 1024> buffer_;
};

// The entries of a folder that are numbers: threads, descriptors.
class Numbers {
 public:
  explicit Numbers(const Path& path);
  std::optional<int> next();

 private:
  base::Fd folder_;
  size_t at_ = 0;
  size_t end_ = 0;
  alignas(8) std::array<char, 1024> buffer_;
};

// The number behind a label and blanks, if there is one.
std::optional<uint64_t> number_after(std::string_view text, std::string_view label, int base = 10);

struct TaskState {
  char state = '?';
  pid_t group = 0;
  pid_t session = 0;
  dev_t terminal = 0;    // the controlling one
  pid_t foreground = 0;  // its process group in front
  int threads = 0;       // of its process
  std::string name = {};

  bool stopped() const { return state == 'T' || state == 't'; }
  bool dead() const { return state == 'Z' || state == 'X'; }
  bool works() const { return state == 'R' || state == 'D'; }
};
std::optional<TaskState> state_of(Task task);

// The same for whoever asks again and again: the file stays open, and a look is one system call.
class StateFile {
 public:
  explicit StateFile(Task task);
  std::optional<TaskState> now() const;

 private:
  base::Fd file_;
};

// A device as the kernel packs it into 32 bits for stat(5) and TIOCGDEV.
dev_t unpack_device(uint32_t packed);

// How often a thread has been given a processor. The file stays open: a look is one system call.
class Turns {
 public:
  explicit Turns(Task task);
  uint64_t now() const;

 private:
  base::Fd file_;
};

// Whether a process ignores all of these signals.
bool ignores_all(Task task, std::span<const int> signals);

// Memory of another process, whole or not at all.
bool peek(Task task, uint64_t address, void* into, size_t size);

}  // namespace pty::probe
