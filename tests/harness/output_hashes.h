// SPDX-License-Identifier: Apache-2.0
// Computes hashes of outputs. Tests use the hashes to compare two runs that
// must compute the same.
#ifndef STOWAGE_TESTS_HARNESS_OUTPUT_HASHES_H_
#define STOWAGE_TESTS_HARNESS_OUTPUT_HASHES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "stowage/harness/run_model.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {

// Returns the hashes of all outputs. If the run failed, the test fails, and the
// result is empty.
inline std::vector<std::string> HashesOf(
    const absl::StatusOr<RunResult>& result) {
  EXPECT_THAT(result.status(), support::IsOk());
  std::vector<std::string> hashes;
  if (!result.ok()) return hashes;
  for (const RunOutput& output : result->outputs) {
    hashes.push_back(output.sha256);
  }
  return hashes;
}

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_OUTPUT_HASHES_H_
