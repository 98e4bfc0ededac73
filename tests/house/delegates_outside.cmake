# SPDX-License-Identifier: Apache-2.0
# Compiles the delegates NAMES of SOURCE as if they were not part of the tree:
# copies their folders to WORK and compiles them with the installation in PREFIX.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${WORK})
separate_arguments(names UNIX_COMMAND "${NAMES}")
foreach(name IN LISTS names)
  file(COPY ${SOURCE}/src/delegates/${name} DESTINATION ${WORK}/${name}/src/delegates)
endforeach()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/delegates_outside -B ${WORK}/build
    -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS}
    -DCMAKE_CXX_STANDARD=17 -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 -DCMAKE_PREFIX_PATH=${PREFIX}
    -DFOLDER=${WORK} -DNAMES=${NAMES} -DINCLUDES=${INCLUDES})
run(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2)
