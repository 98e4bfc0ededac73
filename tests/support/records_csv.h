// SPDX-License-Identifier: Apache-2.0
// Writes the records of a problem as CSV, without names, types and other
// information about tensors.
#ifndef STOWAGE_TESTS_SUPPORT_RECORDS_CSV_H_
#define STOWAGE_TESTS_SUPPORT_RECORDS_CSV_H_

#include <string>
#include <utility>

#include "stowage/io/problem_file.h"
#include "stowage/problem.h"

namespace stowage::support {

inline std::string RecordsCsv(ProblemSpec problem) {
  problem.labels.tensors.clear();
  problem.labels.operators.clear();
  return FormatProblemCsv({std::move(problem)}).value();
}

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_RECORDS_CSV_H_
