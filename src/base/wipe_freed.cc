// SPDX-License-Identifier: Apache-2.0
// What the program frees, it wipes: a password passes through strings, JSON and closures of many kinds, and
// no list of them would stay complete. It costs about as much as filling the memory did. Blocks above
// kMostWiped are screens, journals' copies and pages of a store, which hold output and no keys.
#include <cstdlib>
#include <malloc.h>
#include <new>

#include "base/wipe.h"

namespace {

constexpr size_t kMostWiped = 2 << 20;  // a message has 1 MiB at most

void* try_allocate(size_t size) noexcept { return std::malloc(size != 0 ? size : 1); }

void* allocate(size_t size) {
  for (;;) {
    if (void* block = try_allocate(size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void* allocate(size_t size, std::align_val_t alignment) {
  const auto align = static_cast<size_t>(alignment);
  void* block = std::aligned_alloc(align, (size + align - 1) / align * align);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void release(void* block) {
  if (block == nullptr) return;
  const size_t size = ::malloc_usable_size(block);
  if (size <= kMostWiped) base::wipe(block, size);
  std::free(block);
}

}  // namespace

void* operator new(size_t size) { return allocate(size); }
void* operator new[](size_t size) { return allocate(size); }
void* operator new(size_t size, std::align_val_t alignment) { return allocate(size, alignment); }
void* operator new[](size_t size, std::align_val_t alignment) { return allocate(size, alignment); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return try_allocate(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return try_allocate(size); }
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, size_t) noexcept { release(block); }
void operator delete[](void* block, size_t) noexcept { release(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { release(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, size_t, std::align_val_t) noexcept { release(block); }
