# SPDX-License-Identifier: Apache-2.0
# Compiles the planners for TensorFlow Lite Micro with our own declaration of its
# interface, with gcc, clang and the compiler for microcontrollers. Runs them on a board,
# where only the compiler's own library is linked. If the environment variable
# STOWAGE_TFLM names a checkout of TensorFlow Lite Micro, also compiles them with the
# real header.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set(here ${ROOT}/tests/micro/device)
set(sources ${here}/drop_in.cc ${here}/fixed_planner_calls.cc)
list(PREPEND cc_flags -I${TABLES}/../drop_in_tables)
list(PREPEND c_flags -I${TABLES}/../drop_in_tables)

foreach(compiler g++ clang++)
  find_program(found_${compiler} ${compiler})
  if(found_${compiler})
    message("${compiler}")
    run(${found_${compiler}} ${cc_flags} -fsyntax-only ${sources})
    run(${found_${compiler}} ${cc_flags} -DTF_LITE_STATIC_MEMORY
        -DTF_LITE_STRIP_ERROR_STRINGS -fsyntax-only ${sources})
  endif()
endforeach()

if(DEFINED ENV{STOWAGE_TFLM})
  message("the header in $ENV{STOWAGE_TFLM}")
  run(${HOST_CXX_COMPILER} ${cc_flags} -Wno-error -DSTOWAGE_TFLM_HEADER -DTF_LITE_STATIC_MEMORY
      -isystem $ENV{STOWAGE_TFLM} -fsyntax-only ${sources})
else()
  message("not against the real header: STOWAGE_TFLM is not set")
endif()

need(COMPILER arm-none-eabi-gcc)
need(QEMU qemu-system-arm)
string(REGEX REPLACE "gcc$" "g++" cxx_compiler ${COMPILER})
string(REGEX REPLACE "gcc$" "nm" nm ${COMPILER})
set(objects)
foreach(test IN LISTS DROP_IN_TESTS)
  run(${cxx_compiler} ${cc_flags} ${device_flags} -DTF_LITE_STATIC_MEMORY
      -c ${here}/${test}.cc -o ${WORK}/${test}.o)
  list(APPEND objects ${WORK}/${test}.o)
endforeach()
run(${COMPILER} ${c_flags} ${device_flags} -nostdlib -nostartfiles
    -T ${here}/mps2.ld -Wl,--gc-sections ${here}/common.c ${here}/board.c ${LIBRARY}
    ${objects} -lgcc -o ${WORK}/drop_in.elf)
run(${nm} ${WORK}/drop_in.elf)
if(output MATCHES "malloc|free|_sbrk|_Zn|_Zd|__cxa|atexit|printf")
  message(FATAL_ERROR "it links ${CMAKE_MATCH_0}:\n${output}")
endif()
run(${QEMU} -M ${BOARD} -nographic -monitor none -serial none
    -semihosting-config enable=on,target=native -kernel ${WORK}/drop_in.elf)
message("${output}")
if(NOT output MATCHES "\nPASSED\n$")
  message(FATAL_ERROR "the program did not end with PASSED")
endif()
