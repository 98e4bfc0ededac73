# SPDX-License-Identifier: Apache-2.0
# Runs the tests on this host with 32 bits.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
# The headers of the kernel are in the folder for 64 bits, where -m32 does not find them.
# gcc-multilib would link them to the right place, but this package conflicts with all
# compilers for other processors.
set(with_32_bits -m32 -idirafter /usr/include/x86_64-linux-gnu)
file(WRITE ${WORK}/empty.c "#include <errno.h>\nint main(void) { return 0; }\n")
execute_process(COMMAND ${HOST_COMPILER} ${with_32_bits} ${WORK}/empty.c -o ${WORK}/empty
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(NOT result EQUAL 0)
  message("skipped: no libraries with 32 bits (gcc-12-multilib) are installed")
  return()
endif()
# A 64-bit kernel may not support 32-bit programs.
execute_process(COMMAND ${WORK}/empty RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(NOT result EQUAL 0)
  message("skipped: no program with 32 bits runs on this system")
  return()
endif()
run(${HOST_COMPILER} ${with_32_bits} -O2 ${c_flags} ${sources} ${ROOT}/tests/micro/device/host.c
    -o ${WORK}/tests)
run(${WORK}/tests)

# The C++ tests also need the 32-bit headers of C++ (g++-12-multilib).
set(here ${ROOT}/tests/micro/device)
list(PREPEND c_flags -I${TABLES}/../drop_in_tables)
list(PREPEND cc_flags -I${TABLES}/../drop_in_tables)
file(WRITE ${WORK}/empty.cc "#include <cerrno>\nint main() {}\n")
execute_process(COMMAND ${HOST_CXX_COMPILER} ${with_32_bits} -fsyntax-only ${WORK}/empty.cc
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(NOT result EQUAL 0)
  message("not in C++: no headers for 32 bits (g++-12-multilib) are installed")
  return()
endif()
set(objects)
foreach(test IN LISTS DROP_IN_TESTS)
  run(${HOST_CXX_COMPILER} ${with_32_bits} -O2 ${cc_flags} -DTF_LITE_STATIC_MEMORY
      -c ${here}/${test}.cc -o ${WORK}/${test}.o)
  list(APPEND objects ${WORK}/${test}.o)
endforeach()
run(${HOST_COMPILER} ${with_32_bits} -O2 ${c_flags} ${here}/common.c ${here}/host.c
    ${LIBRARY} ${objects} -o ${WORK}/drop_in)
run(${WORK}/drop_in)
