// SPDX-License-Identifier: Apache-2.0
// tend doctor: looks at what tend needs on this machine, and says what to do where something is missing.
#pragma once
#include <string>
#include <vector>

namespace cli {

enum class Health { ok, warn, fail };

struct Finding {
  std::string check;
  Health health = Health::ok;
  std::string detail;
  std::string remedy;  // empty when it is ok
};

// Leaves everything as it finds it; starts no daemon.
std::vector<Finding> examine();

struct DoctorOptions {
  bool json = false;
};
// kFailed if a finding is.
int doctor(const DoctorOptions& options);

}  // namespace cli
