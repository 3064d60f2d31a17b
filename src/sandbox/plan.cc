// SPDX-License-Identifier: Apache-2.0
#include "sandbox/plan.h"

#include <utility>

#include "pty/packing.h"

namespace sandbox {
namespace {

// A program and its plan come from one installation, but an upgrade may fall between the two.
constexpr uint32_t kVersion = 1;
constexpr uint32_t kBestEffort = 1;
constexpr uint32_t kKeepOverlay = 2;

// Three texts for each.
std::vector<std::string> flat(const std::vector<Bind>& binds) {
  std::vector<std::string> list;
  for (const Bind& each : binds) {
    list.push_back(each.source);
    list.push_back(each.target);
    list.emplace_back(each.access == Access::read_write ? "rw" : "ro");
  }
  return list;
}

std::optional<std::vector<Bind>> unflat(const std::vector<std::string>& list) {
  if (list.size() % 3 != 0) return {};
  std::vector<Bind> binds;
  for (size_t i = 0; i < list.size(); i += 3)
    binds.push_back({list[i], list[i + 1], list[i + 2] == "rw" ? Access::read_write : Access::read_only});
  return binds;
}

}  // namespace

std::string encode(const Plan& plan) {
  return pty::Writer()
      .u32(kVersion)
      .u32((plan.best_effort ? kBestEffort : 0) | (plan.keep_overlay ? kKeepOverlay : 0))
      .u32(static_cast<uint32_t>(plan.root))
      .u32(static_cast<uint32_t>(plan.network))
      .text(plan.session)
      .text(plan.hostname)
      .list(plan.homes)
      .list(flat(plan.binds))
      .list(plan.hidden)
      .text(plan.overlay_folder)
      .list(plan.domains)
      .text(plan.proxy_program)
      .u64(plan.limits.memory)
      .u64(plan.limits.pids)
      .u64(plan.limits.cpu_percent)
      .take();
}

std::optional<Plan> decode_plan(std::string_view bytes) {
  pty::Reader in(bytes);
  if (in.u32() != kVersion) return {};
  Plan plan;
  const uint32_t flags = in.u32();
  plan.best_effort = (flags & kBestEffort) != 0;
  plan.keep_overlay = (flags & kKeepOverlay) != 0;
  const uint32_t root = in.u32();
  const uint32_t network = in.u32();
  if (root > static_cast<uint32_t>(Root::overlay) || network > static_cast<uint32_t>(Network::proxy))
    return {};
  plan.root = static_cast<Root>(root);
  plan.network = static_cast<Network>(network);
  plan.session = in.text();
  plan.hostname = in.text();
  plan.homes = in.list();
  auto binds = unflat(in.list());
  if (!binds) return {};
  plan.binds = std::move(*binds);
  plan.hidden = in.list();
  plan.overlay_folder = in.text();
  plan.domains = in.list();
  plan.proxy_program = in.text();
  plan.limits.memory = in.u64();
  plan.limits.pids = in.u64();
  plan.limits.cpu_percent = in.u64();
  return pty::if_whole(in, std::move(plan));
}

}  // namespace sandbox
