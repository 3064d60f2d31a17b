// SPDX-License-Identifier: Apache-2.0
// Wiping: what people type may be a password, and nothing of it should be left in memory that nobody uses any
// more. Buffers on the way of keys and answers wipe what they have passed on; the program `tend` wipes all
// that it frees (wipe_freed.cc); what calls leave on the stack is wiped by whoever made them.
#pragma once
#include <cstddef>
#include <string>

namespace base {

void wipe(void* bytes, size_t count);
// All that the string has room for; it is empty then.
void wipe(std::string& text);
// What calls of the caller, all of which have returned, have left below it, and in the wide registers: text
// is moved through these, and the loader, which resolves a name at its first call, saves them on the stack.
void wipe_stack();

}  // namespace base
