// SPDX-License-Identifier: Apache-2.0
#include "fault_vfs.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <new>
#include <sqlite3.h>

namespace store {
namespace {

struct FaultFile {
  sqlite3_file base;
  FaultVfs* disk;
  std::string* path;
  sqlite3_file* real;  // behind this struct, in the same memory
};

FaultFile* fault(sqlite3_file* file) { return reinterpret_cast<FaultFile*>(file); }
sqlite3_file* real(sqlite3_file* file) { return fault(file)->real; }
sqlite3_vfs* real_vfs() { return sqlite3_vfs_find("unix"); }

int close_file(sqlite3_file* file) {
  const int code = real(file)->pMethods->xClose(real(file));
  delete fault(file)->path;
  return code;
}
int read_file(sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
  return real(file)->pMethods->xRead(real(file), to, size, offset);
}
int write_file(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
  FaultFile* self = fault(file);
  if (self->disk->failure() != 0) return self->disk->failure();
  self->disk->note_write(*self->path, static_cast<uint64_t>(offset),
                         std::string(static_cast<const char*>(from), static_cast<size_t>(size)));
  return real(file)->pMethods->xWrite(real(file), from, size, offset);
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  FaultFile* self = fault(file);
  if (self->disk->failure() != 0) return self->disk->failure();
  self->disk->note_truncate(*self->path, static_cast<uint64_t>(size));
  return real(file)->pMethods->xTruncate(real(file), size);
}
int sync_file(sqlite3_file* file, int flags) {
  FaultFile* self = fault(file);
  if (self->disk->failure() != 0) return self->disk->failure();
  const int code = real(file)->pMethods->xSync(real(file), flags);
  self->disk->note_sync(*self->path);
  return code;
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
int lock(sqlite3_file* file, int kind) { return real(file)->pMethods->xLock(real(file), kind); }
int unlock(sqlite3_file* file, int kind) { return real(file)->pMethods->xUnlock(real(file), kind); }
int check_lock(sqlite3_file* file, int* held) {
  return real(file)->pMethods->xCheckReservedLock(real(file), held);
}
int control(sqlite3_file* file, int what, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), what, argument);
}
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
// Nothing of the kind: no write is atomic, none is safe to append.
int characteristics(sqlite3_file* /*file*/) { return 0; }
int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** at) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, at);
}
int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
void shm_barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
int shm_unmap(sqlite3_file* file, int remove) { return real(file)->pMethods->xShmUnmap(real(file), remove); }

// Version 2: no memory mapping, every byte goes through write_file.
const sqlite3_io_methods kMethods = {
    2,        close_file,  read_file,  write_file, truncate_file, sync_file,       file_size,
    lock,     unlock,      check_lock, control,    sector_size,   characteristics, shm_map,
    shm_lock, shm_barrier, shm_unmap,  nullptr,    nullptr};

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  FaultFile* self = fault(file);
  self->disk = static_cast<FaultVfs*>(vfs->pAppData);
  self->real = reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(FaultFile));
  self->base.pMethods = nullptr;
  const int code = real_vfs()->xOpen(real_vfs(), path, self->real, flags, out_flags);
  if (code != SQLITE_OK) return code;
  self->path = new std::string(path == nullptr ? "" : path);
  self->base.pMethods = &kMethods;
  return SQLITE_OK;
}
int delete_file(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  static_cast<FaultVfs*>(vfs->pAppData)->note_delete(path);
  return real_vfs()->xDelete(real_vfs(), path, sync_folder);
}
int access_file(sqlite3_vfs* /*vfs*/, const char* path, int flags, int* out) {
  return real_vfs()->xAccess(real_vfs(), path, flags, out);
}
int full_path(sqlite3_vfs* /*vfs*/, const char* path, int size, char* out) {
  return real_vfs()->xFullPathname(real_vfs(), path, size, out);
}

}  // namespace

FaultVfs::FaultVfs() : vfs_(new sqlite3_vfs(*real_vfs())) {
  static std::atomic<int> count = 0;
  name_ = "fault" + std::to_string(++count);
  vfs_->zName = name_.c_str();
  vfs_->pAppData = this;
  vfs_->pNext = nullptr;
  vfs_->szOsFile = static_cast<int>(sizeof(FaultFile)) + real_vfs()->szOsFile;
  vfs_->xOpen = open_file;
  vfs_->xDelete = delete_file;
  vfs_->xAccess = access_file;
  vfs_->xFullPathname = full_path;
  sqlite3_vfs_register(vfs_, 0);
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(vfs_);
  delete vfs_;
}

void FaultVfs::apply(std::string& image, const Change& change) {
  if (change.bytes.empty()) {
    image.resize(change.offset);
    return;
  }
  image.resize(std::max<size_t>(image.size(), change.offset + change.bytes.size()));
  image.replace(change.offset, change.bytes.size(), change.bytes);
}

void FaultVfs::note_write(const std::string& path, uint64_t offset, std::string bytes) {
  const std::lock_guard lock(mutex_);
  files_[path].changes.push_back({offset, std::move(bytes)});
}

void FaultVfs::note_truncate(const std::string& path, uint64_t size) {
  const std::lock_guard lock(mutex_);
  files_[path].changes.push_back({size, ""});
}

void FaultVfs::note_sync(const std::string& path) {
  const std::lock_guard lock(mutex_);
  File& file = files_[path];
  for (const Change& change : file.changes) apply(file.synced, change);
  file.changes.clear();
}

void FaultVfs::note_delete(const std::string& path) {
  const std::lock_guard lock(mutex_);
  files_.erase(path);
}

void FaultVfs::cut_power(const std::string& folder, std::mt19937& random) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [path, file] : files_) {
    std::string image = file.synced;
    for (Change change : file.changes) {
      const auto chance = random() % 3;
      if (chance == 0) continue;
      if (chance == 1 && !change.bytes.empty()) change.bytes.resize(change.bytes.size() / 2 + 1);
      apply(image, change);
    }
    const auto copy = std::filesystem::path(folder) / std::filesystem::path(path).filename();
    support::write_file(copy, image);
    std::filesystem::permissions(copy,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
}

}  // namespace store
