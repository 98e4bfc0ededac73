// SPDX-License-Identifier: Apache-2.0
// Parses any bytes as CSV. They must be refused, or the trace must be the same
// after writing and reading. Its plan is checked.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "stowage/assignment.h"
#include "stowage/trace.h"
#include "stowage/verify.h"
#include "tests/support/same_trace.h"

namespace stowage {
namespace {

// Checks the columns of a plan. The plan must be safe or have a witness that
// can be described.
void JudgePlan(const Trace& trace) {
  const absl::StatusOr<OffsetsAssignment> offsets = OffsetsOf(trace);
  if (offsets.ok()) {
    Check(offsets->offsets.size() == trace.records.size(), "offsets are lost");
    const auto violation =
        FindViolation(trace.records, *offsets, trace.alignment());
    if (violation) Describe(*violation, trace.ids);
  } else {
    Check(absl::IsFailedPrecondition(offsets.status()) ||
              absl::IsOutOfRange(offsets.status()),
          offsets.status().ToString());
  }
  const absl::StatusOr<ObjectsAssignment<size_t>> objects = ObjectsOf(trace);
  if (!objects.ok()) {
    Check(absl::IsFailedPrecondition(objects.status()),
          objects.status().ToString());
    return;
  }
  Check(objects->object_sizes.size() <= trace.records.size(),
        "more objects than records");
  const auto violation = FindViolation(trace.records, *objects);
  if (!violation) return;
  Describe(*violation, trace.ids);
  // No object can be too small or unused, because the objects of a trace are as
  // large as their largest tensor and their numbers have no gaps.
  Check(violation->kind == Violation::Kind::kSharedObject,
        "an object that cannot be");
}

void Fuzz(absl::string_view csv, const TraceOptions& options) {
  const absl::StatusOr<Trace> trace = ParseTraceCsv(csv, "fuzz.csv", options);
  if (!trace.ok()) {
    Check(absl::IsInvalidArgument(trace.status()), trace.status().ToString());
    return;
  }
  const absl::StatusOr<std::string> written = FormatTraceCsv(*trace);
  Check(written.ok(), written.status().ToString());
  const absl::StatusOr<Trace> again = ParseTraceCsv(*written, "fuzz.csv");
  Check(again.ok(), again.status().ToString());
  Check(support::IsSame(*again, *trace), "read otherwise");
  Check(FormatTraceCsv(*again).value() == *written, "written otherwise");
  JudgePlan(*trace);
}

// Checks that a plan that consists of places only has one place for each id.
void FuzzPlaces(absl::string_view csv) {
  TraceOptions options;
  options.accept_places_alone = true;
  const absl::StatusOr<Trace> plan = ParseTraceCsv(csv, "fuzz.csv", options);
  if (!plan.ok()) return;
  Check(plan->records.size() == plan->ids.size() ||
            (plan->records.empty() &&
             plan->offsets.size() + plan->objects.size() == plan->ids.size()),
        "places without ids");
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view csv(reinterpret_cast<const char*>(data), size);
  stowage::TraceOptions options;
  stowage::Fuzz(csv, options);
  options.ignore_unknown_columns = true;
  stowage::Fuzz(csv, options);
  stowage::FuzzPlaces(csv);
  return 0;
}
