# Builds and runs the example in CONSUMER with the options OPTIONS, in WORK.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK} -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS}
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 ${OPTIONS})
run(${CMAKE_COMMAND} --build ${WORK} --target consumer --parallel 2)
expect_example_output(${WORK}/consumer)
