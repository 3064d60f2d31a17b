// SPDX-License-Identifier: Apache-2.0
// What the store costs: appending on the caller's thread, committing on the store's own, verifying.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "measure.h"
#include "store/audit_read.h"
#include "store/store.h"
#include "store/verify.h"

namespace {

constexpr int kRows = 100'000;
constexpr int kBurst = 1000;

template <typename T>
T must(base::Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message().c_str());
    std::exit(1);
  }
  return std::move(*result);
}

store::AuditEntry entry(int i) {
  store::AuditEntry made;
  made.at = store::wall_now();
  made.session = "0123456789abcdef";
  made.pty = 0;
  made.action = "write";
  made.agent = "claude";
  made.channel = "mcp";
  made.bytes = "git commit -m 'a change of number " + std::to_string(i) + "'\r";
  made.journal_offset = i * 100;
  made.summary = "42 bytes";
  return made;
}

void wait_for(const std::atomic<int>& count, int wanted) {
  while (count < wanted) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

// The bare disk: what one acknowledged row alone cannot be faster than.
double sync_us(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  std::vector<double> times;
  const std::string block(4096, 'x');
  for (int i = 0; i < 200; i++) {
    const double start = bench::now();
    if (::write(fd, block.data(), block.size()) < 0 || ::fdatasync(fd) != 0) std::exit(1);
    times.push_back((bench::now() - start) * 1e6);
  }
  ::close(fd);
  return bench::median(times);
}

void bench_append(store::Store& store) {
  std::vector<double> calls;
  std::atomic<int> written = 0;
  const double start = bench::now();
  for (int i = 0; i < kRows; i++) {
    store::AuditEntry made = entry(i);
    const double before = bench::now();
    store.append(std::move(made), [&](const base::Result<int64_t>& seq) { written += seq ? 1 : 0; });
    calls.push_back((bench::now() - before) * 1e6);
    // Bursts with a pause, so that the queue's bound is never reached and some calls find the thread asleep.
    if (i % kBurst == kBurst - 1) wait_for(written, i + 1 - 20 * kBurst);
  }
  wait_for(written, kRows);
  const double took = bench::now() - start;
  std::printf("append, caller's thread     median %6.2f us   99%% %6.2f us   99.9%% %6.2f us\n",
              bench::quantile(calls, 0.5), bench::quantile(calls, 0.99), bench::quantile(calls, 0.999));
  std::printf("written and acknowledged    %.0f rows/s in batches\n", kRows / took);
}

void bench_alone(store::Store& store, double bare_us) {
  std::vector<double> calls;
  std::vector<double> times;
  for (int i = 0; i < 200; i++) {
    std::atomic<int> written = 0;
    const double start = bench::now();
    store.append(entry(i), [&](const base::Result<int64_t>&) { written = 1; });
    calls.push_back((bench::now() - start) * 1e6);
    while (written == 0) std::this_thread::yield();
    times.push_back((bench::now() - start) * 1e6);
  }
  std::printf("append to a sleeping store  median %6.2f us   99%% %6.2f us\n", bench::quantile(calls, 0.5),
              bench::quantile(calls, 0.99));
  std::printf("one row, to acknowledged    median %6.0f us   (write + fdatasync alone: %.0f us)\n",
              bench::median(times), bare_us);
}

void bench_verify(const std::string& path, const store::PublicKey& key) {
  std::vector<double> times;
  store::VerifyReport report;
  for (int i = 0; i < 5; i++) {
    const double start = bench::now();
    report = must(store::verify_audit(path, key));
    times.push_back(bench::now() - start);
  }
  if (!report.ok) {
    std::fprintf(stderr, "%s\n", report.problem.c_str());
    std::exit(1);
  }
  const double took = bench::median(times);
  std::printf("verify                      %ld rows in %.3f s, %.0f rows/s   %s\n", report.rows, took,
              static_cast<double>(report.rows) / took, took < 1.0 ? "ok" : "MISSED");
}

void bench_export(const store::Store& store) {
  auto reader = must(store.reader());
  size_t bytes = 0;
  const double start = bench::now();
  const auto done = store::export_jsonl(reader, {}, [&](std::string_view line) -> base::Result<void> {
    bytes += line.size();
    return {};
  });
  if (!done) std::exit(1);
  const double took = bench::now() - start;
  std::printf("export as JSON              %.1f MB in %.3f s\n", static_cast<double>(bytes) / 1e6, took);
}

}  // namespace

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "tend-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  store::StoreOptions options;
  options.path = folder + "/store.db";
  options.key_path = folder + "/audit.key";
  options.archive_folder = folder + "/archive";
  {
    const auto store = must(store::Store::open(options));
    bench_alone(*store, sync_us(folder + "/bare"));
    bench_append(*store);
    bench_verify(options.path, must(store::load_public_key(options.key_path + ".pub")));
    bench_export(*store);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}
