# SPDX-License-Identifier: Apache-2.0
# Helpers of the scripts beside this file, which build projects of their own.
cmake_minimum_required(VERSION 3.25)

# run(COMMAND...): runs it; a failure is a failure of the test.
macro(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endmacro()

# run_for_output(VARIABLE COMMAND...): the same, and what it printed.
macro(run_for_output variable)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY
                  OUTPUT_VARIABLE ${variable})
  message("${${variable}}")
endmacro()

# expect_example_output(PROGRAM): the plan of the example, worked out by hand:
# the third tensor takes the place of the first, the second lies beyond.
function(expect_example_output program)
  run_for_output(output ${program})
  set(expected "0 4096 0 in an arena of 5120 bytes: optimal\n")
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${program} printed '${output}', expected '${expected}'")
  endif()
endfunction()

# expect_caught_planner(PROGRAM): that it names the property its planner breaks.
function(expect_caught_planner program)
  execute_process(COMMAND ${program} OUTPUT_VARIABLE output RESULT_VARIABLE result)
  if(NOT result EQUAL 1 OR NOT output MATCHES "^property   safety")
    message(FATAL_ERROR "${program} returned ${result} and printed '${output}'")
  endif()
endfunction()

# expect_tour(COMMAND...): the tour of the C interface comes to its end.
function(expect_tour)
  run_for_output(output ${ARGV})
  if(NOT output STREQUAL "done\n")
    message(FATAL_ERROR "the tour of the C interface printed '${output}'")
  endif()
endfunction()

# expect_documented(DOCUMENT COMMAND...): the document shows what the test of the toy
# planner prints.
function(expect_documented document)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output)
  file(READ ${document} text)
  string(FIND "${text}" "```text\n${output}```" found)
  if(NOT output MATCHES "options.first" OR found EQUAL -1)
    message(FATAL_ERROR "the test of a planner printed '${output}', expected what is documented")
  endif()
endfunction()

# expect_exports(LIBRARY NAME...): the functions that a shared library defines for
# others are these, and nothing of ours is among its symbols. What it instantiates
# itself of the standard library over our types is its own: GCC leaves members of
# hidden templates visible where they are not inlined.
function(expect_exports library)
  find_program(nm nm REQUIRED)
  execute_process(COMMAND ${nm} --dynamic --defined-only ${library} OUTPUT_VARIABLE symbols
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]*stowage[^\n]*" ours "${symbols}")
  list(FILTER ours EXCLUDE REGEX " [WV] _ZN?K?St")
  string(REGEX MATCHALL " T [^\n]*" functions "${symbols}")
  list(TRANSFORM functions REPLACE " T " "")
  list(REMOVE_ITEM functions _init _fini)
  if(ours OR NOT functions STREQUAL ARGN)
    list(LENGTH ours count)
    list(JOIN ours "\n" ours)
    message(FATAL_ERROR "${library} exports ${functions} and ${count} symbols of ours, "
                        "expected ${ARGN} alone:\n${ours}")
  endif()
  message("${library} exports ${functions} alone")
endfunction()
