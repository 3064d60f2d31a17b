// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "base/strings.h"
#include "cli/output.h"
#include "cli/report.h"

namespace cli {
namespace {

namespace json = wire::json;

std::string_view health_name(Health health) {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::warn:
      return "warn";
    case Health::fail:
      return "fail";
  }
  return "";
}

Tone tone_of(Health health) {
  return health == Health::ok ? Tone::good : health == Health::warn ? Tone::busy : Tone::bad;
}

json::object to_json(const std::vector<Finding>& findings, bool good) {
  json::array checks;
  for (const Finding& each : findings)
    checks.push_back(
        json::object{{"check", each.check},
                     {"state", health_name(each.health)},
                     {"detail", each.detail},
                     {"remedy", each.remedy.empty() ? json::value(nullptr) : json::value(each.remedy)}});
  return {{"ok", good}, {"checks", std::move(checks)}};
}

std::string to_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& each : findings) {
    const std::string_view name = health_name(each.health);
    text += fmt::format("{}{} {:<16} {}\n", toned(name, tone_of(each.health)),
                        std::string(4 - name.size(), ' '), each.check, base::printable(each.detail, 1000));
    if (!each.remedy.empty())
      text += fmt::format("{:22}{}\n", "", base::printable("-> " + each.remedy, 1000));
  }
  return text;
}

}  // namespace

int doctor(const DoctorOptions& options) {
  const std::vector<Finding> findings = examine();
  const bool good = std::none_of(findings.begin(), findings.end(),
                                 [](const Finding& each) { return each.health == Health::fail; });
  const int printed = options.json ? print_json(to_json(findings, good)) : print(to_text(findings));
  return good ? printed : static_cast<int>(kFailed);
}

}  // namespace cli
