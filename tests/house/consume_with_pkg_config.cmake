# SPDX-License-Identifier: Apache-2.0
# Compiles and runs the example in CONSUMER, and its program that tests a planner, in
# WORK. Uses only the compiler, pkg-config and the installation in PREFIX.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
file(GLOB_RECURSE pc ${PREFIX}/stowage.pc)
cmake_path(GET pc PARENT_PATH pc_folder)
cmake_path(GET pc_folder PARENT_PATH libraries)
set(ENV{PKG_CONFIG_PATH} ${pc_folder})
separate_arguments(FLAGS UNIX_COMMAND "${FLAGS}")

# compile(SOURCE PACKAGE) compiles SOURCE.cc with the pkg-config flags of PACKAGE.
function(compile source package)
  run_for_output(arguments pkg-config --cflags --libs ${package})
  separate_arguments(arguments UNIX_COMMAND "${arguments}")
  run(${COMPILER} -std=c++17 ${FLAGS} ${CONSUMER}/${source}.cc ${arguments}
      -Wl,-rpath,${libraries} -o ${WORK}/${source})
endfunction()
compile(main stowage)
expect_example_output(${WORK}/main)
compile(toy_planner stowage-testing)
expect_caught_planner(${WORK}/toy_planner)
run(pkg-config --exists --print-errors stowage-harness)
