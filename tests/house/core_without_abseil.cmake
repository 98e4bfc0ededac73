# SPDX-License-Identifier: Apache-2.0
# Tests the core, files, certificates and the C interface without abseil, exceptions and
# run-time type information. Builds SOURCE in WORK with abseil, LEMON and CLP hidden,
# installs it, and plans with CONSUMER. Checks that object files of this build cannot be
# linked with those of the build with abseil, which is installed in FULL. Does not check
# that both builds make the same plans. The tests of the amalgamation do this with the
# same code (amalgamated.cmake, ../determinism).
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})

set(hidden)
foreach(package absl lemon FlatBuffers gemmlowp CLI11 OpenSSL GTest rapidcheck benchmark)
  list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
foreach(library CLP_INCLUDE CLP_LIBRARY)
  list(APPEND hidden -DSTOWAGE_${library}=)
endforeach()
file(GLOB_RECURSE sources ${SOURCE}/include/stowage/base/*.h ${SOURCE}/src/base/*)
foreach(source IN LISTS sources)
  file(STRINGS ${source} lines REGEX "^#include \"absl/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" header "${line}")
    file(WRITE ${WORK}/hidden/${header} "#error \"${header} is hidden\"\n")
  endforeach()
endforeach()
foreach(header lemon/network_simplex.h lemon/static_graph.h flatbuffers/flatbuffers.h
               coin/ClpSimplex.hpp fixedpoint/fixedpoint.h)
  file(WRITE ${WORK}/hidden/${header} "#error \"${header} is hidden\"\n")
endforeach()
if(NOT EXISTS ${WORK}/hidden/absl/status/status.h)
  message(FATAL_ERROR "the test does not see which headers of abseil there are")
endif()
set(toolchain -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=None
    "-DCMAKE_CXX_FLAGS=${FLAGS} -O0 -fno-exceptions -fno-rtti -isystem ${WORK}/hidden")

run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build ${toolchain} ${hidden}
    -DSTOWAGE_WITH_ABSEIL=OFF)
run(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2)
run(${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/prefix)

# Check that the shared library depends only on the libraries of every C++ program.
file(GLOB_RECURSE shared ${WORK}/prefix/libstowage.so.1.0)
run_for_output(dependencies objdump -p ${shared})
string(REGEX MATCHALL "NEEDED +[^ \n]+" needed "${dependencies}")
foreach(library IN LISTS needed)
  if(NOT library MATCHES " (libstdc\\+\\+|libm|libgcc_s|libc|ld-linux[-_a-z0-9]*)\\.so")
    message(FATAL_ERROR "${shared}: ${library}; expected the libraries of C and C++ alone")
  endif()
endforeach()
if(NOT needed)
  message(FATAL_ERROR "${shared} needs no library: '${dependencies}'")
endif()

# Check that the shared library has all functions that C programs call, including those
# for certificates.
cmake_path(GET shared PARENT_PATH shared_folder)
find_program(cc NAMES cc gcc REQUIRED)
run(${cc} -std=c99 -I${WORK}/prefix/include ${CMAKE_CURRENT_LIST_DIR}/../c/tour.c ${shared}
    -Wl,-rpath,${shared_folder} -o ${WORK}/tour)
expect_tour(${WORK}/tour)

foreach(part CLI TESTS BENCH FUZZ)
  execute_process(COMMAND ${CMAKE_COMMAND} ${WORK}/build -DSTOWAGE_BUILD_${part}=ON
                  RESULT_VARIABLE result ERROR_VARIABLE error OUTPUT_QUIET)
  string(REGEX REPLACE "[ \n]+" " " error "${error}")
  if(result EQUAL 0 OR NOT error MATCHES "STOWAGE_BUILD_${part}: .*STOWAGE_WITH_ABSEIL=ON")
    message(FATAL_ERROR "${part} without abseil: ${result}, ${error}")
  endif()
  run(${CMAKE_COMMAND} ${WORK}/build -DSTOWAGE_BUILD_${part}=OFF)
endforeach()

run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/consumer ${toolchain} ${hidden}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DMISSING=mincostflow,tflite,harness,delegate_reference,testing,stowage)
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
expect_exports(${WORK}/consumer/libruntime.so guest_plan guest_strategies)
run_for_output(output ${WORK}/consumer/core_consumer)
foreach(expected "greedy_best 5120\n" "optimal 5120\n" "\nOK\n"
        "NOT_FOUND: strategy 'mincostflow': [^\n]*; expected stowage::mincostflow ")
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "the consumer printed '${output}', expected '${expected}'")
  endif()
endforeach()

# Check that the kit generates the same problems in both builds: a test of a planner in C
# must find the failure in the document.
file(WRITE ${WORK}/toy/CMakeLists.txt
  "cmake_minimum_required(VERSION 3.25)\nproject(toy LANGUAGES C CXX)\n"
  "find_package(stowage REQUIRED COMPONENTS c_testing)\n"
  "add_executable(toy ${SOURCE}/tests/c_testing/toy_planner.c)\n"
  "target_link_libraries(toy PRIVATE stowage::c_testing)\n")
run(${CMAKE_COMMAND} -S ${WORK}/toy -B ${WORK}/toy/build ${toolchain} ${hidden}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/toy/build)
expect_documented(${SOURCE}/docs/test-your-planner.md ${WORK}/toy/build/toy)

# expect_no_link(HEADERS LIBRARIES SYMBOL) compiles the consumer with the headers of one
# installation, and checks that the core of the other installation lacks the function
# SYMBOL.
function(expect_no_link headers libraries symbol)
  run(${COMPILER} -std=c++17 -O1 -I${headers}/include -c ${CONSUMER}/main.cc -o ${WORK}/mixed.o)
  file(GLOB_RECURSE core ${libraries}/libstowage_plain.a ${libraries}/libstowage_constraints.a)
  execute_process(COMMAND ${COMPILER} ${WORK}/mixed.o ${core} -o ${WORK}/mixed
                  RESULT_VARIABLE result ERROR_VARIABLE error)
  string(FIND "${error}" "undefined reference to `${symbol}" found)
  if(NOT core OR result EQUAL 0 OR found EQUAL -1)
    message(FATAL_ERROR "${headers} with ${core}: ${result}, expected no ${symbol}:\n${error}")
  endif()
endfunction()
expect_no_link(${FULL} ${WORK}/prefix "stowage::Problem::Create(")
expect_no_link(${WORK}/prefix ${FULL} "stowage::Problem::Create[abi:v1_std](")
