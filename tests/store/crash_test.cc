// SPDX-License-Identifier: Apache-2.0
// A process that writes to the store is killed at random moments, again and again on the same file.
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/fd.h"
#include "opened_store.h"
#include "store/audit_read.h"

namespace store {
namespace {

constexpr int kRounds = 40;

struct Acknowledged {
  int64_t id;
  int64_t seq;
};

// Appends rows, in small bursts, and writes what was acknowledged to the pipe.
[[noreturn]] void append_until_killed(const StoreOptions& options, int pipe, int64_t first_id) {
  auto opened = Store::open(options);
  if (!opened) ::_exit(2);
  for (int64_t id = first_id;; id++) {
    (*opened)->append(entry(id), [pipe, id](const base::Result<int64_t>& seq) {
      if (!seq) ::_exit(3);
      const Acknowledged told{id, *seq};
      if (::write(pipe, &told, sizeof told) != sizeof told) ::_exit(4);
    });
    if (id % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

// True as long as whole records come.
bool read_acknowledged(int fd, Acknowledged& told) {
  return ::read(fd, &told, sizeof told) == static_cast<ssize_t>(sizeof told);
}

TEST(StoreKill, EveryAcknowledgedRowIsThereOnceWheneverTheWriterIsKilled) {
  const support::TempDir dir;
  const StoreOptions options = options_in(dir);
  std::mt19937 random(std::random_device{}());
  std::map<int64_t, int64_t> acknowledged;  // id to seq
  int64_t next_id = 1;
  for (int round = 0; round < kRounds; round++) {
    int ends[2];
    ASSERT_EQ(0, ::pipe2(ends, O_CLOEXEC));
    const base::Fd read_end(ends[0]);
    base::Fd write_end(ends[1]);
    const pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) append_until_killed(options, write_end.get(), next_id);
    write_end.reset();
    // Some are killed while they open the store.
    Acknowledged told{};
    if (round % 5 != 0 && read_acknowledged(read_end.get(), told)) acknowledged[told.id] = told.seq;
    // A random moment is the point of this, not a wait for something.
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    ::kill(writer, SIGKILL);
    int status = 0;
    ASSERT_EQ(writer, ::waitpid(writer, &status, 0));
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    while (read_acknowledged(read_end.get(), told)) acknowledged[told.id] = told.seq;

    if (!std::filesystem::exists(options.path + "-wal")) continue;  // killed before there was anything
    auto opened = Store::open(options);
    ASSERT_TRUE(opened) << opened.error().message();
    EXPECT_TRUE((*opened)->degraded().empty());
    auto connection = (*opened)->reader().value();
    std::map<int64_t, int64_t> found;
    ASSERT_TRUE(read_audit(connection, {}, [&](const AuditRow& row) {
      EXPECT_TRUE(found.emplace(row.entry.at, row.seq).second) << "twice: " << row.entry.at;
      return Next::more;
    }));
    for (const auto& [id, seq] : acknowledged) ASSERT_EQ(seq, found[id]) << "row of " << id;
    ASSERT_TRUE((*opened)->close());
    const auto report =
        verify_audit(options.path, load_public_key(options.key_path + ".pub").value()).value();
    ASSERT_TRUE(report.ok) << report.problem;
    next_id = found.empty() ? next_id : std::max(next_id, found.rbegin()->first + 1);
  }
  EXPECT_GT(acknowledged.size(), 100U);
  std::printf("%d kills, %zu rows acknowledged\n", kRounds, acknowledged.size());
}

}  // namespace
}  // namespace store
