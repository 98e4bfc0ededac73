# SPDX-License-Identifier: Apache-2.0
# Writes the amalgamation (./dev amalgamate c_testing), and compiles it with the
# project SOURCE in WORK, with COMPILER at the optimization LEVEL, without exceptions
# and run-time type information. Fails if there are warnings, or if the plans differ
# from the recorded plans. The test is skipped if the compiler is not installed.
include(${CMAKE_CURRENT_LIST_DIR}/../house/nested.cmake)
if(NOT COMPILER)
  message("skipped: no ${NAME} is installed")
  return()
endif()
file(REMOVE_RECURSE ${WORK})
run(python3 -B ${SOURCE}/../../src/install/amalgamate.py c_testing ${WORK}/amalgamation)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=None
    "-DCMAKE_CXX_FLAGS=-${LEVEL} -fno-exceptions -fno-rtti -Wall -Wextra -Wconversion -Werror"
    -DAMALGAMATION=${WORK}/amalgamation)
run(${CMAKE_COMMAND} --build ${WORK} --parallel 2)
set(PROGRAM ${WORK}/plan_hashes)
include(${CMAKE_CURRENT_LIST_DIR}/compare_plans.cmake)
