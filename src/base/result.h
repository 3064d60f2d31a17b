// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or an Error. Errors are values in every room; exceptions end at the boundary of the
// library that throws them.
#pragma once
#include <expected>
#include <string>
#include <utility>

#include "base/error.h"

namespace base {

template <typename T>
using Result = std::expected<T, Error>;

// return fail(Code::pty_spawn_failed, errno, "cannot open a terminal");
[[nodiscard]] inline std::unexpected<Error> fail(Code code, int sys, std::string what) {
  return std::unexpected(Error{code, sys, std::move(what)});
}

// Passes the error of another result on: if (!fd) return fail(fd);
template <typename T>
[[nodiscard]] std::unexpected<Error> fail(Result<T>& failed) {
  return std::unexpected(std::move(failed.error()));
}

}  // namespace base
