# SPDX-License-Identifier: Apache-2.0
# The tests of the Python adapters. If STOWAGE_CHECKOUTS names a folder with
# `executorch` or `tinygrad`, the tests also run with the planners of these.
if(TARGET stowage_python)
  add_test(NAME adapters:python
           COMMAND ${Python3_EXECUTABLE} -m pytest -q -rs -p no:cacheprovider
                   ${CMAKE_CURRENT_LIST_DIR})
  set_tests_properties(adapters:python PROPERTIES LABELS project
    ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python;PYTHONDONTWRITEBYTECODE=1"
    SKIP_REGULAR_EXPRESSION "No module named pytest")
endif()
