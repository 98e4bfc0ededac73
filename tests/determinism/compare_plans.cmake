# SPDX-License-Identifier: Apache-2.0
# Runs PROGRAM on TRACES and compares its output, strategy by strategy, with the
# file RECORDED. HAS_clp and HAS_mincostflow are true if PROGRAM links these
# libraries. A strategy that is not recorded is reported, but is not a failure.
cmake_policy(VERSION 3.25)
execute_process(COMMAND ${PROGRAM} ${TRACES} OUTPUT_VARIABLE printed
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" printed_lines "${printed}")
file(STRINGS ${RECORDED} recorded_lines)
if(NOT HAS_clp)
  message("not compared: objects of optimal, whose plans are recorded with CLP")
  list(FILTER recorded_lines EXCLUDE REGEX "^optimal +objects ")
endif()
if(NOT HAS_mincostflow)
  list(FILTER recorded_lines EXCLUDE REGEX "^mincostflow ")
endif()
set(changed "")
foreach(line IN LISTS recorded_lines)
  if(NOT line IN_LIST printed_lines)
    string(APPEND changed "  ${line}\n")
  endif()
endforeach()
foreach(line IN LISTS printed_lines)
  # The key is the text before the hash: "NAME KIND ".
  string(REGEX REPLACE "[0-9a-f]+$" "" key "${line}")
  string(FIND "${recorded_lines}" "${key}" found)
  if(found EQUAL -1)
    message("not recorded: ${line}")
  endif()
endforeach()
if(changed)
  message(FATAL_ERROR "Other plans than in ${RECORDED}. If that was meant:\n"
                      "  ${PROGRAM} ${TRACES} > ${RECORDED}\n"
                      "Recorded, but not so now:\n${changed}Now:\n${printed}")
endif()
