# SPDX-License-Identifier: Apache-2.0
# Builds the tests for CPU and runs them on QEMU's BOARD. Nothing but the
# compiler's own library is linked, so nothing that the tests call can use a
# heap.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
need(COMPILER arm-none-eabi-gcc)
need(QEMU qemu-system-arm)
run(${COMPILER} ${c_flags} ${device_flags} -nostdlib -nostartfiles
    -T ${ROOT}/tests/micro/device/mps2.ld -Wl,--gc-sections ${sources}
    ${ROOT}/tests/micro/device/board.c -lgcc -o ${WORK}/tests.elf)
run(${QEMU} -M ${BOARD} -nographic -monitor none -serial none -icount shift=0
    -semihosting-config enable=on,target=native -kernel ${WORK}/tests.elf)
message("${output}")
if(NOT output MATCHES "\nPASSED\n$")
  message(FATAL_ERROR "the program did not end with PASSED")
endif()
