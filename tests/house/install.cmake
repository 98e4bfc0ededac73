# SPDX-License-Identifier: Apache-2.0
# Installs BUILD and then moves the installation to PREFIX. Tests that use the
# installation thus check that it may be moved.
include(${CMAKE_CURRENT_LIST_DIR}/nested.cmake)
file(REMOVE_RECURSE ${PREFIX} ${PREFIX}.before)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}.before)
file(RENAME ${PREFIX}.before ${PREFIX})
