# SPDX-License-Identifier: Apache-2.0
# Functions for the scripts in this folder, which build separate projects.
cmake_minimum_required(VERSION 3.25)

# run(COMMAND...) runs a command. If the command fails, the test fails.
macro(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endmacro()

# run_for_output(VARIABLE COMMAND...) is like run(), and sets VARIABLE to the output.
macro(run_for_output variable)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY
                  OUTPUT_VARIABLE ${variable})
  message("${${variable}}")
endmacro()

# expect_example_output(PROGRAM) checks that the program prints the plan of the
# example, which was computed by hand: the third tensor reuses the bytes of the
# first, and the second tensor is above them.
function(expect_example_output program)
  run_for_output(output ${program})
  set(expected "0 4096 0 in an arena of 5120 bytes: optimal\n")
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${program} printed '${output}', expected '${expected}'")
  endif()
endfunction()

# expect_caught_planner(PROGRAM) checks that the program prints the property that its
# planner violates.
function(expect_caught_planner program)
  execute_process(COMMAND ${program} OUTPUT_VARIABLE output RESULT_VARIABLE result)
  if(NOT result EQUAL 1 OR NOT output MATCHES "^property   safety")
    message(FATAL_ERROR "${program} returned ${result} and printed '${output}'")
  endif()
endfunction()

# expect_tour(COMMAND...) checks that the tour of the C interface succeeds.
function(expect_tour)
  run_for_output(output ${ARGV})
  if(NOT output STREQUAL "done\n")
    message(FATAL_ERROR "the tour of the C interface printed '${output}'")
  endif()
endfunction()

# expect_documented(DOCUMENT COMMAND...) checks that the document contains the output of
# the test of the toy planner.
function(expect_documented document)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output)
  file(READ ${document} text)
  string(FIND "${text}" "```text\n${output}```" found)
  if(NOT output MATCHES "options.first" OR found EQUAL -1)
    message(FATAL_ERROR "the test of a planner printed '${output}', expected what is documented")
  endif()
endfunction()

# expect_exports(LIBRARY NAME...) checks that a shared library exports exactly these
# functions, and no symbols of ours. Templates of the standard library that the library
# itself instantiates with our types are permitted: GCC does not hide members of hidden
# templates if it does not inline them.
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
