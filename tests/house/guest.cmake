# SPDX-License-Identifier: Apache-2.0
# Tests Stowage inside the project GUEST, in WORK. Builds the runtime of this project,
# which is compiled without exceptions and has its own abseil, with only two strategies.
# Also configures the project in ways that must succeed, and in ways that must be
# refused. ABSEIL_CONFIG is the folder of Debian's abslConfig.cmake, and EXTRA is the
# folder of a strategy outside the tree.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})
set(common -S ${GUEST} -B ${WORK} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
    -DSTOWAGE_SOURCE=${SOURCE} -DABSEIL_CONFIG=${ABSEIL_CONFIG})

# configure(EXPECTED OPTION...) configures with only these options. EXPECTED is a
# regular expression for the error of CMake, or OK if CMake must succeed.
function(configure expected)
  set(all -DPACKAGES=added -DINSTALL_PACKAGES=OFF -DSTOWAGE_STRATEGIES= -DSTOWAGE_EXTRA_STRATEGIES=
      -DSTOWAGE_INSTALL=OFF -DSTOWAGE_BUILD_CLI=OFF -DSTOWAGE_BUILD_TESTS=OFF -DBUILD_SHARED_LIBS=OFF
      -DSTOWAGE_BUILD_BENCH=OFF ${hidden} ${ARGN})
  list(TRANSFORM all REPLACE "," "\\\\;")
  execute_process(COMMAND ${CMAKE_COMMAND} ${common} ${all} RESULT_VARIABLE result
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " text "${output}")
  if(expected STREQUAL OK AND result EQUAL 0)
    message("configures: ${ARGN}")
  elseif(NOT expected STREQUAL OK AND NOT result EQUAL 0 AND text MATCHES "${expected}")
    message("is refused: ${ARGN}")
  else()
    message(FATAL_ERROR
      "configuring with ${ARGN} returned ${result}, expected '${expected}':\n${output}")
  endif()
endfunction()

# Hide all packages, so that only those that the project adds are found.
set(hidden)
foreach(package absl lemon FlatBuffers CLI11 nlohmann_json OpenSSL ZLIB GTest rapidcheck benchmark)
  list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
# Configure the project with shared libraries as the default.
configure(OK -DSTOWAGE_STRATEGIES=greedy_by_size,skyline -DBUILD_SHARED_LIBS=ON)
run(${CMAKE_COMMAND} --build ${WORK} --target guest --parallel 2)
run_for_output(output ${WORK}/guest)
if(NOT output STREQUAL "greedy_by_size skyline : 0 5120 0\n")
  message(FATAL_ERROR "guest printed '${output}', expected the plan of skyline alone")
endif()
expect_exports(${WORK}/libruntime.so guest_plan guest_strategies)
file(GLOB_RECURSE shared ${WORK}/libstowage*.so*)
if(shared)
  message(FATAL_ERROR "${shared}: shared libraries of ours; expected archives alone")
endif()

# All libraries, the command and the tests must use the packages of the project.
configure(OK -DSTOWAGE_BUILD_CLI=ON -DSTOWAGE_BUILD_TESTS=ON -DSTOWAGE_BUILD_BENCH=ON)
configure("absl: this build has absl::base absl::status, but not absl::btree .* absl::time; expected all"
          -DPACKAGES=some)
configure("abseil: not found; expected" -DPACKAGES=found)

# A strategy that does not exist must be refused with a list of existing strategies.
set(strategies "arena_best_fit, equality, greedy_best, .*skyline")
configure("STOWAGE_STRATEGIES: no strategy 'skylin'; expected some of ${strategies}"
          -DSTOWAGE_STRATEGIES=greedy_by_size,skylin)
configure("STOWAGE_STRATEGIES: no strategy 'CMakeLists.txt'; expected" -DSTOWAGE_STRATEGIES=CMakeLists.txt)
configure("STOWAGE_STRATEGIES: no strategy '../strategies/skyline'; expected"
          -DSTOWAGE_STRATEGIES=../strategies/skyline)
configure(OK -DSTOWAGE_STRATEGIES=greedy_best -DSTOWAGE_EXTRA_STRATEGIES=${EXTRA}/)
configure("STOWAGE_EXTRA_STRATEGIES: no strategy '[^']*/first_fti'; expected [^;]*; .*: first_fit"
          -DSTOWAGE_EXTRA_STRATEGIES=${EXTRA}/../first_fti)
configure("'first_fit' is a relative path; expected" -DSTOWAGE_EXTRA_STRATEGIES=first_fit)
configure("STOWAGE_EXTRA_STRATEGIES: '[^']*/skyline' has the name of [^ ]*; expected"
          -DSTOWAGE_EXTRA_STRATEGIES=${SOURCE}/strategies/skyline)
configure("STOWAGE_BUILD_TESTS: the tests need every strategy" -DSTOWAGE_STRATEGIES=skyline
          -DSTOWAGE_BUILD_TESTS=ON)

# Stowage can be installed only if the libraries that it links are installed too.
configure("ABSL_ENABLE_INSTALL=ON.*absl_status\" that is not in any export set"
          -DSTOWAGE_INSTALL=ON)
configure(OK -DSTOWAGE_INSTALL=ON -DINSTALL_PACKAGES=ON -DPACKAGES=abseil)

# find_package may return targets that FetchContent creates.
list(REMOVE_ITEM hidden -DCMAKE_DISABLE_FIND_PACKAGE_absl=ON)
list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_absl=OFF)
configure(OK -DPACKAGES=fetched -DFETCHCONTENT_SOURCE_DIR_ABSL=${GUEST}/own_packages)
