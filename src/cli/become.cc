// SPDX-License-Identifier: Apache-2.0
#include "cli/become.h"

#include <cerrno>
#include <unistd.h>

#include "base/programs.h"
#include "cli/report.h"

namespace cli {

int become(const std::string& name, std::vector<std::string> arguments) {
  const auto program = base::find_program(name);
  if (!program) return report(program.error());
  std::vector<char*> argv = {const_cast<char*>(program->c_str())};
  for (std::string& each : arguments) argv.push_back(each.data());
  argv.push_back(nullptr);
  ::execv(program->c_str(), argv.data());
  return report({base::Code::internal, errno, "cannot start " + *program});
}

}  // namespace cli
