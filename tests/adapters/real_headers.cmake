# SPDX-License-Identifier: Apache-2.0
# Compiles the tests of adapters against the headers of the hosts themselves.
# STOWAGE_CHECKOUTS names a folder with the hosts' sources: ggml, llvm-project,
# openvino, pytorch and xla.
set(checkouts "$ENV{STOWAGE_CHECKOUTS}")
if(NOT checkouts)
  message("skipped: STOWAGE_CHECKOUTS is not set")
  return()
endif()

# check(HOST MACRO FOLDERS TESTS) compiles each of TESTS with MACRO defined and with
# the include folders FOLDERS, which are relative to the sources of HOST or absolute.
function(check host macro folders tests)
  if(NOT EXISTS ${checkouts}/${host})
    message("no ${checkouts}/${host}; expected the sources of ${host}")
    return()
  endif()
  set(flags)
  foreach(folder IN LISTS folders)
    cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${checkouts}/${host})
    list(APPEND flags -isystem ${folder})
  endforeach()
  foreach(test IN LISTS tests)
    execute_process(COMMAND ${COMPILER} -std=c++17 -fsyntax-only -D${macro}
      -DSTOWAGE_SOURCE_DIR="" -I${SOURCE} -I${SOURCE}/include -I${BUILD}/include ${flags}
      ${SOURCE}/tests/adapters/${test} COMMAND_ERROR_IS_FATAL ANY)
    message("${test} compiles with the headers of ${host}")
  endforeach()
endfunction()

check(ggml STOWAGE_GGML_HEADERS "include;src" "ggml_test.cc;ggml_chunks_test.cc")
check(openvino STOWAGE_OPENVINO_HEADERS "src/inference/dev_api;src/core/include"
      openvino_test.cc)
# The headers that a build of LLVM generates are in Debian's package llvm-dev.
file(GLOB llvm /usr/lib/llvm-*/include)
check(llvm-project STOWAGE_MLIR_HEADERS "mlir/include;${llvm}" mlir_test.cc)
check(pytorch STOWAGE_NATIVERT_HEADERS "." nativert_test.cc)
check(xla STOWAGE_XLA_HEADERS "." xla_test.cc)
