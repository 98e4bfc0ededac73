# SPDX-License-Identifier: Apache-2.0
# Checks the size of the code for a Cortex-M4, and that the code calls no external
# functions except the memory functions that the compiler uses.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
need(COMPILER arm-none-eabi-gcc)
string(REGEX REPLACE "gcc$" "size" size ${COMPILER})
string(REGEX REPLACE "gcc$" "nm" nm ${COMPILER})

# expect_bytes(MOST SOURCE...) checks that code and constants have at most MOST bytes
# together.
function(expect_bytes most)
  set(objects)
  foreach(source IN LISTS ARGN)
    run(${COMPILER} ${c_flags} ${device_flags} -c ${ROOT}/src/micro/${source}.c
        -o ${WORK}/${source}.o)
    list(APPEND objects ${WORK}/${source}.o)
  endforeach()
  run(${size} --totals ${objects})
  if(NOT output MATCHES "([0-9]+)[ \t]+([0-9]+)[ \t]+([0-9]+)[^\n]*TOTALS")
    message(FATAL_ERROR "${output}")
  endif()
  message("${ARGN}: ${CMAKE_MATCH_1} bytes of code and constants, at most ${most}")
  if(CMAKE_MATCH_1 GREATER most OR NOT CMAKE_MATCH_2 EQUAL 0 OR NOT CMAKE_MATCH_3 EQUAL 0)
    message(FATAL_ERROR "${output}")
  endif()
  run(${nm} ${objects})
  string(REGEX MATCHALL "[0-9a-f]+ T stowage_micro_[a-z_]+" defined "${output}")
  list(TRANSFORM defined REPLACE ".* T " "")
  string(REGEX MATCHALL " U [^\n]+" undefined "${output}")
  foreach(symbol IN LISTS undefined)
    string(REPLACE " U " "" symbol "${symbol}")
    if(NOT symbol MATCHES "^mem(cpy|move|set|cmp)$" AND NOT symbol IN_LIST defined)
      message(FATAL_ERROR "${ARGN}: needs ${symbol}")
    endif()
  endforeach()
endfunction()

expect_bytes(900 plan)
expect_bytes(620 arena)
expect_bytes(500 stack)
expect_bytes(3072 plan arena offline)

# expect_planner_bytes(MOST NAME TYPE) checks the size of the planner TYPE for TensorFlow
# Lite Micro in NAME.h.
function(expect_planner_bytes most name type)
  file(WRITE ${WORK}/${name}.cc "#include \"stowage/micro/${name}.h\"\n"
       "#include \"tests/micro/declared_planner.h\"\n"
       "template class stowage::micro::${type}<tflite::MicroMemoryPlanner,\n"
       "    TfLiteStatus, kTfLiteOk, kTfLiteError>;\n")
  run(${cxx_compiler} ${cc_flags} ${device_flags} -DTF_LITE_STATIC_MEMORY -DNDEBUG
      -DTF_LITE_STRIP_ERROR_STRINGS -c ${WORK}/${name}.cc -o ${WORK}/${name}.o)
  run(${size} --totals ${WORK}/${name}.o)
  if(NOT output MATCHES "([0-9]+)[ \t]+([0-9]+)[ \t]+([0-9]+)[^\n]*TOTALS")
    message(FATAL_ERROR "${output}")
  endif()
  message("${name}.h: ${CMAKE_MATCH_1} bytes of code and constants, at most ${most}")
  if(CMAKE_MATCH_1 GREATER most OR NOT CMAKE_MATCH_2 EQUAL 0 OR NOT CMAKE_MATCH_3 EQUAL 0)
    message(FATAL_ERROR "${output}")
  endif()
endfunction()

string(REGEX REPLACE "gcc$" "g++" cxx_compiler ${COMPILER})
expect_planner_bytes(360 table_planner TablePlannerFor)
expect_planner_bytes(184 linear_planner LinearPlannerFor)
