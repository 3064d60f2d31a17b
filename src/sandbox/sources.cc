// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sources.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "sandbox/calls.h"
#include "sandbox/features.h"

namespace sandbox {
namespace {

using base::Code;
using base::fail;
using base::Fd;
using base::Result;
using calls::Depth;

// These are the sandbox's own, whatever its root is.
constexpr std::array<std::string_view, 6> kOwn = {"dev", "proc", "run", "sys", "tmp", "lost+found"};

int map(int tree, int user_namespace) {
  return calls::set_attributes(
      tree, {.set = MOUNT_ATTR_IDMAP, .user_namespace = static_cast<uint64_t>(user_namespace)});
}

Result<Fd> take(const std::string& path, Depth depth, uint64_t attributes, int user_namespace) {
  Fd tree = calls::clone_tree(AT_FDCWD, path.c_str(), depth);
  if (!tree && errno == ENOSYS) return std::unexpected(missing(Feature::mount_calls, ENOSYS));
  if (!tree) return fail(Code::pty_spawn_failed, errno, "cannot put " + path + " into the sandbox");
  if (user_namespace >= 0 && map(tree.get(), user_namespace) != 0) {
    // Another file system below may be what cannot be mapped; without it the folder still can.
    if (depth == Depth::all) return take(path, Depth::one, attributes, user_namespace);
    base::Error error = missing(Feature::idmapped_mounts, errno);
    error.what = path + ": " + error.what;
    return std::unexpected(std::move(error));
  }
  if (calls::set_attributes(tree.get(), {.set = attributes}) != 0)
    return std::unexpected(missing(Feature::mount_calls, errno));
  return tree;
}

Result<void> make_folder(const std::string& path, const struct stat& like) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return fail(Code::pty_spawn_failed, errno, "cannot make " + path);
  // Only root may give it to the owner of the original; for everyone else the top folders are their own.
  if (::geteuid() == 0 && ::lchown(path.c_str(), like.st_uid, like.st_gid) != 0)
    return fail(Code::pty_spawn_failed, errno, "cannot set up " + path);
  if (::chmod(path.c_str(), like.st_mode & 07777) != 0)
    return fail(Code::pty_spawn_failed, errno, "cannot set up " + path);
  return {};
}

Result<void> take_top(const Plan& plan, const std::string& name, int user_namespace, Sources& sources) {
  const std::string path = "/" + name;
  struct stat about{};
  if (::lstat(path.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) return {};
  constexpr uint64_t kAttributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  const bool separator = name.find_first_of(":,\\") != std::string::npos;  // of the options of an overlay
  if (auto layer = take(path, Depth::one, kAttributes, user_namespace); layer && !separator) {
    for (const char* part : {"/upper/", "/spare/"}) {
      if (auto made = make_folder(plan.overlay_folder + part + name, about); !made) return fail(made);
    }
    sources.tops.push_back({name, std::move(*layer), true});
    return {};
  }
  auto whole = take(path, Depth::all, kAttributes | MOUNT_ATTR_RDONLY, -1);
  // Nothing in a folder that cannot be had is needed by anyone.
  if (whole) sources.tops.push_back({name, std::move(*whole), false});
  return {};
}

Result<void> take_overlay(const Plan& plan, int user_namespace, Sources& sources) {
  struct stat plain{};
  plain.st_mode = 0700;
  plain.st_uid = ::geteuid();
  plain.st_gid = ::getegid();
  for (const char* part : {"", "/upper", "/spare"}) {
    if (auto made = make_folder(plan.overlay_folder + part, plain); !made) return fail(made);
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> top(::opendir("/"), ::closedir);
  if (!top) return fail(Code::pty_spawn_failed, errno, "cannot read /");
  while (const dirent* entry = ::readdir(top.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end()) continue;
    if (auto taken = take_top(plan, std::string(name), user_namespace, sources); !taken) return fail(taken);
  }
  auto store = take(plan.overlay_folder, Depth::one, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, user_namespace);
  if (!store) return fail(store);
  sources.overlay = std::move(*store);
  return {};
}

}  // namespace

Result<Sources> take_sources(const Plan& plan, int user_namespace) {
  Sources sources;
  for (const Bind& each : plan.binds) {
    const uint64_t access = each.access == Access::read_only ? MOUNT_ATTR_RDONLY : 0;
    auto tree = take(each.source, Depth::all, access | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, user_namespace);
    if (!tree) return fail(tree);
    sources.binds.push_back(std::move(*tree));
  }
  if (plan.root == Root::overlay) {
    if (auto taken = take_overlay(plan, user_namespace, sources); !taken) return fail(taken);
  }
  return sources;
}

Result<Fd> map_folder(int folder, int user_namespace) {
  Fd tree = calls::clone_tree(folder, "", Depth::one);
  if (!tree || map(tree.get(), user_namespace) != 0)
    return std::unexpected(missing(Feature::idmapped_mounts, errno));
  return tree;
}

}  // namespace sandbox
