# SPDX-License-Identifier: Apache-2.0
# Checks that the shared LIBRARY has at most LIMIT bytes after STRIP has stripped it.
# WORK is the stripped file.
execute_process(COMMAND ${STRIP} -o ${WORK} ${LIBRARY} COMMAND_ERROR_IS_FATAL ANY)
file(SIZE ${WORK} size)
message("${LIBRARY} has ${size} bytes without symbols")
if(size GREATER LIMIT)
  message(FATAL_ERROR "${LIBRARY}: ${size} bytes; expected at most ${LIMIT}")
endif()
