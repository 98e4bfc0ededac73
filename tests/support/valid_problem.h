// SPDX-License-Identifier: Apache-2.0
// Creates problems of valid records, for tests of functions that take a
// problem. Tests in which the problem may be refused use ProblemOf
// (plan_request.h), and tests that need a strategy's plan use Plan
// (plan_request.h).
#ifndef STOWAGE_TESTS_SUPPORT_VALID_PROBLEM_H_
#define STOWAGE_TESTS_SUPPORT_VALID_PROBLEM_H_

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "tests/support/plan_request.h"

namespace stowage::support {

inline Problem ValidProblem(absl::Span<const ByteRecord> records,
                            const Alignments& alignments = Alignments()) {
  PlanRequest request;
  request.alignments = alignments;
  const auto problem = ProblemOf(records, request);
  EXPECT_TRUE(problem.ok()) << problem.status();
  return *problem;
}

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_VALID_PROBLEM_H_
