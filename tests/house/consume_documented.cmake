# SPDX-License-Identifier: Apache-2.0
# Configures the projects in DOCUMENT in WORK, with the installation in PREFIX. Each
# project is configured twice: unchanged, and without the CMake version that it
# requires, as if its lines were added to an existing project. Builds the project in C.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})
file(READ ${DOCUMENT} text)
string(REGEX MATCHALL "\n```cmake\n[^`]*```" blocks "${text}")
list(LENGTH blocks count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "${DOCUMENT} has ${count} CMake blocks; expected 2")
endif()
set(language cc)
foreach(block IN LISTS blocks)
  string(REGEX REPLACE "\n```(cmake\n)?" "\n" project "${block}")
  string(REGEX REPLACE "cmake_minimum_required[^\n]*\n" "" without_version "${project}")
  foreach(name project without_version)
    set(folder ${WORK}/${name}_${language})
    file(WRITE ${folder}/CMakeLists.txt "${${name}}")
    file(COPY ${CONSUMER}/toy_planner.cc ${CONSUMER}/../../c_testing/toy_planner.c
         DESTINATION ${folder})
    run(${CMAKE_COMMAND} -S ${folder} -B ${folder}/build -G ${GENERATOR}
        -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${PREFIX})
  endforeach()
  set(language c)
endforeach()
run(${CMAKE_COMMAND} --build ${WORK}/project_c/build)
