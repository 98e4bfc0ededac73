// SPDX-License-Identifier: Apache-2.0
// Provides helpers for the tests of malloc logs: records as text, and the
// comparison of real logs with their expected rows.
#ifndef STOWAGE_TESTS_RECORDINGS_MALLOC_SAMPLES_H_
#define STOWAGE_TESTS_RECORDINGS_MALLOC_SAMPLES_H_

#include <string>
#include <vector>

#include "stowage/io/problem_file.h"

namespace stowage::recordings {

// Returns the records as "lower,upper,size", or as "lower,upper,size,alignment"
// if the file has alignments.
std::vector<std::string> BlockRows(const ProblemFile& file);

// Expects that every real log whose name ends in `ending` has the format
// `format` and gives the expected blocks. The number of events and the peak
// must equal those in the summary of the expected rows. If there are no real
// logs, skips the test with a message.
void ExpectRealLogs(const std::string& ending, const std::string& format);

}  // namespace stowage::recordings

#endif  // STOWAGE_TESTS_RECORDINGS_MALLOC_SAMPLES_H_
