# SPDX-License-Identifier: Apache-2.0
# Finds packages and decides what is built. A library is not built if one of its
# packages is missing; a message then lists the packages to install. The same
# holds for a part of the project that is AUTO. If a part is ON, a missing package
# is an error.

# stowage_find(VARIABLE PACKAGE DEBIAN TARGETS target...) finds a package. If a
# project that contains this one already has all TARGETS, in any version, they are
# used. If it has none of them, find_package(PACKAGE) is called. If it has only
# some of them, this is an error, because the others would be of another version.
# Sets VARIABLE to DEBIAN if the package is missing, and otherwise to the empty
# string.
function(stowage_find variable package debian)
  cmake_parse_arguments(ARG "" "" "TARGETS" ${ARGN})
  set(${variable} "" PARENT_SCOPE)
  stowage_absent_targets(absent ${ARG_TARGETS})
  if(absent STREQUAL ARG_TARGETS)
    find_package(${package} QUIET)
    if(NOT ${package}_FOUND)
      set(${variable} ${debian} PARENT_SCOPE)
    endif()
  elseif(absent)
    list(REMOVE_ITEM ARG_TARGETS ${absent})
    list(JOIN absent " " absent)
    list(JOIN ARG_TARGETS " " present)
    message(FATAL_ERROR "${package}: this build has ${present}, but not ${absent}; "
                        "expected all of them, or none and the package ${debian}")
  endif()
endfunction()

# stowage_absent_targets(VARIABLE TARGET...) sets VARIABLE to the targets that do
# not exist.
function(stowage_absent_targets variable)
  set(absent)
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      list(APPEND absent ${target})
    endif()
  endforeach()
  set(${variable} ${absent} PARENT_SCOPE)
endfunction()

# stowage_library(NAME MISSING...) sets STOWAGE_HAS_NAME to ON if no package is
# missing, and otherwise to OFF.
function(stowage_library name)
  set(STOWAGE_HAS_${name} ON PARENT_SCOPE)
  if(ARGN)
    set(STOWAGE_HAS_${name} OFF PARENT_SCOPE)
    list(JOIN ARGN " " packages)
    if(NOT STOWAGE_WITH_ABSEIL AND libabsl-dev IN_LIST ARGN)
      return()  # one message for all libraries is printed below
    endif()
    message(STATUS "Not building stowage::${name}; to have it: apt-get install ${packages}")
  endif()
endfunction()

# stowage_part(NAME DESCRIPTION MISSING...) adds the option STOWAGE_BUILD_NAME,
# which is ON, OFF or AUTO. AUTO becomes ON if nothing is missing, and otherwise
# OFF.
function(stowage_part name description)
  set(default AUTO)
  if(NOT PROJECT_IS_TOP_LEVEL)
    set(default OFF)
  endif()
  set(STOWAGE_BUILD_${name} ${default} CACHE STRING
      "Build ${description}: ON, OFF, or AUTO where its packages are installed")
  set_property(CACHE STOWAGE_BUILD_${name} PROPERTY STRINGS AUTO ON OFF)
  set(value ${STOWAGE_BUILD_${name}})
  set(missing ${ARGN})
  list(REMOVE_DUPLICATES missing)
  list(JOIN missing " " packages)
  set(wrong "packages for ${description} are missing")
  set(remedy "apt-get install ${packages}")
  if(NOT STOWAGE_WITH_ABSEIL)
    set(missing STOWAGE_WITH_ABSEIL)
    set(wrong "STOWAGE_WITH_ABSEIL is OFF, and ${description} cannot be built without abseil")
    set(remedy "configure with -DSTOWAGE_WITH_ABSEIL=ON")
  endif()
  # The command works with any strategies, but all other parts refer to certain
  # strategies of the tree by name.
  if(STOWAGE_STRATEGIES AND NOT name STREQUAL CLI)
    set(missing STOWAGE_STRATEGIES)
    set(wrong "${description} need every strategy, and STOWAGE_STRATEGIES has some")
    set(remedy "configure with -DSTOWAGE_STRATEGIES=")
  endif()
  if(value STREQUAL AUTO)
    set(value ON)
    if(missing)
      set(value OFF)
      message(STATUS "Not building ${description}; to have it: ${remedy}")
    endif()
  elseif(value AND missing)
    message(FATAL_ERROR "STOWAGE_BUILD_${name}: ${wrong}; expected: ${remedy}, "
                        "or configure with -DSTOWAGE_BUILD_${name}=OFF")
  endif()
  set(STOWAGE_BUILD_${name} ${value} PARENT_SCOPE)
endfunction()

set(no_absl libabsl-dev)
if(STOWAGE_WITH_ABSEIL)
  stowage_find(no_absl absl libabsl-dev
    TARGETS absl::base absl::btree absl::flat_hash_map absl::optional absl::span absl::status
            absl::statusor absl::strings absl::time)
  if(no_absl)
    message(FATAL_ERROR "abseil: not found; expected: apt-get install ${no_absl}, "
                        "or its folder in CMAKE_PREFIX_PATH, or its targets in this build, "
                        "or -DSTOWAGE_WITH_ABSEIL=OFF for the core alone")
  endif()
else()
  message(STATUS "Building stowage::core, plain, constraints, adapters, micro, recorder, "
                 "mincostflow, clp, io, kit, proof, dynamic, c, c_shared and c_testing without "
                 "abseil; to have the other libraries and the command: configure with "
                 "-DSTOWAGE_WITH_ABSEIL=ON")
  if(STOWAGE_BUILD_FUZZ)
    message(FATAL_ERROR "STOWAGE_BUILD_FUZZ: STOWAGE_WITH_ABSEIL is OFF, and the fuzzers cannot "
                        "be built without abseil; expected: configure with -DSTOWAGE_WITH_ABSEIL=ON")
  endif()
endif()
# Some libraries need more targets of abseil than the core does. A project that
# contains this one may lack these targets.
set(no_more_absl)
stowage_absent_targets(absent absl::flat_hash_set absl::int128)
if(absent OR NOT STOWAGE_WITH_ABSEIL)
  set(no_more_absl libabsl-dev)
endif()
stowage_find(no_lemon lemon liblemon-dev TARGETS lemon)

# The library of FlatBuffers has several target names. If the library is built in this
# build, its compiler is the target flatc.
function(stowage_find_flatbuffers)
  foreach(target flatbuffers::flatbuffers_shared flatbuffers::flatbuffers flatbuffers)
    if(TARGET ${target})
      set(STOWAGE_FLATBUFFERS ${target} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
set(STOWAGE_FLATBUFFERS)
stowage_find_flatbuffers()
if(NOT STOWAGE_FLATBUFFERS)
  find_package(FlatBuffers QUIET CONFIG)
  stowage_find_flatbuffers()
endif()
set(no_flatbuffers)
if(NOT STOWAGE_FLATBUFFERS)
  set(no_flatbuffers libflatbuffers-dev)
endif()
set(no_flatc)
if(TARGET flatc)
  set(STOWAGE_FLATC flatc)
else()
  find_program(STOWAGE_FLATC flatc)
endif()
if(NOT STOWAGE_FLATC)
  set(no_flatc flatbuffers-compiler)
endif()

find_path(STOWAGE_GEMMLOWP_INCLUDE gemmlowp/fixedpoint/fixedpoint.h)
set(no_gemmlowp)
if(NOT STOWAGE_GEMMLOWP_INCLUDE)
  set(no_gemmlowp libgemmlowp-dev)
endif()

# CLP has no CMake config.
find_path(STOWAGE_CLP_INCLUDE coin/ClpSimplex.hpp)
find_library(STOWAGE_CLP_LIBRARY Clp)
find_library(STOWAGE_COINUTILS_LIBRARY CoinUtils)
mark_as_advanced(STOWAGE_CLP_INCLUDE STOWAGE_CLP_LIBRARY STOWAGE_COINUTILS_LIBRARY)
set(no_clp)
if(NOT STOWAGE_CLP_INCLUDE OR NOT STOWAGE_CLP_LIBRARY OR NOT STOWAGE_COINUTILS_LIBRARY)
  set(no_clp coinor-libclp-dev)
endif()

stowage_find(no_json nlohmann_json nlohmann-json3-dev TARGETS nlohmann_json::nlohmann_json)
set(no_tflite ${no_absl} ${no_flatbuffers} ${no_flatc} ${no_json})
stowage_library(proof ${no_json})
stowage_library(io ${no_json})
stowage_library(kit ${no_json})
stowage_library(programs ${no_json} ${no_absl})
stowage_library(dynamic ${no_json})
stowage_library(explain ${no_json} ${no_more_absl})
stowage_find(no_zlib ZLIB zlib1g-dev TARGETS ZLIB::ZLIB)
stowage_library(views ${no_json} ${no_zlib} ${no_more_absl})
stowage_find(no_zstd zstd libzstd-dev TARGETS zstd::libzstd_shared)
set(no_recordings ${no_json} ${no_zlib} ${no_zstd} ${no_flatbuffers} ${no_flatc} ${no_more_absl})
stowage_library(recordings ${no_recordings})
stowage_library(clp ${no_clp})
if(NOT STOWAGE_STRATEGIES OR "mincostflow" IN_LIST STOWAGE_STRATEGIES)
  stowage_library(mincostflow ${no_lemon})
endif()
stowage_library(tflite ${no_tflite})
stowage_find(no_openssl OpenSSL libssl-dev TARGETS OpenSSL::Crypto)
set(no_harness ${no_tflite} ${no_gemmlowp} ${no_openssl})
stowage_library(harness ${no_harness})
stowage_library(testing ${no_tflite} ${no_more_absl})

# Search for the packages of the command, the tests and the benchmarks only if these
# parts may be built.
set(no_library ${no_absl} ${no_lemon} ${no_harness} ${no_more_absl})
set(no_command ${no_library} ${no_recordings})
if(PROJECT_IS_TOP_LEVEL OR STOWAGE_BUILD_CLI OR STOWAGE_BUILD_TESTS OR STOWAGE_BUILD_BENCH
   OR STOWAGE_BUILD_FUZZ)
  stowage_find(no_cli11 CLI11 libcli11-dev TARGETS CLI11::CLI11)
  stowage_find(no_gtest GTest libgtest-dev TARGETS GTest::gtest GTest::gtest_main GTest::gmock)
  stowage_find(no_rapidcheck rapidcheck librapidcheck-dev TARGETS rapidcheck)
  stowage_find(no_benchmark benchmark libbenchmark-dev TARGETS benchmark::benchmark)
  find_package(Threads REQUIRED)
  list(APPEND no_command ${no_cli11})
endif()
stowage_part(CLI "the command" ${no_command})
stowage_part(TESTS "the tests" ${no_command} ${no_gtest} ${no_rapidcheck})
stowage_part(BENCH "the benchmarks" ${no_library} ${no_benchmark})
