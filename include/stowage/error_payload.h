// SPDX-License-Identifier: Apache-2.0
// Payloads identify, for programs, the things that an error concerns: the
// records, the operator, the tensor or the delegate that its message names.
// Messages are for people and may change; to act on an error, read its code and
// these payloads.
//
//   const StatusOr<Problem> problem = Problem::Create(spec);
//   for (const size_t i : RecordsOf(problem.status())) Highlight(rows[i]);
//
// Errors that concern a record, an operator or a tensor carry its index. An OK
// status has no payloads.
#ifndef STOWAGE_ERROR_PAYLOAD_H_
#define STOWAGE_ERROR_PAYLOAD_H_

#include <cstddef>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/feature.h"

namespace stowage {

// Returns `status` with a payload that lists the indices of the usage records
// that the error concerns. O(records).
Status WithRecords(Status status, Span<const size_t> records);

// Returns the records that were passed to WithRecords, in the same order.
// Returns an empty list if `status` has no such payload.
std::vector<size_t> RecordsOf(const Status& status);

// WithOperator returns `status` with a payload that identifies the operator
// that the error concerns by `op`, its index in its subgraph. OperatorOf
// returns this index, or nullopt if `status` has no such payload.
Status WithOperator(Status status, size_t op);
optional<size_t> OperatorOf(const Status& status);

// WithTensor returns `status` with a payload that identifies the tensor that
// the error concerns by `tensor`, its index in its subgraph. TensorOf returns
// this index, or nullopt if `status` has no such payload.
Status WithTensor(Status status, size_t tensor);
optional<size_t> TensorOf(const Status& status);

// Returns `status` with a payload that names the delegate that refused or
// failed.
Status WithDelegate(Status status, string_view delegate);
// Returns the name that was passed to WithDelegate, or an empty string if
// `status` has no such payload.
std::string DelegateOf(const Status& status);

// Returns an error with the code and the payloads of `status`, but with a
// different message. O(length).
Status WithMessage(const Status& status, string_view message);

// Returns `status` with "PLACE: " in front of its message, where PLACE is
// `place`.
Status AtPlace(string_view place, const Status& status);

// WithFeatures returns `status` with a payload that lists the features that a
// problem requires and a strategy lacks. FeaturesOf returns these features, or
// an empty set if `status` has no such payload.
Status WithFeatures(Status status, FeatureSet features);
FeatureSet FeaturesOf(const Status& status);

}  // namespace stowage

#endif  // STOWAGE_ERROR_PAYLOAD_H_
