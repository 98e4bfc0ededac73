// SPDX-License-Identifier: Apache-2.0
// Writes the records of a trace as CSV, and leaves out names, types and other
// information about tensors.
#ifndef STOWAGE_TESTS_SUPPORT_RECORDS_CSV_H_
#define STOWAGE_TESTS_SUPPORT_RECORDS_CSV_H_

#include <string>

#include "stowage/trace.h"

namespace stowage::support {

inline std::string RecordsCsv(Trace trace) {
  trace.tensors.clear();
  trace.operators.clear();
  return FormatTraceCsv(trace).value();
}

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_RECORDS_CSV_H_
