// SPDX-License-Identifier: Apache-2.0
// What the tests of logs of malloc have in common: records as text, and real
// logs with the rows that must come of them.
#ifndef STOWAGE_TESTS_RECORDINGS_MALLOC_SAMPLES_H_
#define STOWAGE_TESTS_RECORDINGS_MALLOC_SAMPLES_H_

#include <string>
#include <vector>

#include "stowage/io/problem_file.h"

namespace stowage::recordings {

// Returns the records as "lower,upper,size", and "lower,upper,size,alignment"
// where there are alignments.
std::vector<std::string> BlockRows(const ProblemFile& file);

// Expects that every real log whose name ends with `ending` is of the format
// and gives the expected blocks, with the number of events and the peak that
// the summary of the expected rows has. Skips the test visibly if there are no
// real logs.
void ExpectRealLogs(const std::string& ending, const std::string& format);

}  // namespace stowage::recordings

#endif  // STOWAGE_TESTS_RECORDINGS_MALLOC_SAMPLES_H_
