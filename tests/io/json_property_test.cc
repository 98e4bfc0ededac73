// SPDX-License-Identifier: Apache-2.0
// Tests that every trace is unchanged after it is written as JSON and read
// back. Tests the same for CSV with traces that CSV can express.

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/io/problem_file.h"
#include "tests/support/same_trace.h"
#include "tests/support/wild_trace.h"

namespace stowage {
namespace {

RC_GTEST_PROP(ProblemJsonProperty, WhatIsWrittenIsReadAgain, ()) {
  const ProblemFile trace =
      support::WildTrace(support::WildTraceMaker::Extent::kJson);
  const absl::StatusOr<std::string> json = FormatProblemJson(trace);
  RC_ASSERT(json.ok());
  const absl::StatusOr<ProblemFile> again = ParseProblemJson(*json, "p.json");
  RC_ASSERT(again.ok());
  RC_ASSERT(support::DifferenceOf(*again, trace) == "");
}

// Truncates a document or changes one of its bytes. The reader either refuses
// the document or reads a problem that can be written and read back.
RC_GTEST_PROP(ProblemJsonProperty, WhatIsReadCanBeWritten, ()) {
  std::string json =
      FormatProblemJson(
          support::WildTrace(support::WildTraceMaker::Extent::kJson))
          .value();
  const auto position = *rc::gen::inRange<size_t>(0, json.size());
  if (*rc::gen::arbitrary<bool>()) json.resize(position);
  if (position < json.size()) json[position] = *rc::gen::arbitrary<char>();
  const absl::StatusOr<ProblemFile> trace = ParseProblemJson(json, "p.json");
  if (!trace.ok()) return;
  const absl::StatusOr<std::string> written = FormatProblemJson(*trace);
  RC_ASSERT(written.ok());
  const ProblemFile again = ParseProblemJson(*written, "p.json").value();
  RC_ASSERT(support::DifferenceOf(again, *trace) == "");
}

}  // namespace
}  // namespace stowage
