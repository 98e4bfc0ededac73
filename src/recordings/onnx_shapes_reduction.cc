// SPDX-License-Identifier: Apache-2.0
// Infers the shapes of reductions (such as sums, minimums and maximums) along
// dimensions, of normalizations, and of losses.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/recordings/onnx_call.h"
#include "src/recordings/onnx_shapes.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {
namespace {

// Sets the first output to the input without the dimensions `is_reduced`. If
// `keeps` is true, keeps these dimensions with extents of 1.
void SetReduced(const std::vector<bool>& is_reduced, bool keeps,
                OnnxCall* call) {
  const OnnxDims& input = *call->Dims(0);
  OnnxDims dims;
  for (size_t i = 0; i < input.size(); ++i) {
    if (!is_reduced[i]) {
      dims.push_back(input[i]);
    } else if (keeps) {
      dims.push_back(1);
    }
  }
  call->SetDims(0, std::move(dims));
}

void ShapeOfReduce(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return;
  const bool keeps = call->Int("keepdims", 1) != 0;
  optional<std::vector<int64_t>> axes = call->Ints("axes");
  if (!axes && call->HasInput(1)) {
    axes = call->Integers(1);
    if (!axes) {
      if (keeps) call->SetDims(0, OpenOnnxDims(input->size()));
      return;
    }
  }
  const bool is_empty = !axes || axes->empty();
  if (is_empty && call->Int("noop_with_empty_axes", 0) != 0) {
    return call->SetDims(0, *input);
  }
  std::vector<bool> is_reduced(input->size(), is_empty);
  for (size_t i = 0; !is_empty && i < axes->size(); ++i) {
    const optional<size_t> axis = OnnxAxis((*axes)[i], input->size());
    if (!axis) return;
    is_reduced[*axis] = true;
  }
  SetReduced(is_reduced, keeps, call);
}

void ShapeOfArg(OnnxCall* call) {
  call->SetElement(0, kOnnxInt64);
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return;
  const optional<size_t> axis = OnnxAxis(call->Int("axis", 0), input->size());
  if (!axis) return;
  std::vector<bool> is_reduced(input->size());
  is_reduced[*axis] = true;
  SetReduced(is_reduced, call->Int("keepdims", 1) != 0, call);
}

void ShapeOfBatchNormalization(OnnxCall* call) {
  ShapeOfSameAsInput(call);
  // Before version 14, the other outputs exist only in training, and inference
  // runtimes do not compute them.
  if (call->opset() < 14) return;
  for (size_t i = 1; i < 3; ++i) call->SetLike(i, i + 2, call->Element(i + 2));
}

// Sets the shapes of the outputs [first, end), which are statistics. Their
// extents are those of the input before axis `from`, and 1 from this axis on.
void SetStatistics(int64_t from, size_t first, size_t end, OnnxCall* call) {
  const OnnxDims* const input = call->Dims(0);
  const auto element =
      static_cast<int32_t>(call->Int("stash_type", kOnnxFloat));
  for (size_t i = first; i < end; ++i) call->SetElement(i, element);
  if (input == nullptr) return;
  const optional<size_t> axis = OnnxAxis(from, input->size());
  if (!axis) return;
  OnnxDims dims = *input;
  for (size_t i = *axis; i < dims.size(); ++i) dims[i] = 1;
  for (size_t i = first; i < end; ++i) call->SetDims(i, dims);
}

void ShapeOfLayerNormalization(OnnxCall* call) {
  ShapeOfSameAsInput(call);
  SetStatistics(call->Int("axis", -1), 1, 3, call);
}

// Sets the shape of the loss. The labels are the second input, and there is one
// loss for each label unless the losses are reduced.
void SetLoss(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  if (call->Text("reduction") != "none") {
    // By default, the losses are reduced to their mean.
    call->SetDims(0, {});
    return;
  }
  const OnnxDims* const labels = call->Dims(1);
  if (labels != nullptr) call->SetDims(0, *labels);
}

void ShapeOfCrossEntropy(OnnxCall* call) {
  SetLoss(call);
  call->SetLike(1, 0, call->Element(0));
}

constexpr OnnxShapeRow kReductionShapes[] = {
    {"ArgMax", ShapeOfArg},
    {"ArgMin", ShapeOfArg},
    {"BatchNormalization", ShapeOfBatchNormalization},
    {"CumProd", ShapeOfSameAsInput},
    {"CumSum", ShapeOfSameAsInput},
    {"GroupNormalization", ShapeOfSameAsInput},
    {"Hardmax", ShapeOfSameAsInput},
    {"InstanceNormalization", ShapeOfSameAsInput},
    {"LRN", ShapeOfSameAsInput},
    {"LayerNormalization", ShapeOfLayerNormalization},
    {"LogSoftmax", ShapeOfSameAsInput},
    {"LpNormalization", ShapeOfSameAsInput},
    {"MeanVarianceNormalization", ShapeOfSameAsInput},
    {"NegativeLogLikelihoodLoss", SetLoss},
    {"RMSNormalization", ShapeOfSameAsInput},
    {"ReduceL1", ShapeOfReduce},
    {"ReduceL2", ShapeOfReduce},
    {"ReduceLogSum", ShapeOfReduce},
    {"ReduceLogSumExp", ShapeOfReduce},
    {"ReduceMax", ShapeOfReduce},
    {"ReduceMean", ShapeOfReduce},
    {"ReduceMin", ShapeOfReduce},
    {"ReduceProd", ShapeOfReduce},
    {"ReduceSum", ShapeOfReduce},
    {"ReduceSumSquare", ShapeOfReduce},
    {"SimplifiedLayerNormalization", ShapeOfLayerNormalization},
    {"Softmax", ShapeOfSameAsInput},
    {"SoftmaxCrossEntropyLoss", ShapeOfCrossEntropy},
};

}  // namespace

Span<const OnnxShapeRow> OnnxReductionShapes() { return kReductionShapes; }

}  // namespace stowage::recordings
