# SPDX-License-Identifier: Apache-2.0
# Finds packages and decides what is built: a library whose packages are missing
# is left out with a line that says what to install, and so is a part of the
# project that is AUTO; one that is ON is an error.

# stowage_find(VARIABLE PACKAGE DEBIAN [OPTION...]): find_package(PACKAGE
# OPTION...); VARIABLE becomes the Debian package that is missing, or empty.
macro(stowage_find variable package debian)
  find_package(${package} QUIET ${ARGN})
  set(${variable})
  if(NOT ${package}_FOUND)
    set(${variable} ${debian})
  endif()
endmacro()

# stowage_library(NAME MISSING...): sets STOWAGE_HAS_NAME unless something is
# missing.
function(stowage_library name)
  set(STOWAGE_HAS_${name} ON PARENT_SCOPE)
  if(ARGN)
    set(STOWAGE_HAS_${name} OFF PARENT_SCOPE)
    list(JOIN ARGN " " packages)
    message(STATUS "Not building stowage::${name}; to have it: apt-get install ${packages}")
  endif()
endfunction()

# stowage_part(NAME DESCRIPTION MISSING...): the option STOWAGE_BUILD_NAME, which
# is ON, OFF or AUTO: where nothing is missing. Makes it ON or OFF.
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
  if(value STREQUAL AUTO)
    set(value ON)
    if(missing)
      set(value OFF)
      message(STATUS "Not building ${description}; to have it: apt-get install ${packages}")
    endif()
  elseif(value AND missing)
    message(FATAL_ERROR "STOWAGE_BUILD_${name}: packages for ${description} are missing; "
                        "expected: apt-get install ${packages}, "
                        "or configure with -DSTOWAGE_BUILD_${name}=OFF")
  endif()
  set(STOWAGE_BUILD_${name} ${value} PARENT_SCOPE)
endfunction()

stowage_find(no_absl absl libabsl-dev)
if(no_absl)
  message(FATAL_ERROR "abseil: not found; expected: apt-get install ${no_absl}, "
                      "or its folder in CMAKE_PREFIX_PATH")
endif()
stowage_find(no_lemon lemon liblemon-dev)
stowage_find(no_flatbuffers FlatBuffers libflatbuffers-dev CONFIG)
find_program(STOWAGE_FLATC flatc)
set(no_flatc)
if(NOT STOWAGE_FLATC)
  set(no_flatc flatbuffers-compiler)
endif()

find_path(STOWAGE_GEMMLOWP_INCLUDE gemmlowp/fixedpoint/fixedpoint.h)
set(no_gemmlowp)
if(NOT STOWAGE_GEMMLOWP_INCLUDE)
  set(no_gemmlowp libgemmlowp-dev)
endif()

# It has no config of CMake.
find_path(STOWAGE_CLP_INCLUDE coin/ClpSimplex.hpp)
find_library(STOWAGE_CLP_LIBRARY Clp)
find_library(STOWAGE_COINUTILS_LIBRARY CoinUtils)
mark_as_advanced(STOWAGE_CLP_INCLUDE STOWAGE_CLP_LIBRARY STOWAGE_COINUTILS_LIBRARY)
set(no_clp)
if(NOT STOWAGE_CLP_INCLUDE OR NOT STOWAGE_CLP_LIBRARY OR NOT STOWAGE_COINUTILS_LIBRARY)
  set(no_clp coinor-libclp-dev)
endif()

set(no_tflite ${no_flatbuffers} ${no_flatc})
stowage_find(no_json nlohmann_json nlohmann-json3-dev)
stowage_library(certificate ${no_json})
stowage_library(problem_file ${no_json})
stowage_find(no_zlib ZLIB zlib1g-dev)
stowage_library(views ${no_json} ${no_zlib})
stowage_library(clp ${no_clp})
stowage_library(mincostflow ${no_lemon})
stowage_library(tflite ${no_tflite})
stowage_find(no_openssl OpenSSL libssl-dev)
set(no_harness ${no_tflite} ${no_gemmlowp} ${no_json} ${no_openssl})
stowage_library(harness ${no_harness})
stowage_library(testing ${no_tflite} ${no_json})

# Of parts that nobody asks for no package is looked for.
set(no_library ${no_lemon} ${no_harness})
set(no_command ${no_library} ${no_zlib})
if(PROJECT_IS_TOP_LEVEL OR STOWAGE_BUILD_CLI OR STOWAGE_BUILD_TESTS OR STOWAGE_BUILD_BENCH
   OR STOWAGE_BUILD_FUZZ)
  stowage_find(no_cli11 CLI11 libcli11-dev)
  stowage_find(no_gtest GTest libgtest-dev)
  stowage_find(no_rapidcheck rapidcheck librapidcheck-dev)
  stowage_find(no_benchmark benchmark libbenchmark-dev)
  find_package(Threads REQUIRED)
  list(APPEND no_command ${no_cli11})
endif()
stowage_part(CLI "the command" ${no_command})
stowage_part(TESTS "the tests" ${no_command} ${no_gtest} ${no_rapidcheck})
stowage_part(BENCH "the benchmarks" ${no_library} ${no_benchmark})
