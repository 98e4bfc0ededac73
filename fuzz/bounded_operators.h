// SPDX-License-Identifier: Apache-2.0
// The library's operators, but that none begins what would take minutes: a
// fuzzer waits for thousands of models.
#ifndef STOWAGE_FUZZ_BOUNDED_OPERATORS_H_
#define STOWAGE_FUZZ_BOUNDED_OPERATORS_H_

#include <cstddef>

#include "stowage/harness/operator.h"

namespace stowage::harness {

// Bytes that a model may take. With them, the work of an operator has an end.
inline constexpr size_t kMemoryLimit = size_t{1} << 16;

// All of BuiltinOperators. They fail with Aborted in Invoke if the bytes read
// times the bytes written pass a limit, and so do all in every run of a model.
const OperatorResolver& BoundedOperators();

}  // namespace stowage::harness

#endif  // STOWAGE_FUZZ_BOUNDED_OPERATORS_H_
