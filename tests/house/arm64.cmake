# SPDX-License-Identifier: Apache-2.0
# Tests the library on 64-bit Arm, cross-compiled and run by QEMU. Builds SOURCE in WORK
# without abseil, as for a device, and installs it. Expects the same plans (RECORDED), binary
# interface and program output as on x86-64. On Arm, a char is unsigned, and the compiler
# fuses multiplications with additions.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
foreach(program aarch64-linux-gnu-g++ qemu-aarch64)
  find_program(found_${program} ${program})
  if(NOT found_${program})
    message("skipped: no ${program}; to have it: apt-get install g++-aarch64-linux-gnu qemu-user")
    return()
  endif()
endforeach()
set(emulator qemu-aarch64 -L /usr/aarch64-linux-gnu)
file(REMOVE_RECURSE ${WORK})

# Do not use the libraries of LEMON and CLP that are installed, because they are for the
# processor of this machine.
set(toolchain -G ${GENERATOR} -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64
    -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++
    -DCMAKE_BUILD_TYPE=None -DCMAKE_DISABLE_FIND_PACKAGE_lemon=ON -DSTOWAGE_CLP_INCLUDE=
    -DSTOWAGE_CLP_LIBRARY=)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build ${toolchain} -DCMAKE_C_FLAGS=-g
    "-DCMAKE_CXX_FLAGS=-O1 -g" -DSTOWAGE_WITH_ABSEIL=OFF -DSTOWAGE_INSTALL=ON)
run(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2)
run(${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/prefix)
run(${SOURCE}/tests/c/abi/compare ${WORK}/build/src/c/libstowage.so.1)

file(WRITE ${WORK}/programs/CMakeLists.txt
  "cmake_minimum_required(VERSION 3.25)\nproject(programs LANGUAGES C CXX)\n"
  "find_package(stowage REQUIRED COMPONENTS c_shared c_testing kit)\n"
  "add_executable(plan_hashes ${SOURCE}/tests/determinism/plan_hashes.cc)\n"
  "target_include_directories(plan_hashes PRIVATE ${SOURCE})\n"
  "target_link_libraries(plan_hashes PRIVATE stowage::kit stowage::io stowage::core)\n"
  "add_executable(tour ${SOURCE}/tests/c/tour.c)\n"
  "target_link_libraries(tour PRIVATE stowage::c_shared)\n"
  "add_executable(toy_planner ${SOURCE}/tests/c_testing/toy_planner.c)\n"
  "target_link_libraries(toy_planner PRIVATE stowage::c_testing)\n")
run(${CMAKE_COMMAND} -S ${WORK}/programs -B ${WORK}/programs/build ${toolchain}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/programs/build --parallel 2)

expect_tour(${emulator} ${WORK}/programs/build/tour)
expect_documented(${SOURCE}/docs/test-your-planner.md
                  ${emulator} ${WORK}/programs/build/toy_planner)

set(PROGRAM ${emulator} ${WORK}/programs/build/plan_hashes)
include(${SOURCE}/tests/determinism/compare_plans.cmake)
