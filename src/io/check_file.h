// SPDX-License-Identifier: Apache-2.0
// Checks whether a problem and a plan can be written to a file. The writers of
// all formats use this check.
#ifndef STOWAGE_SRC_IO_CHECK_FILE_H_
#define STOWAGE_SRC_IO_CHECK_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"

namespace stowage {

// Returns an InvalidArgument error about a record: "record 3: MESSAGE".
Status RecordError(size_t record, string_view message);

// Checks that each list is empty or has one entry for each record, that the
// indices of records and pools are in range, and that names are valid text and
// unique. Errors: InvalidArgument if one of these checks fails; OutOfRange,
// with the record in the message, if the last task of a record is 2^64 - 1,
// because no 64-bit number can then express the half-open end of the interval;
// Unimplemented if the problem has a feature that no file can express.
Status CheckFile(const ProblemFile& file);

// Returns the name that files use for a group: its own name or, if it has none,
// its number.
std::string GroupName(const ProblemSpec& problem, uint32_t group);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_CHECK_FILE_H_
