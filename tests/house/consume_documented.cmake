# SPDX-License-Identifier: Apache-2.0
# Configures the project that DOCUMENT shows, against the installation in PREFIX,
# in WORK: as it is, and without the version of CMake that it asks for, as one
# has it who adds to a project of his own.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})
file(READ ${DOCUMENT} text)
if(NOT text MATCHES "\n```cmake\n([^`]*)```")
  message(FATAL_ERROR "${DOCUMENT} has no CMake block")
endif()
set(project "${CMAKE_MATCH_1}")
string(REGEX REPLACE "cmake_minimum_required[^\n]*\n" "" without_version "${project}")
foreach(name project without_version)
  file(WRITE ${WORK}/${name}/CMakeLists.txt "${${name}}")
  file(COPY ${CONSUMER}/toy_planner.cc DESTINATION ${WORK}/${name})
  run(${CMAKE_COMMAND} -S ${WORK}/${name} -B ${WORK}/${name}/build -G ${GENERATOR}
      -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${PREFIX})
endforeach()
