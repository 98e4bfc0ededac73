# SPDX-License-Identifier: Apache-2.0
# Tests ./dev amalgamate in WORK. Writes levels with SCRIPT, and compiles each of them
# with COMPILER, without exceptions, run-time type information or warnings. Levels with
# one strategy are compiled for size, as for a device. PROGRAM must give the same plans
# with them as REFERENCE, which is PROGRAM linked with the library. VERDICTS is a
# program for the level without a planner, and PLANS is a small program for the other
# levels. If SIZES is true, the sizes of the programs are limited. The test
# determinism:clang++-O3 compiles and runs the amalgamation of the whole library.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})
separate_arguments(flags UNIX_COMMAND "${FLAGS} -std=c++17 -fno-exceptions -fno-rtti")
set(small ${flags} -Os -DNDEBUG -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections)
set(warnings -Wall -Wextra -Wshadow -Wconversion -Werror)
run_for_output(reference ${REFERENCE})

# build_level(LEVEL OPTION...) writes a level and compiles it.
function(build_level level)
  set(folder ${WORK}/${level})
  run(${PYTHON} -B ${SCRIPT} ${level} ${folder})
  foreach(file stowage.h stowage.cc)
    file(STRINGS ${folder}/${file} abseil REGEX "^[^/]*absl|WITH_ABSEIL")
    if(abseil)
      message(FATAL_ERROR "${level}/${file} names abseil: ${abseil}")
    endif()
  endforeach()
  run(${COMPILER} ${ARGN} ${warnings} ${folder}/stowage.cc)
endfunction()

# link_program(LEVEL MAIN NAME OPTION...) compiles MAIN and links it with the level.
function(link_program level main name)
  set(folder ${WORK}/${level})
  run(${COMPILER} ${small} ${ARGN} -DSTOWAGE_AMALGAMATED -I${folder} ${main} ${folder}/stowage.o
      -o ${folder}/${name} -pthread -Wl,--gc-sections -s)
endfunction()

# expect_size(LEVEL NAME LIMIT) checks that the program has at most LIMIT bytes more than
# an empty program.
file(WRITE ${WORK}/empty.cc "int main() { return 0; }\n")
run(${COMPILER} ${small} ${WORK}/empty.cc -o ${WORK}/empty -s)
file(SIZE ${WORK}/empty empty)
function(expect_size level name limit)
  file(SIZE ${WORK}/${level}/${name} size)
  math(EXPR above "${size} - ${empty}")
  message("${level} has ${above} bytes more than an empty program")
  if(SIZES AND above GREATER limit)
    message(FATAL_ERROR "${level}: ${above} bytes, expected at most ${limit}")
  endif()
endfunction()

# The limits are 10 % more than the sizes in docs/embedding.md, which are by GCC 12.
build_level(verify ${small} -c -o ${WORK}/verify/stowage.o)
link_program(verify ${VERDICTS} verdicts)
run_for_output(output ${WORK}/verify/verdicts)
set(expected "tensor 1 and tensor 2 both hold bytes [4096, 5120) at task 3\n")
if(NOT output STREQUAL "safe\n${expected}5120\n")
  message(FATAL_ERROR "verdicts printed '${output}', expected safe, '${expected}' and 5120")
endif()
expect_size(verify verdicts 18400)

# expect_planner(LEVEL STRATEGY LIMIT) checks that the level has this strategy, that it
# makes the same plans as the library, and that it has at most LIMIT bytes.
function(expect_planner level strategy limit)
  build_level(${level} ${small} -c -o ${WORK}/${level}/stowage.o)
  link_program(${level} ${PROGRAM} plans)
  run_for_output(output ${WORK}/${level}/plans)
  string(REGEX MATCH "(^|\n)${strategy} [0-9a-f]+\n" expected "${reference}")
  string(STRIP "${expected}" expected)
  if(NOT expected OR NOT "\n${output}" MATCHES "\n${expected}\n")
    message(FATAL_ERROR "${level} printed '${output}', expected '${expected}' among it")
  endif()
  link_program(${level} ${PLANS} planner "-DSTRATEGY=\"${strategy}\"")
  expect_size(${level} planner ${limit})
endfunction()
expect_planner(greedy greedy_by_size 154000)
expect_planner(skyline skyline 172000)
build_level(all ${flags} -fsyntax-only)
