# SPDX-License-Identifier: Apache-2.0
# room(NAME SOURCES … HEADERS … USES … LINKS …)
#
# Makes the library of src/NAME. Its sources see the headers of NAME and of the rooms in USES, and of no other:
# each room has an include root of its own, build/rooms/NAME, in which only NAME/ stands, and the roots are not
# handed on to whoever links the room. So a forbidden #include does not compile. A room in USES must be defined
# already, so a cycle does not configure. Each header is compiled by itself as part of `make lint`.
include(${CMAKE_CURRENT_LIST_DIR}/unity.cmake)
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)

function(room_root name result)
  set(${result} ${CMAKE_BINARY_DIR}/rooms/${name} PARENT_SCOPE)
endfunction()

# target_use_rooms(TARGET ROOM…): lets TARGET include and link these rooms and nothing behind them.
function(target_use_rooms target)
  foreach(used IN LISTS ARGN)
    if(NOT TARGET ${used})
      message(FATAL_ERROR "${target} uses the room '${used}', which is not defined yet: "
                          "rooms are listed lowest first, and there are no cycles")
    endif()
    room_root(${used} root)
    target_include_directories(${target} PUBLIC ${root})
    target_link_libraries(${target} PUBLIC $<LINK_ONLY:${used}>)
  endforeach()
endfunction()

function(room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;HEADERS;USES;LINKS" ${ARGN})
  room_root(${name} root)
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${name} SYMBOLIC)

  add_library(${name} STATIC ${ROOM_SOURCES})
  unite(${name})
  list(TRANSFORM ROOM_HEADERS PREPEND ${root}/${name}/)
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${root} FILES ${ROOM_HEADERS})
  target_include_directories(${name} PUBLIC ${root})
  target_use_rooms(${name} ${ROOM_USES})
  target_link_libraries(${name} PUBLIC ${ROOM_LINKS})
endfunction()
