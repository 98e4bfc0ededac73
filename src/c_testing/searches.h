// SPDX-License-Identifier: Apache-2.0
// Converts the options of stowage/c/testing.h to searches of stowage/testing.
#ifndef STOWAGE_SRC_C_TESTING_SEARCHES_H_
#define STOWAGE_SRC_C_TESTING_SEARCHES_H_

#include <cstdint>

#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/c/testing.h"
#include "stowage/feature.h"
#include "stowage/testing/find_failure.h"

namespace stowage::c_api {

// Checks the largest alignment of random records. Error: InvalidArgument.
Status CheckMaxAlignment(uint64_t alignment, string_view name);

// Converts bits to features of constraints. Error: InvalidArgument if a bit
// represents any other feature or none.
StatusOr<FeatureSet> ConstraintsOf(uint64_t bits, string_view name);

// Returns the options of a test: the options of the caller, or the defaults if
// `options` is null. Errors: InvalidArgument, Unimplemented, NotFound.
StatusOr<stowage_test_options> ReadTestOptions(
    const stowage_test_options* options);

// Return the search that the options describe. Call SearchOfRecords if the
// options name no features, and SearchOfProblems otherwise. Both require
// options that ReadTestOptions has returned. Error: NotFound for an unknown
// family.
StatusOr<testing::SearchForFailure> SearchOfRecords(
    const stowage_test_options& options);
testing::SearchForProblem SearchOfProblems(const stowage_test_options& options);

}  // namespace stowage::c_api

#endif  // STOWAGE_SRC_C_TESTING_SEARCHES_H_
