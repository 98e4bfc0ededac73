// SPDX-License-Identifier: Apache-2.0
// Provides the library's operators with a limit on their work. A fuzzer runs
// thousands of models, so an operator that would run for minutes returns an
// error instead.
#ifndef STOWAGE_FUZZ_BOUNDED_OPERATORS_H_
#define STOWAGE_FUZZ_BOUNDED_OPERATORS_H_

#include <cstddef>
#include <cstdint>

#include "stowage/harness/operator.h"

namespace stowage::harness {

// The number of bytes that a model may use. This limit also bounds the work of
// its operators.
inline constexpr size_t kMemoryLimit = size_t{1} << 16;

// The maximum number of iterations of a loop.
inline constexpr uint64_t kMaxTurns = 20;

// Returns all operators of BuiltinOperators. If the product of the bytes that
// an operator reads and the bytes that it writes exceeds a limit, Invoke of
// this operator returns Aborted. The limit does not depend on time, so the same
// operators fail in every run of a model.
const OperatorResolver& BoundedOperators();

}  // namespace stowage::harness

#endif  // STOWAGE_FUZZ_BOUNDED_OPERATORS_H_
