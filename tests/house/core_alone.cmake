# SPDX-License-Identifier: Apache-2.0
# stowage::core where abseil is the only package: builds SOURCE in WORK with all
# others hidden, installs it, and plans with CONSUMER, there and against the
# whole installation in FULL.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})

# Packages are neither found nor, where a source includes them, read.
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

run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build ${toolchain} ${hidden})
run(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2)
run(${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/prefix)

# What is asked for and cannot be is refused with the packages to install.
execute_process(COMMAND ${CMAKE_COMMAND} ${WORK}/build -DSTOWAGE_BUILD_CLI=ON
                RESULT_VARIABLE result ERROR_VARIABLE error OUTPUT_QUIET)
string(REGEX REPLACE "[ \n]+" " " error "${error}")
if(result EQUAL 0 OR NOT error MATCHES "apt-get install liblemon-dev libflatbuffers-dev")
  message(FATAL_ERROR "the command without its packages: ${result}, ${error}")
endif()

# consume(NAME PREFIX MISSING...)
function(consume name prefix)
  list(JOIN ARGN "," missing)
  run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/${name} ${toolchain} ${hidden}
      -DCMAKE_PREFIX_PATH=${prefix} -DMISSING=${missing})
  run(${CMAKE_COMMAND} --build ${WORK}/${name})
  expect_exports(${WORK}/${name}/libruntime.so guest_plan guest_strategies)
  run_for_output(output ${WORK}/${name}/core_consumer)
  foreach(expected
      "greedy_best 5120\n" "optimal 5120\n" "\nOK\n"
      "NOT_FOUND: strategy 'mincostflow': [^\n]*; expected stowage::mincostflow ")
    if(NOT output MATCHES "${expected}")
      message(FATAL_ERROR "${name} printed '${output}', expected '${expected}'")
    endif()
  endforeach()
endfunction()
consume(core_alone ${WORK}/prefix io mincostflow tflite harness delegate_reference testing stowage)
consume(core_of_all ${FULL} mincostflow stowage)
