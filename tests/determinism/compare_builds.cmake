# SPDX-License-Identifier: Apache-2.0
# Writes all of the library as files (./dev amalgamate c_testing), builds the project
# SOURCE over them in WORK with COMPILER at LEVEL, without exceptions, type
# information and warnings, and compares its plans with the recorded ones. A compiler
# that is not there is no failure.
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
