// SPDX-License-Identifier: Apache-2.0
// What a sandbox needs of the kernel: whether it is there, what it is called, and what to do where it is not.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace sandbox {

enum class Feature {
  user_namespaces,
  mount_namespaces,
  pid_namespaces,
  uts_namespaces,
  ipc_namespaces,
  network_namespaces,
  cgroup_namespaces,
  mount_calls,  // open_tree, mount_setattr, openat2
  proc_mounts,
  idmapped_mounts,
  overlay,
  seccomp,
  landlock,
  cgroup_limits,
};

std::string_view name_of(Feature feature);
// What to switch on, or to do instead.
std::string remedy_for(Feature feature);
// "the sandbox needs NAME: REMEDY", with the reason.
base::Error missing(Feature feature, int reason);
// The same as a sentence for `missing`, where it is done without.
std::string note(Feature feature, int reason);

// The flag of clone(2) for a kind of namespace, 0 for the rest.
int clone_flag(Feature feature);
// 0, or the errno with which the kernel refuses this namespace (in a user namespace of its own) to this user.
// Another process tries it.
int try_namespace(Feature feature);

// Tries everything, in other processes; changes nothing.
struct Tried {
  Feature feature;
  int reason;  // 0: it is there
};
std::vector<Tried> try_all();

}  // namespace sandbox
