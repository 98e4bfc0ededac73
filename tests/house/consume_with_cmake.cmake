# SPDX-License-Identifier: Apache-2.0
# Builds and runs the example in CONSUMER in WORK, with the option OPTIONS. Also
# builds the programs KIT, which test planners; their names are separated by spaces.
# The package WITHOUT is not found even if it is installed. If BUILT is given,
# nothing is built; BUILT lists the libraries that would be built.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})
if(WITHOUT)
  list(APPEND OPTIONS -DCMAKE_DISABLE_FIND_PACKAGE_${WITHOUT}=ON)
endif()
separate_arguments(KIT UNIX_COMMAND "${KIT}")
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK} -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS}
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 ${OPTIONS})
# Check that a project that contains Stowage builds only the libraries that it links.
# guest.cmake builds and runs such a project.
if(BUILT)
  run_for_output(files ${CMAKE_COMMAND} --build ${WORK} -- -t inputs all)
  string(REGEX MATCHALL "lib(stowage_[a-z_]+)\\.[a-z]+" built "${files}")
  list(TRANSFORM built REPLACE "lib(.*)\\.[a-z]+$" "\\1")
  list(REMOVE_DUPLICATES built)
  list(SORT built)
  separate_arguments(BUILT UNIX_COMMAND "${BUILT}")
  if(NOT built STREQUAL BUILT)
    message(FATAL_ERROR "would build ${built}, expected ${BUILT}")
  endif()
  return()
endif()
run(${CMAKE_COMMAND} --build ${WORK} --target consumer ${KIT} --parallel 2)
expect_example_output(${WORK}/consumer)
if("toy_planner" IN_LIST KIT)
  expect_caught_planner(${WORK}/toy_planner)
endif()
if("generators" IN_LIST KIT)
  run(${WORK}/generators)
endif()
