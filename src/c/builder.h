// SPDX-License-Identifier: Apache-2.0
// Declares the checks and conversions that the functions of the builder share.
#ifndef STOWAGE_SRC_C_BUILDER_H_
#define STOWAGE_SRC_C_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/c/handles.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/c/problem.h"
#include "stowage/problem.h"

namespace stowage::c_api {

// Checks that the builder is valid, and that `record` is one of its records.
// Error: InvalidArgument, with the record as its payload.
Status CheckRecord(const stowage_builder* builder, uint64_t record);

// Checks a builder, and an array that must have one entry per record. Errors:
// OutOfRange if `count` is too large; InvalidArgument if anything else is
// wrong.
Status CheckPerRecord(const stowage_builder* builder, const void* array,
                      size_t count, string_view name);

// Checks a builder, and an array of indices of its records.
Status CheckRecords(const stowage_builder* builder, const uint64_t* records,
                    size_t count);

// Copies an array of names. Error: InvalidArgument if a name is null.
Status CopyNames(const char* const* names, size_t count,
                 std::vector<std::string>* copied);

// Returns the spec of the builder, including the order of the tasks. Errors:
// those of TaskOrder.
StatusOr<ProblemSpec> SpecOf(const stowage_builder& builder);

}  // namespace stowage::c_api

#endif  // STOWAGE_SRC_C_BUILDER_H_
