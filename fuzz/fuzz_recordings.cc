// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a recording of another program. Detects the format, and
// reads the recording with the default options and with all options. The reader
// must refuse the bytes, or return parts with different names. Each part must
// be a problem that is the same after writing and reading. If a part contains a
// plan, the plan is checked, but may be unsafe.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "stowage/base/text.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/recordings/event_log.h"
#include "stowage/recordings/recording.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

// Returns whether the reader may return this error for some input.
bool IsPermitted(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsOutOfRange(status) ||
         absl::IsUnimplemented(status) || absl::IsResourceExhausted(status) ||
         absl::IsFailedPrecondition(status);
}

void CheckIsPermitted(const absl::Status& status) {
  Check(IsPermitted(status), status.ToString());
  Check(!status.message().empty(), "an error without a message");
  Check(!absl::StrContains(status.message(), '\n'), "a message of two lines");
}

void CheckPart(const RecordingPart& part) {
  const ProblemSpec& spec = part.file.problem;
  Check(!part.name.empty(), "a part without a name");
  Check(IsUtf8(part.name) && OneLine(part.name) == part.name,
        "the name of a part is not printable: " + OneLine(part.name));
  for (const size_t record : part.kept) {
    Check(record < spec.records.size(), "a record is kept that is not there");
  }
  const absl::StatusOr<Problem> problem = Problem::Create(spec);
  if (!problem.ok()) {
    CheckIsPermitted(problem.status());
    return;
  }
  const absl::StatusOr<std::string> csv = FormatProblemCsv(part.file);
  if (csv.ok()) {
    const auto again = ParseProblemCsv(*csv, "again.csv");
    Check(again.ok(), again.status().ToString());
    Check(again->problem.records.size() == spec.records.size(),
          "another number of records");
  } else {
    CheckIsPermitted(csv.status());
  }
  if (part.file.plan.empty()) return;
  const auto plan = OffsetsOf(spec, part.file.plan);
  if (!plan.ok()) {
    CheckIsPermitted(plan.status());
    return;
  }
  if (const auto violation = FindViolation(*problem, *plan)) {
    Check(!Describe(*violation).empty(), "a violation without a description");
  }
}

// Returns options that change settings of every format.
RecordingOptions AllOptions() {
  RecordingOptions options;
  options.events.frees = FreeRule::kRequested;
  options.events.alive_before = AliveRule::kLeave;
  options.events.alive_after = AliveRule::kLeave;
  options.events.uses = UseRule::kTouches;
  options.tensor_alignment = 64;
  options.dims = {{"N", 3}};
  options.default_dim = 2;
  return options;
}

void CheckRecording(const std::string& bytes, const RecordingOptions& options) {
  const absl::StatusOr<Recording> recording =
      ParseRecording(bytes, "fuzz", options);
  if (!recording.ok()) {
    CheckIsPermitted(recording.status());
    return;
  }
  Check(!recording->parts.empty(), "a recording without parts");
  std::set<std::string> names;
  for (const RecordingPart& part : recording->parts) {
    Check(names.insert(part.name).second, "two parts have one name");
    CheckPart(part);
  }
}

void Fuzz(const std::string& bytes) {
  CheckRecording(bytes, {});
  CheckRecording(bytes, AllOptions());
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
