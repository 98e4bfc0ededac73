# SPDX-License-Identifier: Apache-2.0
# Tests stowage::core if abseil is the only package. Builds SOURCE in WORK with all
# other packages hidden and with only one strategy, because core_without_abseil.cmake
# compiles all strategies. Installs the result, and plans with CONSUMER, both with this
# installation and with the complete installation in FULL. Also plans with PLAIN, which
# links only stowage::plain.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})

# Hide packages: CMake does not find them, and including their headers is an error.
set(hidden)
foreach(package lemon FlatBuffers gemmlowp CLI11 nlohmann_json OpenSSL GTest rapidcheck benchmark)
  list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
foreach(library CLP_INCLUDE CLP_LIBRARY)
  list(APPEND hidden -DSTOWAGE_${library}=)
endforeach()
foreach(header lemon/network_simplex.h lemon/static_graph.h flatbuffers/flatbuffers.h
               coin/ClpSimplex.hpp
               nlohmann/json.hpp fixedpoint/fixedpoint.h)
  file(WRITE ${WORK}/hidden/${header} "#error \"${header} is hidden\"\n")
endforeach()
set(toolchain -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    "-DCMAKE_CXX_FLAGS=${FLAGS} -isystem ${WORK}/hidden"
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0)

run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build ${toolchain} ${hidden}
    -DSTOWAGE_STRATEGIES=skyline)
run(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2)
run(${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/prefix)

# If a part is requested but cannot be built, CMake must fail and list the packages to
# install.
execute_process(COMMAND ${CMAKE_COMMAND} ${WORK}/build -DSTOWAGE_BUILD_CLI=ON
                RESULT_VARIABLE result ERROR_VARIABLE error OUTPUT_QUIET)
string(REGEX REPLACE "[ \n]+" " " error "${error}")
if(result EQUAL 0 OR NOT error MATCHES "apt-get install liblemon-dev libflatbuffers-dev")
  message(FATAL_ERROR "the command without its packages: ${result}, ${error}")
endif()

# consume(NAME PREFIX EXPECTED MISSING...) builds and runs the consumer. EXPECTED is a
# list of texts that must be printed.
function(consume name prefix expected_texts)
  list(JOIN ARGN "," missing)
  run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/${name} ${toolchain} ${hidden}
      -DCMAKE_PREFIX_PATH=${prefix} -DMISSING=${missing})
  run(${CMAKE_COMMAND} --build ${WORK}/${name})
  expect_exports(${WORK}/${name}/libruntime.so guest_plan guest_strategies)
  run_for_output(output ${WORK}/${name}/core_consumer)
  foreach(expected IN LISTS expected_texts)
    if(NOT output MATCHES "${expected}")
      message(FATAL_ERROR "${name} printed '${output}', expected '${expected}'")
    endif()
  endforeach()
endfunction()
consume(core_alone ${WORK}/prefix "skyline 5120\nNOT_FOUND: no strategy 'optimal'"
        io mincostflow tflite harness delegate_reference testing stowage)
set(mincostflow "NOT_FOUND: strategy 'mincostflow': [^\n]*. expected stowage::mincostflow ")
consume(core_of_all ${FULL} "greedy_best 5120\n;optimal 5120\n;\nOK\n;${mincostflow}" mincostflow stowage)

run(${CMAKE_COMMAND} -S ${PLAIN} -B ${WORK}/plain ${toolchain} ${hidden}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/plain)
run_for_output(output ${WORK}/plain/plain_consumer)
set(expected "0 4096 0 in 5120
UNIMPLEMENTED: constraints: not linked into this program; expected stowage::constraints among its libraries
")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "plain_consumer printed '${output}', expected '${expected}'")
endif()
