// SPDX-License-Identifier: Apache-2.0
// Plan: everything that a sandbox is made of, decided before it is started. The daemon makes it, the keeper's
// program reads it first thing and builds what it says. No secret is in it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sandbox {

enum class Root : uint32_t { readonly, overlay };
enum class Network : uint32_t { host, none, proxy };
enum class Access : uint32_t { read_only, read_write };

// The port at which the programs find the proxy, on a loopback that is theirs alone.
constexpr uint16_t kProxyPort = 3128;

struct Bind {
  std::string source;  // outside, without links
  std::string target;  // inside
  Access access = Access::read_only;
  bool operator==(const Bind&) const = default;
};

struct Limits {
  uint64_t memory = 0;       // bytes; 0: none, as in the others
  uint64_t pids = 0;         // processes and threads
  uint64_t cpu_percent = 0;  // of one processor
  bool any() const { return memory != 0 || pids != 0 || cpu_percent != 0; }
  bool operator==(const Limits&) const = default;
};

struct Plan {
  std::string session;
  std::string hostname;
  Root root = Root::readonly;
  Network network = Network::host;
  bool best_effort = false;
  std::vector<std::string> homes;   // empty inside, but for what is bound into them
  std::vector<Bind> binds;          // the workspace first; later ones over earlier ones
  std::vector<std::string> hidden;  // tend's own folders: nothing of them is ever seen
  std::string overlay_folder;       // takes the changes; empty with a read-only root
  bool keep_overlay = false;        // else they go with the session
  std::vector<std::string> domains;
  std::string proxy_program;
  Limits limits;
  bool operator==(const Plan&) const = default;
};

constexpr size_t kMostPlan = 1 << 20;

std::string encode(const Plan& plan);
// Nothing for what is not exactly a plan.
std::optional<Plan> decode_plan(std::string_view bytes);

}  // namespace sandbox
