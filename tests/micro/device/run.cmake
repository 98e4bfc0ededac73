# SPDX-License-Identifier: Apache-2.0
# Definitions that the scripts in this folder share.
set(c_flags -std=c99 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
    -Wmissing-prototypes -Werror -I${ROOT}/include -I${ROOT} -I${TABLES})
set(cc_flags -std=c++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics -Wall -Wextra -Wpedantic
    -Wshadow -Wconversion -Werror -I${ROOT}/include -I${ROOT} -I${TABLES})
set(device_flags -mcpu=${CPU} -mthumb -Os -ffreestanding -ffunction-sections -fdata-sections)
set(sources ${ROOT}/tests/micro/device/common.c ${TESTS} ${LIBRARY})
file(MAKE_DIRECTORY ${WORK})

# run(COMMAND ARGUMENT...) runs a command, and sets `output` to the output of both
# streams. Fails if the command fails.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output TIMEOUT 300)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}: ${result}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# need(PROGRAM NAME) skips the test if the program is not installed.
macro(need program name)
  if(NOT ${program})
    message("skipped: no ${name} is installed")
    return()
  endif()
endmacro()
