// SPDX-License-Identifier: Apache-2.0
// Defines handles of stowage/c/testing.h that free themselves.
#ifndef STOWAGE_TESTS_C_TESTING_REPORT_H_
#define STOWAGE_TESTS_C_TESTING_REPORT_H_

#include <memory>

#include "stowage/c/testing.h"
#include "tests/c/c_handles.h"

namespace stowage::c_test {

struct FreeReport {
  void operator()(stowage_test_report* handle) const {
    stowage_test_report_free(handle);
  }
};
using TestReport = std::unique_ptr<stowage_test_report, FreeReport>;

}  // namespace stowage::c_test

#endif  // STOWAGE_TESTS_C_TESTING_REPORT_H_
