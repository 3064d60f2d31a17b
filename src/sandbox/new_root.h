// SPDX-License-Identifier: Apache-2.0
// NewRoot: the file system of a sandbox, built beside the old one and then entered. For the first process of
// new user, mount and PID namespaces. Every name is looked up in the new root (openat2, RESOLVE_IN_ROOT), so
// that no link leads out of it.
#pragma once
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "sandbox/plan.h"
#include "sandbox/sources.h"

namespace sandbox {

class NewRoot {
 public:
  explicit NewRoot(const Plan& plan) : plan_(plan) {}

  base::Result<void> build(Sources sources);
  // Afterwards / is the new root, and nothing of the old one can be reached.
  base::Result<void> enter();

  // What may be written in it, for Landlock.
  std::vector<std::string> writable() const;

 private:
  using Done = base::Result<void>;

  Done stage_readonly();
  Done stage_overlay(Sources& sources);
  Done add_layer(const Sources::Top& top, const std::string& workshop);
  Done add_links();
  Done add_system();
  Done add_devices();
  Done add_homes();
  Done add_binds(Sources& sources);
  Done hide();

  // Places in the new root, made where they are not there yet.
  base::Result<base::Fd> folder(const std::string& path);
  base::Result<base::Fd> file(const std::string& path);
  Done mount_new(const std::string& path, const char* type, unsigned long flags, const char* options);
  Done bind(int tree, const std::string& path);

  const Plan& plan_;
  base::Fd root_;
};

}  // namespace sandbox
