// SPDX-License-Identifier: Apache-2.0
#include "cli/channel_settings.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/ids.h"
#include "config/file.h"
#include "config/load.h"
#include "config/yaml.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
using config::YamlNode;

std::string block_of(const std::string& kind, const std::vector<std::string>& lines, size_t indent) {
  std::string text = fmt::format("{:{}}{}:\n", "", indent, kind);
  for (const std::string& line : lines) text += fmt::format("{:{}}{}\n", "", indent + 2, line);
  return text;
}

std::optional<size_t> index_of(const YamlNode& map, std::string_view key) {
  for (size_t i = 0; i < map.keys.size(); i++)
    if (map.keys[i].text == key) return i;
  return {};
}

// Where line `number`, counted from 1, begins.
size_t line_start(std::string_view text, int number) {
  size_t at = 0;
  for (int line = 1; line < number; line++) {
    const size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return text.size();
    at = end + 1;
  }
  return at;
}

std::unexpected<base::Error> by_hand(const std::string& file, const std::string& kind,
                                     const std::vector<std::string>& lines) {
  return fail(Code::invalid_param, 0,
              fmt::format("{} is written in a way that cannot be added to; add this to it:\nchannels:\n{}",
                          file, block_of(kind, lines, 2)));
}

}  // namespace

Result<std::string> with_channel(std::string_view yaml, const std::string& file, const std::string& kind,
                                 const std::vector<std::string>& lines) {
  const auto root = config::parse_yaml(yaml, file);
  if (!root) return std::unexpected(root.error().error());
  std::string text(yaml);
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  const auto channels = root->kind == YamlNode::Kind::map ? index_of(*root, "channels") : std::nullopt;
  if (!channels) {
    if (root->kind != YamlNode::Kind::map && root->kind != YamlNode::Kind::null)
      return by_hand(file, kind, lines);
    return text + "channels:\n" + block_of(kind, lines, 2);
  }
  const YamlNode& key = root->keys[*channels];
  const YamlNode& group = root->items[*channels];
  if (group.kind == YamlNode::Kind::null)
    return text.insert(line_start(text, key.line + 1), block_of(kind, lines, 2));
  if (group.kind != YamlNode::Kind::map || group.keys.empty()) return by_hand(file, kind, lines);
  if (const auto there = index_of(group, kind))
    return fail(Code::invalid_param, 0,
                fmt::format("{}:{} has a channel {} already; change it there, or take it out first", file,
                            group.keys[*there].line, kind));
  const YamlNode& first = group.keys[0];
  if (first.line == key.line) return by_hand(file, kind, lines);
  return text.insert(line_start(text, first.line),
                     block_of(kind, lines, static_cast<size_t>(std::max(first.column - 1, 1))));
}

Result<void> write_private(const std::string& path, std::string_view text) {
  const std::string fresh = fmt::format("{}.{}", path, base::new_id());
  {
    const base::Fd file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return fail(Code::internal, errno, "cannot write " + path);
    auto written = base::write_all(file.get(), text);
    if (!written || ::fsync(file.get()) != 0) {
      const int reason = errno;
      ::unlink(fresh.c_str());
      return fail(Code::internal, written ? reason : written.error().sys, "cannot write " + path);
    }
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(fresh.c_str());
    return fail(Code::internal, reason, "cannot write " + path);
  }
  return {};
}

Result<void> write_channel(const std::string& file, const std::string& kind,
                           const std::vector<std::string>& lines) {
  const auto old = config::read_file(file, config::Found::in_home);
  if (!old) return std::unexpected(old.error().error());
  auto text = with_channel(old->value_or(""), file, kind, lines);
  if (!text) return fail(text);
  if (auto loaded = config::load_text(*text, file); !loaded) return fail(loaded);
  return write_private(file, *text);
}

}  // namespace cli
