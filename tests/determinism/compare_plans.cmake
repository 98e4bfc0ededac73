# Runs PROGRAM on TRACES and compares what it prints with the file RECORDED.
execute_process(COMMAND ${PROGRAM} ${TRACES} OUTPUT_VARIABLE printed
                COMMAND_ERROR_IS_FATAL ANY)
file(READ ${RECORDED} recorded)
if(NOT printed STREQUAL recorded)
  message(FATAL_ERROR "Other plans than in ${RECORDED}. If that was meant:\n"
                      "  ${PROGRAM} ${TRACES} > ${RECORDED}\n"
                      "Now:\n${printed}Recorded:\n${recorded}")
endif()
