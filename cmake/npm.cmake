# SPDX-License-Identifier: Apache-2.0
# npm_packages(NAME TITLE [FROM FOLDER] [FILES FILE…] [THEN WORD…])
#
# Installs what package-lock.json in FOLDER (this one, if left out) names into build/NAME, so that the source tree stays
# clean. Modules look for packages beside themselves: FILES of FOLDER are copied there, too. THEN is a command that is run there
# after each installation. Sets `packages`, the folder, and `installed`, a file to depend on; the target is NAME_packages.
find_program(NPM npm REQUIRED)
find_program(NODE node REQUIRED)

function(npm_packages name title)
  cmake_parse_arguments(P "" "FROM" "FILES;THEN" ${ARGN})
  set(from ${CMAKE_CURRENT_SOURCE_DIR}/${P_FROM})
  set(folder ${CMAKE_BINARY_DIR}/${name})
  file(MAKE_DIRECTORY ${folder})
  set(manifests package.json package-lock.json .npmrc)
  list(TRANSFORM manifests PREPEND ${from}/)
  if(P_THEN)
    list(PREPEND P_THEN COMMAND)
  endif()
  add_custom_command(
    OUTPUT ${folder}/installed
    COMMAND ${CMAKE_COMMAND} -E copy ${manifests} ${folder}
    COMMAND ${NPM} ci --no-audit --no-fund --loglevel=error
    ${P_THEN}
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}/installed
    DEPENDS ${manifests}
    WORKING_DIRECTORY ${folder}
    COMMENT "Installing ${title}"
    VERBATIM)
  set(made ${folder}/installed)
  if(P_FILES)
    list(TRANSFORM P_FILES PREPEND ${from}/)
    add_custom_command(
      OUTPUT ${folder}/copied
      COMMAND ${CMAKE_COMMAND} -E copy ${P_FILES} ${folder}
      COMMAND ${CMAKE_COMMAND} -E touch ${folder}/copied
      DEPENDS ${P_FILES} ${folder}/installed
      VERBATIM)
    list(APPEND made ${folder}/copied)
  endif()
  add_custom_target(${name}_packages DEPENDS ${made})
  set(packages ${folder} PARENT_SCOPE)
  set(installed ${folder}/installed PARENT_SCOPE)
endfunction()
