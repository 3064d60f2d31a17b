// SPDX-License-Identifier: Apache-2.0
// A root under a layer that takes the changes: an overlay for every folder of /, because the kernel lets no
// user namespace put one over a mount that has others in it, as / always has.
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <memory>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/calls.h"
#include "sandbox/features.h"
#include "sandbox/new_root.h"

namespace sandbox {
namespace {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;
using calls::Depth;

constexpr const char* kStage = "/tmp";
// In the new root while it is built: the layers need names that the kernel can look up.
constexpr const char* kWorkshop = "/.tend";

std::unexpected<base::Error> no_overlay(int reason) {
  return std::unexpected(missing(Feature::overlay, reason));
}

Result<Fd> make_overlay(const std::string& lower, const std::string& upper, const std::string& work) {
  const Fd filesystem = calls::open_filesystem("overlay");
  if (!filesystem) return no_overlay(errno);
  const std::pair<const char*, const char*> options[] = {
      {"source", "overlay"},     {"lowerdir", lower.c_str()}, {"upperdir", upper.c_str()},
      {"workdir", work.c_str()}, {"userxattr", nullptr},      {nullptr, nullptr}};
  for (const auto& [key, value] : options) {
    if (calls::configure(filesystem.get(), key, value) != 0) return no_overlay(errno);
  }
  Fd mount = calls::make_mount(filesystem.get(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  if (!mount) return no_overlay(errno);
  return mount;
}

}  // namespace

Result<void> NewRoot::stage_overlay(Sources& sources) {
  if (::mount("tmpfs", kStage, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0)
    return fail(Code::pty_spawn_failed, errno, "cannot build the sandbox: its root");
  root_.reset(::open(kStage, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (auto done = mount_new(kWorkshop, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700"); !done) return done;
  const std::string store = std::string(kWorkshop) + "/store";
  if (auto made = folder(store); !made) return fail(made);
  if (auto done = bind(sources.overlay.get(), store); !done) return done;
  for (const Sources::Top& each : sources.tops) {
    if (auto made = folder("/" + each.name); !made) return fail(made);
    auto done = each.layer ? add_layer(each, kWorkshop) : bind(each.tree.get(), "/" + each.name);
    if (!done) return done;
  }
  if (auto done = add_links(); !done) return done;
  const std::string workshop = std::string(kStage) + kWorkshop;
  // The overlays have their own hold on the layers.
  if (::umount2(workshop.c_str(), MNT_DETACH) != 0 || ::rmdir(workshop.c_str()) != 0)
    return fail(Code::pty_spawn_failed, errno, "cannot build the sandbox: its root");
  const Fd system = calls::clone_tree(AT_FDCWD, "/sys", Depth::all);
  if (!system) return {};
  if (calls::set_attributes(system.get(), {.set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID}) != 0)
    return std::unexpected(missing(Feature::mount_calls, errno));
  if (auto made = folder("/sys"); !made) return fail(made);
  return bind(system.get(), "/sys");
}

Result<void> NewRoot::add_layer(const Sources::Top& top, const std::string& workshop) {
  const std::string lower = workshop + "/lower/" + top.name;
  if (auto made = folder(lower); !made) return fail(made);
  if (auto done = bind(top.tree.get(), lower); !done) return done;
  const std::string at = kStage + workshop;
  auto overlay = make_overlay(at + "/lower/" + top.name, at + "/store/upper/" + top.name,
                              at + "/store/spare/" + top.name);
  if (!overlay) return fail(overlay);
  return bind(overlay->get(), "/" + top.name);
}

// /bin and its like are links on most systems.
Result<void> NewRoot::add_links() {
  const std::unique_ptr<DIR, int (*)(DIR*)> top(::opendir("/"), ::closedir);
  while (const dirent* entry = top ? ::readdir(top.get()) : nullptr) {
    char target[4096];
    const std::string path = std::string("/") + entry->d_name;
    const ssize_t size = ::readlink(path.c_str(), target, sizeof target - 1);
    if (size <= 0) continue;
    target[size] = '\0';
    if (::symlinkat(target, root_.get(), entry->d_name) != 0)
      return fail(Code::pty_spawn_failed, errno, "cannot build the sandbox: " + path);
  }
  return {};
}

}  // namespace sandbox
