// SPDX-License-Identifier: Apache-2.0
// Registers TFLite_Detection_PostProcess, the last operator of object
// detectors. It decodes boxes and keeps the best box of each set of overlapping
// boxes.
//
// Inputs: encodings of boxes [1, boxes, 4 or more]; scores of classes [1,
// boxes, classes, or one more with the background first]; anchors [boxes, 4].
// Outputs: corners of detections [1, n, 4]; classes [1, n]; scores [1, n]; the
// number of detections [1]. Unused elements are 0. n is max_detections *
// max_classes_per_detection.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "absl/types/span.h"
#include "src/harness/kernels/detection_options.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::tflite_detection_postprocess {
namespace {

// The edges of a box: four floats in the order of their storage in tensors.
struct BoxCorners {
  float top = 0;
  float left = 0;
  float bottom = 0;
  float right = 0;
};

// Computes a box from its encoding relative to an anchor. Source: W. Liu et
// al., "SSD: Single Shot MultiBox Detector" (2016), section 2.2.
BoxCorners DecodeBox(const BoxCenter& encoding, const BoxCenter& anchor,
                     const BoxCenter& scales) {
  // Results are computed in double precision, and each result is rounded only
  // once.
  const auto center = [](double code, double scale, double size, double at) {
    return static_cast<float>(code / scale * size + at);
  };
  const auto half = [](double code, double scale, double size) {
    return static_cast<float>(0.5 * std::exp(code / scale) * size);
  };
  const float y = center(encoding.y, scales.y, anchor.height, anchor.y);
  const float x = center(encoding.x, scales.x, anchor.width, anchor.x);
  const float up = half(encoding.height, scales.height, anchor.height);
  const float aside = half(encoding.width, scales.width, anchor.width);
  return {y - up, x - aside, y + up, x + aside};
}

float Area(const BoxCorners& box) {
  return (box.bottom - box.top) * (box.right - box.left);
}

// Returns the area of the intersection of two boxes, divided by the area of
// their union. Returns 0 if either box has no area.
float IntersectionOverUnion(const BoxCorners& a, const BoxCorners& b) {
  const float area_a = Area(a);
  const float area_b = Area(b);
  if (!(area_a > 0) || !(area_b > 0)) return 0;
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float shared = std::max(height, 0.0F) * std::max(width, 0.0F);
  return shared / (area_a + area_b - shared);
}

// Returns whether score `a` comes before score `b`. NaN comes last.
bool IsBetterScore(float a, float b) {
  return a > b || (!std::isnan(a) && std::isnan(b));
}

// Performs non-maximum suppression: keeps the best box, then the best of the
// boxes that do not overlap a kept box too much, and so on. If scores are
// equal, the first box is preferred. Requires that `scratch` has one element
// for each box. Returns the kept boxes, which are stored at the beginning of
// `scratch`. O(boxes * (log boxes + result)).
absl::Span<const int32_t> SuppressOverlaps(absl::Span<const BoxCorners> boxes,
                                           absl::Span<const float> scores,
                                           const DetectionOptions& options,
                                           int32_t max_boxes,
                                           absl::Span<int32_t> scratch) {
  size_t candidates = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] >= options.min_score) {
      scratch[candidates++] = static_cast<int32_t>(i);
    }
  }
  const auto score = [&](int32_t i) { return scores[static_cast<size_t>(i)]; };
  const auto box = [&](int32_t i) -> const BoxCorners& {
    return boxes[static_cast<size_t>(i)];
  };
  std::sort(scratch.begin(),
            scratch.begin() + static_cast<ptrdiff_t>(candidates),
            [&](int32_t a, int32_t b) {
              if (score(a) != score(b)) return score(a) > score(b);
              return a < b;
            });
  // A kept box overwrites the index of a candidate that has already been
  // considered.
  size_t kept = 0;
  for (size_t i = 0; i < candidates; ++i) {
    if (kept >= static_cast<size_t>(max_boxes)) break;
    const int32_t candidate = scratch[i];
    bool overlaps = false;
    for (size_t k = 0; k < kept && !overlaps; ++k) {
      overlaps = IntersectionOverUnion(box(scratch[k]), box(candidate)) >
                 options.max_overlap;
    }
    if (!overlaps) scratch[kept++] = candidate;
  }
  return scratch.first(kept);
}

// Returns an element of a FLOAT32 or UINT8 tensor as a real number.
float RealAt(const Tensor& tensor, int64_t i) {
  if (tensor.type == ElementType::kFloat32) return tensor.as<float>()[i];
  const Quantization& q = tensor.quantization;
  return (static_cast<float>(tensor.as<uint8_t>()[i]) -
          static_cast<float>(q.zero_point())) *
         q.scale();
}

BoxCenter CenterAt(const Tensor& tensor, int64_t i) {
  return {RealAt(tensor, i), RealAt(tensor, i + 1), RealAt(tensor, i + 2),
          RealAt(tensor, i + 3)};
}

// Writes the outputs of the operator, beginning with the first detection.
class Detections {
 public:
  explicit Detections(OperatorContext& context)
      : boxes_(static_cast<BoxCorners*>(context.output(0).data)),
        classes_(context.output(1).as<float>()),
        scores_(context.output(2).as<float>()),
        count_(context.output(3).as<float>()) {
    for (size_t i = 0; i < 4; ++i) {
      Tensor& output = context.output(i);
      if (output.bytes > 0) std::memset(output.data, 0, output.bytes);
    }
  }

  void Append(const BoxCorners& box, int64_t label, float score) {
    Put(size_++, box, label, score);
    *count_ = static_cast<float>(size_);
  }

  // Inserts a detection into the list, which is sorted by score, and keeps only
  // the `limit` best detections.
  void Insert(const BoxCorners& box, int64_t label, float score,
              int64_t limit) {
    const int64_t at =
        std::upper_bound(scores_, scores_ + size_, score, IsBetterScore) -
        scores_;
    if (at >= limit) return;
    if (size_ < limit) ++size_;
    for (int64_t i = size_ - 1; i > at; --i) {
      boxes_[i] = boxes_[i - 1];
      classes_[i] = classes_[i - 1];
      scores_[i] = scores_[i - 1];
    }
    Put(at, box, label, score);
    *count_ = static_cast<float>(size_);
  }

 private:
  void Put(int64_t at, const BoxCorners& box, int64_t label, float score) {
    boxes_[at] = box;
    classes_[at] = static_cast<float>(label);
    scores_[at] = score;
  }

  BoxCorners* boxes_;
  float* classes_;
  float* scores_;
  float* count_;
  int64_t size_ = 0;
};

class DetectionPostProcess : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 3, 4));
    STOWAGE_ASSIGN_OR_RETURN(
        options_, ReadDetectionOptions(context.spec().custom_options));
    STOWAGE_RETURN_IF_ERROR(CheckTensors(context));
    STOWAGE_RETURN_IF_ERROR(CheckShapes(context));
    STOWAGE_RETURN_IF_ERROR(AddTemporaries(context));

    const int64_t room =
        int64_t{options_.max_detections} * options_.max_classes_per_detection;
    if (room > std::numeric_limits<int32_t>::max()) {
      return RefuseModel("its options ask for ", room,
                         " detections; expected below 2^31");
    }
    const auto n = static_cast<int32_t>(room);
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, {1, n, 4}));
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(1, {1, n}));
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(2, {1, n}));
    return context.ResizeOutput(3, {1});
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& encodings = context.input(0);
    const Tensor& anchors = context.input(2);
    const int64_t coordinates = encodings.dim(2);
    boxes_ = absl::MakeSpan(
        static_cast<BoxCorners*>(context.temporary(temporaries_[kBoxes]).data),
        count_);
    for (size_t i = 0; i < count_; ++i) {
      const auto box = static_cast<int64_t>(i);
      boxes_[i] = DecodeBox(CenterAt(encodings, box * coordinates),
                            CenterAt(anchors, box * 4), options_.scales);
    }
    Detections detections(context);
    if (options_.is_per_class) {
      SuppressPerClass(context, detections);
    } else {
      SuppressAtOnce(context, detections);
    }
    return absl::OkStatus();
  }

 private:
  // The indices of the temporaries.
  enum : size_t { kBoxes, kScores, kOrder, kClasses };

  static absl::Status CheckTensors(OperatorContext& context) {
    for (size_t i = 0; i < 3; ++i) {
      STOWAGE_RETURN_IF_ERROR(
          CheckInputType(context, i, TypeList<float, uint8_t>()));
      if (context.input(i).type == ElementType::kUint8) {
        STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, i));
      }
    }
    for (size_t i = 0; i < 4; ++i) {
      STOWAGE_RETURN_IF_ERROR(
          CheckOutputType(context, i, {ElementType::kFloat32}));
    }
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 3, 3));
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 1, 3, 3));
    return CheckInputRank(context, 2, 2, 2);
  }

  absl::Status CheckShapes(const OperatorContext& context) {
    const Shape& encodings = context.input(0).shape;
    const Shape& scores = context.input(1).shape;
    const Shape& anchors = context.input(2).shape;
    const int64_t background = int64_t{scores[2]} - options_.classes;
    if (encodings[0] != 1 || encodings[2] < 4 || scores[0] != 1 ||
        scores[1] != encodings[1] || anchors[0] != encodings[1] ||
        anchors[1] != 4 || background < 0 || background > 1) {
      return RefuseModel("its inputs have the shapes ", ShapeText(encodings),
                         ", ", ShapeText(scores), " and ", ShapeText(anchors),
                         "; expected [1, boxes, 4], [1, boxes, ",
                         options_.classes, " or one more] and [boxes, 4]");
    }
    background_ = background;
    count_ = static_cast<size_t>(encodings[1]);
    return absl::OkStatus();
  }

  absl::Status AddTemporaries(OperatorContext& context) {
    const auto boxes = static_cast<int32_t>(count_);
    const std::pair<ElementType, Shape> wanted[] = {
        {ElementType::kFloat32, {boxes, 4}},
        {ElementType::kFloat32, {boxes}},
        {ElementType::kInt32, {boxes}},
        {ElementType::kInt32, {options_.classes}}};
    size_t* index = temporaries_;
    for (const auto& [type, shape] : wanted) {
      STOWAGE_ASSIGN_OR_RETURN(*index++, context.AddTemporary(type, shape));
    }
    return absl::OkStatus();
  }

  float ScoreOf(const Tensor& scores, int64_t box, int64_t label) const {
    return RealAt(scores, box * scores.dim(2) + background_ + label);
  }

  // Suppresses overlaps among the boxes of each class, and then keeps the best
  // detections of all classes.
  void SuppressPerClass(OperatorContext& context, Detections& detections) {
    const Tensor& scores = context.input(1);
    auto* const of_class = context.temporary(temporaries_[kScores]).as<float>();
    const auto order = absl::MakeSpan(
        context.temporary(temporaries_[kOrder]).as<int32_t>(), count_);
    for (int64_t label = 0; label < options_.classes; ++label) {
      for (size_t i = 0; i < count_; ++i) {
        of_class[i] = ScoreOf(scores, static_cast<int64_t>(i), label);
      }
      const auto kept = SuppressOverlaps(boxes_, {of_class, count_}, options_,
                                         options_.detections_per_class, order);
      for (const int32_t box : kept) {
        const auto i = static_cast<size_t>(box);
        detections.Insert(boxes_[i], label, of_class[i],
                          options_.max_detections);
      }
    }
  }

  // Suppresses overlaps among all boxes, ranked by the score of their best
  // class. Reports a kept box once for each of its best classes.
  void SuppressAtOnce(OperatorContext& context, Detections& detections) {
    const Tensor& scores = context.input(1);
    auto* const best = context.temporary(temporaries_[kScores]).as<float>();
    auto* const order = context.temporary(temporaries_[kOrder]).as<int32_t>();
    auto* const classes =
        context.temporary(temporaries_[kClasses]).as<int32_t>();
    for (size_t i = 0; i < count_; ++i) {
      const auto box = static_cast<int64_t>(i);
      best[i] = ScoreOf(scores, box, 0);
      for (int64_t label = 1; label < options_.classes; ++label) {
        const float score = ScoreOf(scores, box, label);
        if (IsBetterScore(score, best[i])) best[i] = score;
      }
    }
    const auto kept = SuppressOverlaps(boxes_, {best, count_}, options_,
                                       options_.max_detections,
                                       absl::MakeSpan(order, count_));
    const int64_t reported =
        std::min(options_.max_classes_per_detection, options_.classes);
    for (const int32_t box : kept) {
      std::iota(classes, classes + options_.classes, 0);
      std::partial_sort(classes, classes + reported, classes + options_.classes,
                        [&](int32_t a, int32_t b) {
                          const float score_a = ScoreOf(scores, box, a);
                          const float score_b = ScoreOf(scores, box, b);
                          if (IsBetterScore(score_a, score_b)) return true;
                          if (IsBetterScore(score_b, score_a)) return false;
                          return a < b;
                        });
      for (int64_t i = 0; i < reported; ++i) {
        detections.Append(boxes_[static_cast<size_t>(box)], classes[i],
                          ScoreOf(scores, box, classes[i]));
      }
    }
  }

  DetectionOptions options_;
  int64_t background_ = 0;  // is 1 if class 0 is the background
  size_t count_ = 0;        // the number of boxes
  size_t temporaries_[4] = {};
  absl::Span<BoxCorners> boxes_;  // is valid only while the operator runs
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<DetectionPostProcess>(
              "TFLite_Detection_PostProcess",
              "boxes, classes and scores of the best detections, without those "
              "that overlap a better one")
              .IsCustom()};
}

}  // namespace stowage::harness::tflite_detection_postprocess
