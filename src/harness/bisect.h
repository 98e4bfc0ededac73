// Finds the sharing that it takes for a run to go wrong.
#ifndef STOWAGE_SRC_HARNESS_BISECT_H_
#define STOWAGE_SRC_HARNESS_BISECT_H_

#include "absl/status/statusor.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/model.h"
#include "stowage/harness/operator.h"

namespace stowage::harness {

// Of a run that CompareRuns does not find safe. Errors: those of CompareRuns.
absl::StatusOr<Bisection> Bisect(const Model& model,
                                 const OperatorResolver& resolver,
                                 const CheckOptions& options);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_BISECT_H_
