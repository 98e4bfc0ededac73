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

// Returns `status` with a payload that lists the usage records which the error
// is about, by index. O(records).
absl::Status WithRecords(absl::Status status, absl::Span<const size_t> records);

// Returns the records that an error is about, in the order in which they were
// given to WithRecords. Returns an empty list if `status` has no such payload.
std::vector<size_t> RecordsOf(const absl::Status& status);

// Returns `status` with a payload that identifies the operator which the error
// is about: `op` is the index of the operator in its subgraph. OperatorOf
// returns this index, or nullopt if `status` has no such payload.
absl::Status WithOperator(absl::Status status, size_t op);
absl::optional<size_t> OperatorOf(const absl::Status& status);

// Returns `status` with a payload that identifies the tensor which the error is
// about: `tensor` is the index of the tensor in its subgraph. TensorOf returns
// this index, or nullopt if `status` has no such payload.
absl::Status WithTensor(absl::Status status, size_t tensor);
absl::optional<size_t> TensorOf(const absl::Status& status);

// Returns `status` with a payload that names the delegate which refused or
// failed.
absl::Status WithDelegate(absl::Status status, absl::string_view name);
// Returns the name that WithDelegate was given. Returns an empty string if
// `status` has no such payload.
std::string DelegateOf(const absl::Status& status);

// Returns an error of the same code with the same payloads and another message.
// O(length).
absl::Status WithMessage(const absl::Status& status, absl::string_view message);

// Returns the error with `place` and a colon in front of its message.
absl::Status AtPlace(absl::string_view place, const absl::Status& status);

// Returns `status` with a payload that lists the features which a problem
// requires and a strategy lacks. FeaturesOf returns these features, or an empty
// set if `status` has no such payload.
absl::Status WithFeatures(absl::Status status, FeatureSet features);
FeatureSet FeaturesOf(const absl::Status& status);

}  // namespace stowage

#endif  // STOWAGE_ERROR_PAYLOAD_H_
