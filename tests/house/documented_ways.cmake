# SPDX-License-Identifier: Apache-2.0
# Follows the instructions in DOCUMENT, in WORK. Uses each block with a language in
# LANGUAGES (separated by spaces) in a separate folder. The folder contains the
# documented programs main.cc and main.c and the tree SOURCE, like the folder of a
# reader; the library is installed in PREFIX. Blocks in sh are run, and blocks in
# CMake become a project. The resulting programs are run and must print the plan of
# the example.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})
separate_arguments(LANGUAGES UNIX_COMMAND "${LANGUAGES}")
file(GLOB_RECURSE pc ${PREFIX}/stowage.pc)
cmake_path(GET pc PARENT_PATH pc_folder)
cmake_path(GET pc_folder PARENT_PATH libraries)
set(ENV{PKG_CONFIG_PATH} ${pc_folder})
set(ENV{LD_LIBRARY_PATH} ${libraries})
set(line "0 4096 0 in an arena of 5120 bytes: optimal\n")

# prepare(FOLDER) creates the files that a reader of the page has.
function(prepare folder)
  file(MAKE_DIRECTORY ${folder}/third_party)
  foreach(path dev tests)
    file(CREATE_LINK ${SOURCE}/${path} ${folder}/${path} SYMBOLIC)
  endforeach()
  configure_file(${SOURCE}/tests/house/consumer/main.cc ${folder}/main.cc COPYONLY)
  configure_file(${SOURCE}/tests/c/example.c ${folder}/main.c COPYONLY)
endfunction()

# expect_plans(OUTPUT) checks that the output consists of the plan of the example, once
# or several times.
function(expect_plans output)
  string(REPLACE "${line}" "" rest "${output}")
  if(rest OR NOT output)
    message(FATAL_ERROR "printed '${output}', expected '${line}' and nothing else")
  endif()
endfunction()

function(do_sh folder block)
  # ./dev prints a list of the files that it wrote. Remove this from the output.
  string(REGEX REPLACE "(^|\n)(\\./dev [^\n]*)" "\\1\\2 >&2" script "${block}")
  execute_process(COMMAND sh -euc "${script}" WORKING_DIRECTORY ${folder} COMMAND_ECHO STDOUT
                  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT block MATCHES "\\./a\\.out")
    run_for_output(output ${folder}/a.out)
  endif()
  expect_plans("${output}")
endfunction()

function(do_cmake folder block)
  set(source main.cc)
  if(block MATCHES "stowage::c(_shared)?\\)")
    set(source main.c)
  endif()
  if(block MATCHES "third_party/stowage")
    file(CREATE_LINK ${SOURCE} ${folder}/third_party/stowage SYMBOLIC)
  endif()
  file(WRITE ${folder}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\n"
       "project(runtime LANGUAGES C CXX)\nadd_executable(runtime ${source})\n${block}")
  run(${CMAKE_COMMAND} -S ${folder} -B ${folder}/build -G ${GENERATOR}
      -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${PREFIX})
  # Do not build the sources of the library, because other tests build them.
  if(NOT block MATCHES "third_party/stowage")
    run(${CMAKE_COMMAND} --build ${folder}/build)
    run_for_output(output ${folder}/build/runtime)
    expect_plans("${output}")
  endif()
endfunction()

file(READ ${DOCUMENT} text)
set(count 0)
foreach(language IN LISTS LANGUAGES)
  set(rest "${text}")
  while(TRUE)
    string(FIND "${rest}" "\n```${language}\n" begin)
    if(begin EQUAL -1)
      break()
    endif()
    string(LENGTH "\n```${language}\n" length)
    math(EXPR begin "${begin} + ${length}")
    string(SUBSTRING "${rest}" ${begin} -1 rest)
    string(FIND "${rest}" "```" end)
    string(SUBSTRING "${rest}" 0 ${end} block)
    math(EXPR count "${count} + 1")
    prepare(${WORK}/${count})
    cmake_language(CALL do_${language} ${WORK}/${count} "${block}")
  endwhile()
endforeach()
if(NOT count EQUAL COUNT)
  message(FATAL_ERROR "${DOCUMENT} has ${count} blocks in ${LANGUAGES}, expected ${COUNT}")
endif()
