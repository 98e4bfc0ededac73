// SPDX-License-Identifier: Apache-2.0
// Whether a trace can be written as a file: for the writers of all formats.
#ifndef STOWAGE_SRC_IO_CHECK_TRACE_H_
#define STOWAGE_SRC_IO_CHECK_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "stowage/trace.h"

namespace stowage {

// InvalidArgument that is about a record: "record 3: MESSAGE".
absl::Status RecordError(size_t record, absl::string_view message);

// Checks that every list has an entry for each record or none, that records and
// pools are called by numbers that they have, and that names are unique text.
// Errors: InvalidArgument; OutOfRange, naming the record, if it lives up to
// task 2^64 - 1, which has no half-open end.
absl::Status CheckTrace(const Trace& trace);

// What files call a group: its number if it has no name.
std::string GroupName(const Trace& trace, uint32_t group);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_CHECK_TRACE_H_
