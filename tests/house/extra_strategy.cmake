# SPDX-License-Identifier: Apache-2.0
# Builds the command in WORK with the strategy of the folder STRATEGY, which is
# no part of the tree, and finds it wherever strategies are shown.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
cmake_path(GET STRATEGY FILENAME name)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS}
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16
    -DSTOWAGE_BUILD_TESTS=OFF -DSTOWAGE_BUILD_BENCH=OFF -DSTOWAGE_INSTALL=OFF
    -DSTOWAGE_OPERATORS=reshaping -DSTOWAGE_EXTRA_STRATEGIES=${STRATEGY})
run(${CMAKE_COMMAND} --build ${WORK} --target stowage_command --parallel 2)

run_for_output(list ${WORK}/stowage list)
if(NOT list MATCHES "(^|\n)[ |*]*${name} ")
  message(FATAL_ERROR "stowage list does not show ${name}")
endif()

# Three tensors, of which two can share: 4096 + 1024 bytes is the bound.
file(WRITE ${WORK}/trace.csv "id,lower,upper,size\na,0,3,4096\nb,2,5,1024\nc,3,5,4096\n")
run_for_output(table ${WORK}/stowage compare ${WORK}/trace.csv)
if(NOT table MATCHES "${name}")
  message(FATAL_ERROR "stowage compare does not show ${name}")
endif()
run_for_output(json ${WORK}/stowage compare --strategies ${name} --kind offsets
               --format json ${WORK}/trace.csv)
string(JSON plan GET "${json}" rows 0 plans 0)
foreach(expected "strategy:${name}" kind:offsets total_size:5120 status:optimal)
  string(REGEX MATCH "^(.*):(.*)$" unused ${expected})
  string(JSON value GET "${plan}" ${CMAKE_MATCH_1})
  if(NOT value STREQUAL CMAKE_MATCH_2)
    message(FATAL_ERROR "${CMAKE_MATCH_1} is ${value}, expected ${CMAKE_MATCH_2}")
  endif()
endforeach()
