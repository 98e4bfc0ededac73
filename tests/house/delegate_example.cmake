# SPDX-License-Identifier: Apache-2.0
# Builds the delegate of EXAMPLE in WORK with the installation in PREFIX, and runs MODEL
# with it. Checks that every block of C++ and CMake in PAGE is part of its sources.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -S ${EXAMPLE} -B ${WORK} -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS}
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_PREFIX_PATH=${PREFIX})
run(${CMAKE_COMMAND} --build ${WORK} --parallel 2)

set(library ${WORK}/librectifier_delegate.so)
run_for_output(output ${WORK}/try_delegate ${MODEL} ${library})
if(NOT output MATCHES "^(node [0-9]+ runs:( [0-9]+)+\n)+the same bytes\n$")
  message(FATAL_ERROR "try_delegate printed '${output}'")
endif()
execute_process(COMMAND ${WORK}/try_delegate ${MODEL} ${library}:speed=2
                RESULT_VARIABLE result ERROR_VARIABLE error)
if(NOT result EQUAL 1 OR NOT error MATCHES "options 'speed=2'; expected none")
  message(FATAL_ERROR "try_delegate with options: ${result}, '${error}'")
endif()

set(sources)
foreach(name CMakeLists.txt rectifier_delegate.cc)
  file(READ ${EXAMPLE}/${name} source)
  string(APPEND sources "${source}")
endforeach()
file(READ ${PAGE} rest)
set(blocks 0)
while(rest MATCHES "\n```(cpp|cmake)\n([^`]*)```\n(.*)")
  set(block "${CMAKE_MATCH_2}")
  set(rest "${CMAKE_MATCH_3}")
  string(FIND "${sources}" "${block}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${PAGE} shows what is not in ${EXAMPLE}:\n${block}")
  endif()
  math(EXPR blocks "${blocks} + 1")
endwhile()
if(blocks LESS 5)
  message(FATAL_ERROR "${PAGE} has ${blocks} blocks of sources; expected 5 or more")
endif()
