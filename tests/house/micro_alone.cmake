# SPDX-License-Identifier: Apache-2.0
# Tests stowage::micro without any other package. Builds CONSUMER in WORK, first
# with only the folder SOURCE, and then with the installation in PREFIX, by CMake
# and, if it is installed, by pkg-config.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})
set(expected "0 4096 0 in an arena of 5120 bytes\n")

# expect_plan(PROGRAM) checks that the program prints the plan of the example.
function(expect_plan program)
  run_for_output(output ${program})
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${program} printed '${output}', expected '${expected}'")
  endif()
endfunction()

set(hidden)
foreach(package absl lemon FlatBuffers nlohmann_json OpenSSL rapidcheck)
  list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/folder -G ${GENERATOR}
    -DSTOWAGE_MICRO_SOURCE=${SOURCE} ${hidden})
run(${CMAKE_COMMAND} --build ${WORK}/folder)
expect_plan(${WORK}/folder/micro_consumer)

run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK} -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${PREFIX}
    ${hidden})
run(${CMAKE_COMMAND} --build ${WORK})
expect_plan(${WORK}/micro_consumer)

find_program(pkg_config pkg-config)
if(pkg_config)
  file(GLOB_RECURSE pc ${PREFIX}/*/stowage-micro.pc)
  cmake_path(GET pc PARENT_PATH folder)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  run_for_output(flags ${pkg_config} --cflags --libs --static stowage-micro)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${C_COMPILER} -std=c99 ${CONSUMER}/main.c ${flags} -Wl,-rpath,${folder}/..
      -o ${WORK}/by_pkg_config)
  expect_plan(${WORK}/by_pkg_config)
endif()
