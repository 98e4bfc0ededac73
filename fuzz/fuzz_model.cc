// Any bytes as a model: refused, or a trace that makes sense.

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "stowage/trace.h"

namespace stowage {
namespace {

void Fuzz(absl::string_view model, const TraceOptions& options) {
  const absl::StatusOr<ModelTrace> result =
      ParseModelTrace(model, "fuzz.tflite", options);
  if (!result.ok()) {
    Check(absl::IsInvalidArgument(result.status()), result.status().ToString());
    return;
  }
  for (const TensorUsageRecord<size_t>& record : result->trace.records) {
    Check(record.first_task <= record.last_task, "a reversed interval");
    Check(record.last_task < result->operator_count, "a task without operator");
    Check(record.tensor_size > 0, "a tensor of no bytes");
    Check(record.tensor_size % options.tensor_alignment == 0, "not rounded up");
  }
  Check(FormatTraceCsv(result->trace).ok(), "cannot be written");
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view model(reinterpret_cast<const char*>(data), size);
  stowage::TraceOptions options;
  stowage::Fuzz(model, options);
  options.include_io = true;
  options.tensor_alignment = 64;
  stowage::Fuzz(model, options);
  options.subgraph = 1;
  stowage::Fuzz(model, options);
  return 0;
}
