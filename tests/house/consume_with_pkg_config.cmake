# Compiles and runs the example in CONSUMER with the compiler alone, in WORK,
# against the installation in PREFIX.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
file(GLOB_RECURSE pc ${PREFIX}/stowage.pc)
cmake_path(GET pc PARENT_PATH pc_folder)
set(ENV{PKG_CONFIG_PATH} ${pc_folder})
run_for_output(arguments pkg-config --cflags --libs stowage)
separate_arguments(arguments UNIX_COMMAND "${arguments}")
separate_arguments(FLAGS UNIX_COMMAND "${FLAGS}")
cmake_path(GET pc_folder PARENT_PATH libraries)
run(${COMPILER} -std=c++17 ${FLAGS} ${CONSUMER}/main.cc ${arguments}
    -Wl,-rpath,${libraries} -o ${WORK}/consumer)
expect_example_output(${WORK}/consumer)
