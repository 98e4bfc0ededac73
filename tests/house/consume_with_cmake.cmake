# SPDX-License-Identifier: Apache-2.0
# Builds and runs the example in CONSUMER with the option OPTIONS, in WORK, and
# the programs KIT that test planners, names with spaces between. The package
# WITHOUT is not found even if it is there. BUILT are the libraries that the
# whole project comes to have built.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})
if(WITHOUT)
  list(APPEND OPTIONS -DCMAKE_DISABLE_FIND_PACKAGE_${WITHOUT}=ON)
endif()
separate_arguments(KIT UNIX_COMMAND "${KIT}")
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK} -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS}
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 ${OPTIONS})
run(${CMAKE_COMMAND} --build ${WORK} --target consumer ${KIT} --parallel 2)
expect_example_output(${WORK}/consumer)
# A guest builds what is linked and nothing else.
if(BUILT)
  run(${CMAKE_COMMAND} --build ${WORK} --parallel 2)
  file(GLOB_RECURSE built RELATIVE ${WORK} ${WORK}/*/libstowage_*)
  list(TRANSFORM built REPLACE ".*/lib(.*)\\.[a-z]+$" "\\1")
  list(SORT built)
  separate_arguments(BUILT UNIX_COMMAND "${BUILT}")
  if(NOT built STREQUAL BUILT)
    message(FATAL_ERROR "built ${built}, expected ${BUILT}")
  endif()
endif()
if("toy_planner" IN_LIST KIT)
  expect_caught_planner(${WORK}/toy_planner)
endif()
if("generators" IN_LIST KIT)
  run(${WORK}/generators)
endif()
