// SPDX-License-Identifier: Apache-2.0
#include "sandbox/new_root.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
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

// Where the new root stands until it is entered; every system has it.
constexpr const char* kStage = "/tmp";
constexpr unsigned long kPlain = MS_NOSUID | MS_NODEV;

std::unexpected<base::Error> cannot(const std::string& what, int reason) {
  return fail(Code::pty_spawn_failed, reason, "cannot build the sandbox: " + what);
}

std::string name_of(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

std::string parent_of(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

std::string last_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

Result<void> NewRoot::build(Sources sources) {
  // Nothing that is mounted here or there from now on is seen on the other side.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return std::unexpected(missing(Feature::user_namespaces, errno));
  if (auto done = plan_.root == Root::overlay ? stage_overlay(sources) : stage_readonly(); !done) return done;
  if (auto done = add_system(); !done) return done;
  if (auto done = add_devices(); !done) return done;
  if (auto done = add_homes(); !done) return done;
  if (auto done = add_binds(sources); !done) return done;
  if (auto done = hide(); !done) return done;
  // What is not in one of its folders would be kept nowhere.
  if (plan_.root == Root::overlay && ::mount(nullptr, name_of(root_.get()).c_str(), nullptr,
                                             MS_REMOUNT | MS_BIND | MS_RDONLY | kPlain, nullptr) != 0)
    return cannot("its root", errno);
  return {};
}

Result<void> NewRoot::stage_readonly() {
  const Fd tree = calls::clone_tree(AT_FDCWD, "/", Depth::all);
  const Fd stage(::open(kStage, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!stage) return cannot("there is no /tmp", errno);
  if (!tree || calls::set_attributes(tree.get(),
                                     {.set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV}) != 0)
    return std::unexpected(missing(Feature::mount_calls, errno));
  if (calls::attach(tree.get(), stage.get()) != 0) return cannot("its root", errno);
  root_.reset(::open(kStage, O_PATH | O_DIRECTORY | O_CLOEXEC));
  return {};
}

Result<void> NewRoot::add_system() {
  // Only a process in a PID namespace of its own may do this, and only where the old /proc hides nothing.
  if (auto done = mount_new("/proc", "proc", kPlain | MS_NOEXEC, nullptr); !done)
    return std::unexpected(missing(Feature::proc_mounts, done.error().sys));
  if (auto done = mount_new("/tmp", "tmpfs", kPlain, "mode=1777"); !done) return done;
  if (auto done = mount_new("/run", "tmpfs", kPlain, "mode=0755"); !done) return done;
  return mount_new("/var/tmp", "tmpfs", kPlain, "mode=1777");
}

Result<void> NewRoot::add_devices() {
  if (auto done = mount_new("/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=0755"); !done) return done;
  for (const char* name : {"null", "zero", "full", "random", "urandom", "tty"}) {
    const std::string path = std::string("/dev/") + name;
    const Fd tree = calls::clone_tree(AT_FDCWD, path.c_str(), Depth::one);
    if (!tree) return cannot(path, errno);
    if (auto done = file(path); !done) return fail(done);
    if (auto done = bind(tree.get(), path); !done) return done;
  }
  const auto dev = folder("/dev");
  if (!dev) return std::unexpected(dev.error());
  const std::pair<const char*, const char*> links[] = {{"/proc/self/fd", "fd"},
                                                       {"/proc/self/fd/0", "stdin"},
                                                       {"/proc/self/fd/1", "stdout"},
                                                       {"/proc/self/fd/2", "stderr"},
                                                       {"pts/ptmx", "ptmx"}};
  for (const auto& [target, name] : links) {
    if (::symlinkat(target, dev->get(), name) != 0) return cannot("/dev", errno);
  }
  // A devpts of its own: the terminals of the host have no names in here, and those in here none outside.
  if (auto done =
          mount_new("/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620");
      !done)
    return done;
  return mount_new("/dev/shm", "tmpfs", kPlain, "mode=1777");
}

Result<void> NewRoot::add_homes() {
  for (const std::string& home : plan_.homes) {
    auto place = folder(home);
    // A home that is not there needs no hiding.
    if (!place && place.error().sys == EROFS) continue;
    if (!place) return fail(place);
    if (auto done = mount_new(home, "tmpfs", kPlain, "mode=0700"); !done) return done;
  }
  return {};
}

Result<void> NewRoot::add_binds(Sources& sources) {
  for (size_t i = 0; i < plan_.binds.size(); i++) {
    const Bind& each = plan_.binds[i];
    const int tree = sources.binds[i].get();
    struct stat about{};
    if (::fstat(tree, &about) != 0) return cannot(each.source, errno);
    auto place = S_ISDIR(about.st_mode) ? folder(each.target) : file(each.target);
    if (!place && place.error().sys == EROFS)
      return fail(Code::invalid_param, 0,
                  each.target +
                      " is not there, and the sandbox's root is read-only: make it, or set "
                      "sandbox.root: overlay");
    if (!place) return fail(place);
    if (auto done = bind(tree, each.target); !done) return done;
  }
  return {};
}

Result<void> NewRoot::hide() {
  for (const std::string& path : plan_.hidden) {
    const Fd there = calls::open_in(root_.get(), path, O_PATH);
    if (!there) continue;
    struct stat about{};
    if (::fstat(there.get(), &about) != 0) return cannot(path, errno);
    if (S_ISDIR(about.st_mode)) {
      if (auto done = mount_new(path, "tmpfs", kPlain | MS_RDONLY, "mode=0000"); !done) return done;
      continue;
    }
    const Fd nothing = calls::clone_tree(AT_FDCWD, "/dev/null", Depth::one);
    if (auto done = bind(nothing.get(), path); !done) return done;
  }
  return {};
}

// The new root is put where the old one is, which then lies under it and is let go.
Result<void> NewRoot::enter() {
  if (::fchdir(root_.get()) != 0 || calls::pivot_root(".", ".") != 0 || ::umount2(".", MNT_DETACH) != 0 ||
      ::chdir("/") != 0)
    return cannot("pivot_root", errno);
  root_.reset();
  return {};
}

std::vector<std::string> NewRoot::writable() const {
  std::vector<std::string> paths = {"/tmp", "/var/tmp", "/run", "/dev", "/proc"};
  if (plan_.root == Root::overlay) paths.emplace_back("/");
  for (const std::string& home : plan_.homes) {
    if (::access(home.c_str(), F_OK) == 0) paths.push_back(home);
  }
  for (const Bind& each : plan_.binds) {
    if (each.access == Access::read_write) paths.push_back(each.target);
  }
  return paths;
}

Result<Fd> NewRoot::folder(const std::string& path) {
  Fd there = calls::open_in(root_.get(), path, O_PATH | O_DIRECTORY);
  if (there) return there;
  if (errno == ENOSYS) return std::unexpected(missing(Feature::mount_calls, ENOSYS));
  if (errno != ENOENT || path == "/") return cannot(path, errno);
  auto parent = folder(parent_of(path));
  if (!parent) return parent;
  if (::mkdirat(parent->get(), last_of(path).c_str(), 0755) != 0) return cannot(path, errno);
  there = calls::open_in(root_.get(), path, O_PATH | O_DIRECTORY);
  if (!there) return cannot(path, errno);
  return there;
}

Result<Fd> NewRoot::file(const std::string& path) {
  Fd there = calls::open_in(root_.get(), path, O_PATH);
  if (there) return there;
  auto parent = folder(parent_of(path));
  if (!parent) return parent;
  const Fd made(
      ::openat(parent->get(), last_of(path).c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644));
  if (!made) return cannot(path, errno);
  there = calls::open_in(root_.get(), path, O_PATH);
  if (!there) return cannot(path, errno);
  return there;
}

Result<void> NewRoot::mount_new(const std::string& path, const char* type, unsigned long flags,
                                const char* options) {
  auto place = folder(path);
  if (!place) return fail(place);
  if (::mount(type, name_of(place->get()).c_str(), type, flags, options) != 0)
    return cannot(std::string(type) + " at " + path, errno);
  return {};
}

Result<void> NewRoot::bind(int tree, const std::string& path) {
  const Fd place = calls::open_in(root_.get(), path, O_PATH);
  if (!place || calls::attach(tree, place.get()) != 0) return cannot(path, errno);
  return {};
}

}  // namespace sandbox
