// SPDX-License-Identifier: Apache-2.0
#include "loop/prompt_source.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/strings.h"
#include "loop/backend.h"

namespace loop {
namespace {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;

constexpr off_t kMostPrompt = 4 << 20;

Result<void> write_private(const std::string& path, const std::string& text) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return fail(Code::internal, errno, "cannot write " + path);
  return base::write_all(file.get(), text);
}

}  // namespace

PromptSource::PromptSource(const config::EventLoop& settings, const std::string& cwd, std::string folder)
    : given_(settings.prompt),
      file_((std::filesystem::path(cwd) / settings.prompt_file).string()),
      folder_(std::move(folder)) {}

Result<std::string> PromptSource::read() const {
  // Not blocking: a pipe in the file's place must not hold the loop up.
  const Fd file(::open(file_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat about{};
  if (!file || ::fstat(file.get(), &about) != 0)
    return fail(Code::invalid_param, errno, "cannot read the prompt from " + file_);
  if (!S_ISREG(about.st_mode)) return fail(Code::invalid_param, 0, "the prompt is no file: " + file_);
  if (about.st_size > kMostPrompt)
    return fail(Code::invalid_param, 0, fmt::format("the prompt is longer than 4 MiB: {}", file_));
  std::string text(static_cast<size_t>(about.st_size), '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t n = ::read(file.get(), text.data() + size, text.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(Code::invalid_param, errno, "cannot read the prompt from " + file_);
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  text.resize(size);
  if (base::trim(text).empty()) return fail(Code::invalid_param, 0, "the prompt is empty: " + file_);
  return text;
}

Result<PromptSource::Prompt> PromptSource::next(int iteration, const std::optional<FailedCheck>& check) {
  Prompt prompt;
  if (given_) {
    prompt.text = *given_;
  } else {
    auto text = read();
    if (!text && !last_) return fail(text);
    if (text)
      last_ = std::move(*text);
    else
      prompt.warning = text.error().message();
    prompt.text = *last_;
  }
  // No program takes a zero byte in an argument.
  std::erase(prompt.text, '\0');
  if (check) {
    while (prompt.text.ends_with('\n')) prompt.text.pop_back();
    prompt.text += fmt::format("\n\nThe check `{}` failed with exit code {}. Its output ended with:\n{}\n",
                               check->command, check->exit_code, check->output);
  }
  prompt.spoken = prompt.text;
  if (prompt.text.size() > kLongestPrompt) {
    const std::string path = fmt::format("{}/prompt-{:04}.txt", folder_, iteration);
    if (auto written = write_private(path, prompt.text); !written) return fail(written);
    prompt.spoken = request_to_read(path);
  }
  return prompt;
}

}  // namespace loop
