# SPDX-License-Identifier: Apache-2.0
# Tests the command in BUILT, which includes a strategy, an operator and a verb of the
# folder OUTSIDE that are not part of the tree. Checks that each of them is listed, uses
# it in WORK, and runs the tests of COMMAND_TEST that depend on the list of verbs.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
if(NOT EXISTS ${BUILT}/stowage)
  message("skipped: no ${BUILT}/stowage, which ./dev check builds")
  return()
endif()
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

# The strategy.
run_for_output(list ${BUILT}/stowage list)
if(NOT list MATCHES "(^|\n)[ |*]*first_fit ")
  message(FATAL_ERROR "stowage list does not show first_fit")
endif()
# Two of the three tensors can share bytes, so the bound is 4096 + 1024 bytes.
file(WRITE ${WORK}/trace.csv "id,lower,upper,size\na,0,3,4096\nb,2,5,1024\nc,3,5,4096\n")
run_for_output(table ${BUILT}/stowage compare ${WORK}/trace.csv)
if(NOT table MATCHES "first_fit")
  message(FATAL_ERROR "stowage compare does not show first_fit")
endif()
run_for_output(json ${BUILT}/stowage compare --strategies first_fit --kind offsets
               --format json ${WORK}/trace.csv)
string(JSON plan GET "${json}" rows 0 plans 0)
foreach(expected strategy:first_fit kind:offsets total_size:5120 status:optimal)
  string(REGEX MATCH "^(.*):(.*)$" unused ${expected})
  string(JSON value GET "${plan}" ${CMAKE_MATCH_1})
  if(NOT value STREQUAL CMAKE_MATCH_2)
    message(FATAL_ERROR "${CMAKE_MATCH_1} is ${value}, expected ${CMAKE_MATCH_2}")
  endif()
endforeach()

# The operator: applied twice, it maps 1 and 2 to 9 and 18. The numbers are 32-bit
# floats in little-endian order.
run(${FLATC} -b -o ${WORK} ${SOURCE}/src/tflite/model.fbs ${OUTSIDE}/triple.json)
execute_process(COMMAND printf "\\000\\000\\200\\077\\000\\000\\000\\100"
                OUTPUT_FILE ${WORK}/input.bin COMMAND_ERROR_IS_FATAL ANY)
run(${BUILT}/stowage run ${WORK}/triple.tflite --input x=${WORK}/input.bin
    --check=all --poison --touch-check --dump ${WORK}/dump)
file(READ ${WORK}/dump/inv0_output0.bin output HEX)
if(NOT output STREQUAL "0000104100009041")
  message(FATAL_ERROR "Triple makes ${output} of 1 and 2, expected 0000104100009041")
endif()

# The verb. The tests that depend on the list of verbs must pass without any change.
run_for_output(count ${BUILT}/stowage count-records ${WORK}/trace.csv)
if(NOT count STREQUAL "3\n")
  message(FATAL_ERROR "stowage count-records printed '${count}', expected 3")
endif()
set(documents "*VerbTest.EveryOption*:*VerbTest.BashCompletes*:Documentation.VerbsAreThere")
set(filter "${documents}:*VerbTest.*/count_records:*SaysWhatItSaid/usage")
run_for_output(cases ${CMAKE_COMMAND} -E env STOWAGE_COMMAND_FOLDER=${BUILT}
               ${COMMAND_TEST} --gtest_filter=${filter})
if(NOT cases MATCHES "OK . All/VerbTest.HelpHasAnExampleThatWorks/count_records")
  message(FATAL_ERROR "command_test does not know the verb count-records")
endif()
