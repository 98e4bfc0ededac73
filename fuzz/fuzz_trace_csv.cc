// SPDX-License-Identifier: Apache-2.0
// Parses any bytes as CSV. The parser must refuse the bytes, or the trace must
// be the same after writing and reading. If the trace contains a plan, the plan
// is checked.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "stowage/assignment.h"
#include "stowage/io/problem_file.h"
#include "stowage/verify.h"
#include "tests/support/same_trace.h"

namespace stowage {
namespace {

// Checks the columns of a plan. The plan must be safe, or have a witness of a
// violation that can be described.
void CheckPlanOf(const ProblemFile& trace) {
  const absl::StatusOr<OffsetsAssignment> offsets =
      OffsetsOf(trace.problem, trace.plan);
  if (offsets.ok()) {
    Check(offsets->offsets.size() == trace.problem.records.size(),
          "offsets are lost");
    const auto violation = FindViolation(trace.problem.records, *offsets,
                                         AlignmentsOf(trace.problem));
    if (violation) Describe(*violation, trace.problem.names);
  } else {
    Check(absl::IsFailedPrecondition(offsets.status()) ||
              absl::IsOutOfRange(offsets.status()),
          offsets.status().ToString());
  }
  const absl::StatusOr<ObjectsAssignment<size_t>> objects =
      ObjectsOf(trace.problem, trace.plan);
  if (!objects.ok()) {
    Check(absl::IsFailedPrecondition(objects.status()),
          objects.status().ToString());
    return;
  }
  Check(objects->object_sizes.size() <= trace.problem.records.size(),
        "more objects than records");
  const auto violation = FindViolation(trace.problem.records, *objects);
  if (!violation) return;
  Describe(*violation, trace.problem.names);
  // Only conflicts within an object are possible. No object can be too small or
  // unused, because the objects of a trace are as large as their largest
  // tensors and are numbered without gaps.
  Check(violation->kind == Violation::Kind::kSharedObject,
        "an object that cannot be");
}

void Fuzz(absl::string_view csv, const CsvOptions& options) {
  const absl::StatusOr<ProblemFile> trace =
      ParseProblemCsv(csv, "fuzz.csv", options);
  if (!trace.ok()) {
    Check(absl::IsInvalidArgument(trace.status()), trace.status().ToString());
    return;
  }
  const absl::StatusOr<std::string> written = FormatProblemCsv(*trace);
  Check(written.ok(), written.status().ToString());
  const absl::StatusOr<ProblemFile> again =
      ParseProblemCsv(*written, "fuzz.csv");
  Check(again.ok(), again.status().ToString());
  Check(support::IsSame(*again, *trace), "read otherwise");
  Check(FormatProblemCsv(*again).value() == *written, "written otherwise");
  CheckPlanOf(*trace);
}

// Parses a file that contains only ids and places, and checks that it has one
// place for each id.
void FuzzPlaces(absl::string_view csv) {
  CsvOptions options;
  options.accept_places_alone = true;
  const absl::StatusOr<ProblemFile> plan =
      ParseProblemCsv(csv, "fuzz.csv", options);
  if (!plan.ok()) return;
  Check(plan->problem.records.size() == plan->problem.names.size() ||
            (plan->problem.records.empty() &&
             plan->plan.offsets.size() + plan->plan.objects.size() ==
                 plan->problem.names.size()),
        "places without ids");
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view csv(reinterpret_cast<const char*>(data), size);
  stowage::CsvOptions options;
  stowage::Fuzz(csv, options);
  options.ignore_unknown_columns = true;
  stowage::Fuzz(csv, options);
  stowage::FuzzPlaces(csv);
  return 0;
}
