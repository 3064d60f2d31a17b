// SPDX-License-Identifier: Apache-2.0
// docs/protocol.md says what the code does: every method with exactly its parameters, every notification,
// every code. Neither can change without the other.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/strings.h"
#include "daemon/methods.h"
#include "support/temp_dir.h"
#include "wire/message.h"

namespace host {
namespace {

std::string page() { return support::read_file(PROTOCOL_PAGE); }

// What stands under each heading "### `name`" of a part of the page.
std::map<std::string, std::string> sections(std::string_view part_begin, std::string_view part_end) {
  const std::string all = page();
  const size_t begin = all.find(part_begin);
  EXPECT_NE(std::string::npos, begin);
  const std::string part =
      all.substr(begin, part_end.empty() ? std::string::npos : all.find(part_end, begin) - begin);
  const std::string mark = "\n### `";
  std::map<std::string, std::string> found;
  for (size_t at = part.find(mark); at != std::string::npos;) {
    const size_t name = at + mark.size();
    const size_t next = part.find(mark, name);
    found[part.substr(name, part.find('`', name) - name)] =
        part.substr(name, next == std::string::npos ? next : next - name);
    at = next;
  }
  return found;
}

std::string kind_of(const wire::Param& param) {
  std::string kind(wire::kind_name(param.kind));
  if (param.kind != wire::Kind::integer) return kind;
  if (param.most == std::numeric_limits<int64_t>::max())
    return fmt::format("{}, {} or more", kind, param.least);
  return fmt::format("{}, {} to {}", kind, param.least, param.most);
}

// The messages in its examples.
std::vector<std::string> examples(const std::string& section) {
  const std::string fence = "```json\n";
  std::vector<std::string> found;
  for (size_t at = section.find(fence); at != std::string::npos; at = section.find(fence, at + 1)) {
    const size_t begin = at + fence.size();
    found.push_back(section.substr(begin, section.find("\n```", begin) - begin));
  }
  return found;
}

TEST(ProtocolPage, HasEveryMethodWithItsParametersAndNoOther) {
  auto written = sections("\n## Methods", "\n## Notifications");
  for (const Method& method : methods()) {
    const auto found = written.find(std::string(method.name));
    ASSERT_NE(written.end(), found) << method.name << " is missing";
    const std::string& section = found->second;
    size_t rows = 0;
    for (const std::string_view line : base::split(section, '\n')) rows += line.starts_with("| `") ? 1U : 0U;
    EXPECT_EQ(method.params.size(), rows) << method.name;
    EXPECT_EQ(method.params.empty(), section.find("\nNo parameters.\n") != std::string::npos) << method.name;
    for (const wire::Param& each : method.params)
      EXPECT_THAT(section, testing::HasSubstr(
                               fmt::format("\n| `{}` | {} | {} | ", each.name, kind_of(each),
                                           each.need == wire::Need::required ? "required" : "optional")))
          << method.name;
    EXPECT_THAT(section, testing::HasSubstr("\n**Result**: ")) << method.name;
    EXPECT_THAT(section, testing::HasSubstr("\n**Errors**: ")) << method.name;
    written.erase(found);
  }
  EXPECT_TRUE(written.empty()) << written.begin()->first << " does not exist";
}

TEST(ProtocolPage, HasExamplesThatTheMethodsTake) {
  for (const auto& [name, section] : sections("\n## Methods", "\n## Notifications")) {
    const auto all = examples(section);
    ASSERT_FALSE(all.empty()) << name;
    const auto message = wire::parse_message(all[0]);
    ASSERT_TRUE(message) << name;
    const auto& request = std::get<wire::Request>(*message);
    EXPECT_EQ(name, request.method);
    const auto good = wire::check(request.params, find_method(name)->params);
    EXPECT_TRUE(good) << name << ": " << good.error().message();
    for (size_t i = 1; i < all.size(); i++) {
      const auto answer = wire::parse_message(all[i]);
      EXPECT_TRUE(answer && std::holds_alternative<wire::Response>(*answer)) << all[i];
    }
  }
}

TEST(ProtocolPage, HasEveryNotificationAndNoOther) {
  auto written = sections("\n## Notifications", "");
  for (const std::string_view name : notifications()) {
    const auto found = written.find(std::string(name));
    ASSERT_NE(written.end(), found) << name << " is missing";
    const auto all = examples(found->second);
    ASSERT_EQ(1U, all.size()) << name;
    const auto message = wire::parse_message(all[0]);
    ASSERT_TRUE(message) << all[0];
    EXPECT_EQ(name, std::get<wire::Request>(*message).method);
    EXPECT_FALSE(std::get<wire::Request>(*message).id);
    written.erase(found);
  }
  EXPECT_TRUE(written.empty()) << written.begin()->first << " does not exist";
}

TEST(ProtocolPage, HasEveryCodeWithItsNumberAndNoOther) {
  const std::string all = page();
  const std::string part =
      all.substr(all.find("\n## Messages"), all.find("\n## Attaching") - all.find("\n## Messages"));
  size_t rows = 0;
  for (const std::string_view line : base::split(part, '\n')) rows += line.starts_with("| `") ? 1U : 0U;
  // What comes behind `internal` is a client's own.
  const auto last = static_cast<size_t>(base::Code::internal);
  EXPECT_EQ(last + 1, rows);
  for (size_t i = 0; i <= last; i++) {
    const auto code = static_cast<base::Code>(i);
    EXPECT_THAT(part, testing::HasSubstr(
                          fmt::format("\n| `{}` | {} | ", base::code_name(code), wire::number_of(code))));
  }
}

TEST(ProtocolPage, SaysTheVersion) {
  EXPECT_THAT(page(), testing::HasSubstr(fmt::format("The version is {}.", wire::kVersion)));
  EXPECT_THAT(page(), testing::HasSubstr(
                          fmt::format("\"method\":\"hello\",\"params\":{{\"version\":{}", wire::kVersion)));
}

TEST(MethodsTable, IsSortedSoThatAllAreFound) {
  for (const Method& each : methods()) EXPECT_EQ(&each, find_method(each.name));
  EXPECT_EQ(nullptr, find_method("pty"));
  EXPECT_EQ(nullptr, find_method(""));
  EXPECT_EQ(nullptr, find_method("zzz"));
}

}  // namespace
}  // namespace host
