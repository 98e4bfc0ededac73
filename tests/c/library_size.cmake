# SPDX-License-Identifier: Apache-2.0
# The shared LIBRARY has LIMIT bytes at most once STRIP has stripped it into WORK.
execute_process(COMMAND ${STRIP} -o ${WORK} ${LIBRARY} COMMAND_ERROR_IS_FATAL ANY)
file(SIZE ${WORK} size)
message("${LIBRARY} has ${size} bytes without symbols")
if(size GREATER LIMIT)
  message(FATAL_ERROR "${LIBRARY}: ${size} bytes; expected at most ${LIMIT}")
endif()
