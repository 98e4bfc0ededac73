// SPDX-License-Identifier: Apache-2.0
// Parses any bytes as the options of the operator at the end of detection
// models. The parser must refuse the bytes, or return numbers with which the
// operator can compute.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "src/harness/kernels/detection_options.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using stowage::Check;
  const auto options = stowage::harness::ReadDetectionOptions({data, size});
  if (!options.ok()) {
    Check(absl::IsInvalidArgument(options.status()),
          options.status().ToString());
    return 0;
  }
  Check(options->max_detections > 0, "no detections");
  Check(options->max_classes_per_detection > 0, "no classes of a detection");
  Check(options->detections_per_class > 0, "no detections of a class");
  Check(options->classes > 0, "no classes");
  Check(options->max_overlap > 0 && options->max_overlap <= 1, "an overlap");
  Check(std::isfinite(options->scales.y) && options->scales.y > 0, "a scale");
  return 0;
}
