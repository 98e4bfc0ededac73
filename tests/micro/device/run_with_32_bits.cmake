# SPDX-License-Identifier: Apache-2.0
# The tests on this host with 32 bits.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(WRITE ${WORK}/empty.c "#include <stdio.h>\nint main(void) { return 0; }\n")
execute_process(COMMAND ${HOST_COMPILER} -m32 ${WORK}/empty.c -o ${WORK}/empty
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(NOT result EQUAL 0)
  message("skipped: no libraries with 32 bits (gcc-multilib) are installed")
  return()
endif()
run(${HOST_COMPILER} -m32 -O2 ${c_flags} ${sources} ${ROOT}/tests/micro/device/host.c
    -o ${WORK}/tests)
run(${WORK}/tests)
