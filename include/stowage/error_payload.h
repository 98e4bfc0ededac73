// SPDX-License-Identifier: Apache-2.0
// Payloads tell programs which things an error is about: the records, the
// operator, the tensor or the delegate that its message names. Messages are for
// people and may change; to act on an error, read its code and these payloads.
//
//   const StatusOr<Problem> problem = Problem::Create(spec);
//   for (const size_t i : RecordsOf(problem.status())) Highlight(rows[i]);
//
// Errors about a record, an operator or a tensor carry its index. An OK status
// has no payloads.
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

// Returns `status` with a payload that lists the usage records which the error
// is about, by index. O(records).
Status WithRecords(Status status, Span<const size_t> records);

// Returns the records that an error is about, in the order in which they were
// given to WithRecords. Returns an empty list if `status` has no such payload.
std::vector<size_t> RecordsOf(const Status& status);

// Returns `status` with a payload that identifies the operator which the error
// is about: `op` is the index of the operator in its subgraph. OperatorOf
// returns this index, or nullopt if `status` has no such payload.
Status WithOperator(Status status, size_t op);
optional<size_t> OperatorOf(const Status& status);

// Returns `status` with a payload that identifies the tensor which the error is
// about: `tensor` is the index of the tensor in its subgraph. TensorOf returns
// this index, or nullopt if `status` has no such payload.
Status WithTensor(Status status, size_t tensor);
optional<size_t> TensorOf(const Status& status);

// Returns `status` with a payload that names the delegate which refused or
// failed.
Status WithDelegate(Status status, string_view delegate);
// Returns the name that WithDelegate was given. Returns an empty string if
// `status` has no such payload.
std::string DelegateOf(const Status& status);

// Returns an error with the code and the payloads of `status`, but with this
// message. O(length).
Status WithMessage(const Status& status, string_view message);

// Returns `status` with `place` and a colon in front of its message.
Status AtPlace(string_view place, const Status& status);

// Returns `status` with a payload that lists the features which a problem
// requires and a strategy lacks. FeaturesOf returns these features, or an empty
// set if `status` has no such payload.
Status WithFeatures(Status status, FeatureSet features);
FeatureSet FeaturesOf(const Status& status);

}  // namespace stowage

#endif  // STOWAGE_ERROR_PAYLOAD_H_
