// SPDX-License-Identifier: Apache-2.0
// Payloads tell programs which things an error is about: the records, the
// operator, the tensor or the delegate that its message names. Messages are for
// people and may change; to act on an error, read its code and these payloads.
//
//   const absl::StatusOr<Problem> problem = Problem::Create(spec);
//   for (const size_t i : RecordsOf(problem.status())) Highlight(rows[i]);
//
// Errors about a record, an operator or a tensor carry its index. An OK status
// has no payloads.
#ifndef STOWAGE_ERROR_PAYLOAD_H_
#define STOWAGE_ERROR_PAYLOAD_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/feature.h"

namespace stowage {

// Returns `status` with the indices of the usage records that it is about.
// O(records).
absl::Status WithRecords(absl::Status status, absl::Span<const size_t> records);

// Returns the records that an error is about, as they were given to
// WithRecords. Empty if it carries none.
std::vector<size_t> RecordsOf(const absl::Status& status);

// Returns `status` with the operator of a model that it is about, by index in
// its subgraph.
absl::Status WithOperator(absl::Status status, size_t op);
absl::optional<size_t> OperatorOf(const absl::Status& status);

// Returns `status` with the tensor of a model that it is about, by index in its
// subgraph.
absl::Status WithTensor(absl::Status status, size_t tensor);
absl::optional<size_t> TensorOf(const absl::Status& status);

// Returns `status` with the name of the delegate that refused or failed.
absl::Status WithDelegate(absl::Status status, absl::string_view name);
// Returns the name of that delegate. Empty if the status carries none.
std::string DelegateOf(const absl::Status& status);

// Returns an error of the same code with the same payloads and another message.
// O(length).
absl::Status WithMessage(const absl::Status& status, absl::string_view message);

// Returns the error with `place` and a colon in front of its message.
absl::Status AtPlace(absl::string_view place, const absl::Status& status);

// Returns `status` with the features that a problem requires and a strategy
// lacks.
absl::Status WithFeatures(absl::Status status, FeatureSet features);
FeatureSet FeaturesOf(const absl::Status& status);

}  // namespace stowage

#endif  // STOWAGE_ERROR_PAYLOAD_H_
