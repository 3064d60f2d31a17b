# SPDX-License-Identifier: Apache-2.0
# unite(TARGET): compiles the sources of a target in groups of files that have no names in common, where TEND_UNITY is on.
# A whole build takes half the time; a single change takes longer.
set(TEND_UNITY_MOST 10)  # files in a group: a mistake in one must still be quick to find

function(unite target)
  if(NOT TEND_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    list(APPEND paths ${path})
  endforeach()
  execute_process(
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/unity_groups ${TEND_UNITY_MOST} ${paths}
    OUTPUT_VARIABLE numbers COMMAND_ERROR_IS_FATAL ANY)
  foreach(source number IN ZIP_LISTS sources numbers)
    if(number)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${number})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A new name may make new groups.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${paths})
endfunction()
