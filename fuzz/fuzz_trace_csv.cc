// Any bytes as CSV: refused, or a trace that is written and read again alike.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "stowage/trace.h"

namespace stowage {
namespace {

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
  Check(FormatTraceCsv(*again).value() == *written, "written otherwise");
  OffsetsOf(*trace).IgnoreError();
  ObjectsOf(*trace).IgnoreError();
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view csv(reinterpret_cast<const char*>(data), size);
  stowage::TraceOptions options;
  stowage::Fuzz(csv, options);
  options.ignore_unknown_columns = true;
  stowage::Fuzz(csv, options);
  return 0;
}
