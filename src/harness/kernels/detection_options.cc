// SPDX-License-Identifier: Apache-2.0
#include "src/harness/kernels/detection_options.h"

#include <cmath>

#include "absl/types/span.h"
#include "flatbuffers/flexbuffers.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness {
namespace {

// Returns the value as an integer, or 0 if it is not an integer.
int32_t WholeNumber(const flexbuffers::Reference& value) {
  return value.IsIntOrUint() ? value.AsInt32() : 0;
}

// Returns the value as a float, or 0 if it is not a number.
float RealNumber(const flexbuffers::Reference& value) {
  return value.IsNumeric() ? value.AsFloat() : 0;
}

absl::Status Check(const DetectionOptions& options) {
  const std::pair<const char*, int32_t> counts[] = {
      {"max_detections", options.max_detections},
      {"max_classes_per_detection", options.max_classes_per_detection},
      {"detections_per_class", options.detections_per_class},
      {"num_classes", options.classes}};
  for (const auto& [name, count] : counts) {
    if (count >= 1) continue;
    return RefuseModel("its option ", name, " is ", count,
                       "; expected 1 or more");
  }
  if (!(options.max_overlap > 0 && options.max_overlap <= 1)) {
    return RefuseModel("its option nms_iou_threshold is ", options.max_overlap,
                       "; expected above 0 and at most 1");
  }
  const BoxCenter& scales = options.scales;
  for (const float scale : {scales.y, scales.x, scales.height, scales.width}) {
    if (std::isfinite(scale) && scale > 0) continue;
    return RefuseModel("one of its scales is ", scale, "; expected above 0");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DetectionOptions> ReadDetectionOptions(
    absl::Span<const uint8_t> bytes) {
  // A flexbuffer must be aligned. The bytes are copied because they may not be
  // aligned in the model.
  const std::vector<uint8_t> aligned(bytes.begin(), bytes.end());
  if (aligned.empty() ||
      !flexbuffers::VerifyBuffer(aligned.data(), aligned.size()) ||
      !flexbuffers::GetRoot(aligned).IsMap()) {
    return RefuseModel(
        "its options are not a flexbuffer; expected a map of options");
  }
  const flexbuffers::Map map = flexbuffers::GetRoot(aligned).AsMap();
  DetectionOptions options;
  options.max_detections = WholeNumber(map["max_detections"]);
  options.max_classes_per_detection =
      WholeNumber(map["max_classes_per_detection"]);
  if (!map["detections_per_class"].IsNull()) {
    options.detections_per_class = WholeNumber(map["detections_per_class"]);
  }
  const flexbuffers::Reference per_class = map["use_regular_nms"];
  options.is_per_class =
      per_class.IsBool() ? per_class.AsBool() : WholeNumber(per_class) != 0;
  options.min_score = RealNumber(map["nms_score_threshold"]);
  options.max_overlap = RealNumber(map["nms_iou_threshold"]);
  options.classes = WholeNumber(map["num_classes"]);
  options.scales = {RealNumber(map["y_scale"]), RealNumber(map["x_scale"]),
                    RealNumber(map["h_scale"]), RealNumber(map["w_scale"])};
  STOWAGE_RETURN_IF_ERROR(Check(options));
  return options;
}

}  // namespace stowage::harness
