# SPDX-License-Identifier: Apache-2.0
# fmt as an archive: Debian has it as a shared library only, which would bring in a second libstdc++.
find_package(fmt REQUIRED)
add_library(fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cc)
target_compile_options(fmt PRIVATE -w)
