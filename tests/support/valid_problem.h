// SPDX-License-Identifier: Apache-2.0
// Makes problems of valid records, for tests of functions that take a problem.
// If a test expects that the problem may be refused, or wants a plan by a
// strategy, it uses ProblemOf or Plan (plan_request.h) instead.
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
