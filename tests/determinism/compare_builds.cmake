# SPDX-License-Identifier: Apache-2.0
# Builds the project SOURCE in WORK with COMPILER at LEVEL, and compares its
# plans with the recorded ones. A compiler that is not there is no failure.
include(${CMAKE_CURRENT_LIST_DIR}/../house/nested.cmake)
if(NOT COMPILER)
  message("skipped: no ${NAME} is installed")
  return()
endif()
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=None
    -DCMAKE_CXX_FLAGS=-${LEVEL})
run(${CMAKE_COMMAND} --build ${WORK} --target plan_hashes --parallel 2)
set(PROGRAM ${WORK}/plan_hashes)
include(${CMAKE_CURRENT_LIST_DIR}/compare_plans.cmake)
