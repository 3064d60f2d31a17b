# SPDX-License-Identifier: Apache-2.0
# Compiler settings that hold for every target.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")

add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Werror)
add_compile_options(-fno-omit-frame-pointer -ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections)
# The thousands of pointers that a command must set right before it begins, in a few kilobytes.
add_link_options(-Wl,-z,pack-relative-relocs)
add_compile_definitions(_GNU_SOURCE)

if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT TEND_SANITIZE)
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong)
endif()
# Libraries are linked in where Debian has them as archives: a command starts in a third of the time, and goes on
# working while the system is upgraded under it.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
set(Boost_USE_STATIC_LIBS ON)
set(OPENSSL_USE_STATIC_LIBS ON)
if(NOT TEND_SANITIZE)
  # Behind this option g++ turns back to shared libraries, so it is not for what is static as a whole.
  add_link_options($<$<NOT:$<BOOL:$<TARGET_PROPERTY:WHOLLY_STATIC>>>:-static-libstdc++> -static-libgcc)
endif()
if(TEND_SANITIZE)
  add_compile_options(-fsanitize=${TEND_SANITIZE} -fno-sanitize-recover=all)
  # vptr looks at memory through a pipe, and takes a process that has no descriptors left for a broken one.
  add_compile_options(-fno-sanitize=vptr)
  # Instrumented code keeps g++ from seeing what is set where.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  # Asio's fences, which the thread sanitizer does not understand, order nothing that its locks do not.
  if(TEND_SANITIZE MATCHES thread)
    add_compile_definitions(BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
  add_link_options(-fsanitize=${TEND_SANITIZE})
endif()
if(TEND_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
