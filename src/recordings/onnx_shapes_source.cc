// SPDX-License-Identifier: Apache-2.0
// Infers the shapes of operators that create tensors: constants, ranges, random
// numbers, windows and spectra of signals, and descriptions of tensors.
#include <algorithm>
#include <cmath>
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

void ShapeOfConstant(OnnxCall* call) {
  if (optional<OnnxTensor> tensor = call->Tensor("value"); tensor) {
    call->Set(0, tensor->element, std::move(tensor->dims));
  } else if (call->HasAttribute("value_int")) {
    call->Set(0, kOnnxInt64, {});
  } else if (call->HasAttribute("value_float")) {
    call->Set(0, kOnnxFloat, {});
  } else if (call->HasAttribute("value_string")) {
    call->Set(0, kOnnxString, {});
  } else if (const auto ints = call->Ints("value_ints"); ints) {
    call->Set(0, kOnnxInt64, {static_cast<int64_t>(ints->size())});
  } else if (const auto floats = call->Floats("value_floats"); floats) {
    call->Set(0, kOnnxFloat, {static_cast<int64_t>(floats->size())});
  } else if (const auto texts = call->TextCount("value_strings"); texts) {
    call->Set(0, kOnnxString, {static_cast<int64_t>(*texts)});
  }
}

// Returns the contents of an input as extents. Unknown elements become open
// extents.
optional<OnnxDims> ContentAsDims(const OnnxCall& call, size_t input) {
  const OnnxData* const data = call.Data(input);
  if (data == nullptr) return nullopt;
  OnnxDims dims;
  for (const OnnxNumber& number : *data) {
    const bool is_known = number.kind == OnnxNumber::Kind::kInteger;
    dims.push_back(is_known ? number.integer : kOnnxOpen);
  }
  return dims;
}

void ShapeOfConstantOfShape(OnnxCall* call) {
  const optional<OnnxTensor> value = call->Tensor("value");
  call->SetElement(0, value ? value->element : kOnnxFloat);
  optional<OnnxDims> dims = ContentAsDims(*call, 0);
  if (dims) call->SetDims(0, *std::move(dims));
}

// Sets the shape of random numbers. The attribute `shape` has the extents, and
// the attribute `dtype` has the element type.
void ShapeOfRandom(OnnxCall* call) {
  call->SetElement(0, static_cast<int32_t>(call->Int("dtype", kOnnxFloat)));
  const optional<std::vector<int64_t>> dims = call->Ints("shape");
  if (dims) call->SetDims(0, OnnxDims(dims->begin(), dims->end()));
}

void ShapeOfRandomLike(OnnxCall* call) {
  call->SetLike(0, 0,
                static_cast<int32_t>(call->Int("dtype", call->Element(0))));
}

void ShapeOfMultinomial(OnnxCall* call) {
  const OnnxDims* const input = call->DimsOfRank(0, 2);
  call->Set(0, static_cast<int32_t>(call->Int("dtype", kOnnxInt32)),
            {input != nullptr ? (*input)[0] : kOnnxOpen,
             call->Int("sample_size", 1)});
}

void ShapeOfRange(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxData* numbers[] = {call->Data(0), call->Data(1), call->Data(2)};
  int64_t count = kOnnxOpen;
  bool is_known = true;
  for (const OnnxData* const data : numbers) {
    if (data == nullptr || data->size() != 1 ||
        (*data)[0].kind == OnnxNumber::Kind::kUnknown) {
      is_known = false;
      break;
    }
  }
  if (is_known && (*numbers[2])[0].real != 0) {
    const double span = (*numbers[1])[0].real - (*numbers[0])[0].real;
    const double steps = std::ceil(span / (*numbers[2])[0].real);
    // The limit is below 2^53, up to which a double represents all integers
    // exactly.
    if (std::fabs(span) < 9e15 && std::fabs(steps) < 9e15) {
      count = std::max<int64_t>(static_cast<int64_t>(steps), 0);
    }
  }
  call->SetDims(0, {count});
  if (count == kOnnxOpen) call->SetCounted(0, 0);
}

void ShapeOfShape(OnnxCall* call) {
  call->SetElement(0, kOnnxInt64);
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return call->SetDims(0, {kOnnxOpen});
  const auto [begin, end] = OnnxShapeRange(*call, input->size());
  call->SetDims(0, {static_cast<int64_t>(end - begin)});
}

void ShapeOfSize(OnnxCall* call) { call->Set(0, kOnnxInt64, {}); }

void ShapeOfWindow(OnnxCall* call) {
  call->Set(0, static_cast<int32_t>(call->Int("output_datatype", kOnnxFloat)),
            {call->Integer(0).value_or(kOnnxOpen)});
}

void ShapeOfMelWeights(OnnxCall* call) {
  const optional<int64_t> length = call->Integer(1);
  call->Set(0, static_cast<int32_t>(call->Int("output_datatype", kOnnxFloat)),
            {length ? *length / 2 + 1 : kOnnxOpen,
             call->Integer(0).value_or(kOnnxOpen)});
}

void ShapeOfDft(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr || input->size() < 2) return;
  // Before version 20, the axis is an attribute.
  optional<int64_t> given = call->opset() < 20 ? call->Int("axis", 1) : -2;
  if (call->opset() >= 20 && call->HasInput(2)) given = call->Integer(2);
  const optional<size_t> axis =
      given ? OnnxAxis(*given, input->size()) : optional<size_t>();
  if (!axis) return call->SetDims(0, OpenOnnxDims(input->size()));
  const bool is_onesided = call->Int("onesided", 0) != 0;
  const bool is_inverse = call->Int("inverse", 0) != 0;
  OnnxDims dims = *input;
  const int64_t bins = dims[*axis];
  int64_t length = bins;
  if (call->HasInput(1)) {
    length = call->Integer(1).value_or(kOnnxOpen);
  } else if (is_onesided && is_inverse && bins > 0) {
    length = 2 * (bins - 1);
  }
  const bool is_half = is_onesided && !is_inverse && length != kOnnxOpen;
  dims[*axis] = is_half ? length / 2 + 1 : length;
  dims.back() = is_onesided && is_inverse ? 1 : 2;
  call->SetDims(0, std::move(dims));
}

void ShapeOfStft(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const signal = call->Dims(0);
  if (signal == nullptr || signal->size() < 2) return;
  const optional<int64_t> step = call->Integer(1);
  optional<int64_t> length = call->Integer(3);
  const OnnxDims* const window = call->DimsOfRank(2, 1);
  if (!length && !call->HasInput(3) && window != nullptr) {
    length = (*window)[0];
  }
  OnnxDims dims = {(*signal)[0], kOnnxOpen, kOnnxOpen, 2};
  if (length && *length > 0) {
    dims[2] = call->Int("onesided", 1) != 0 ? *length / 2 + 1 : *length;
    if (step && *step > 0 && (*signal)[1] >= *length) {
      dims[1] = ((*signal)[1] - *length) / *step + 1;
    }
  }
  call->SetDims(0, std::move(dims));
}

// Sets the type of a value that has no size or an unknown size, such as a
// sequence, a string or a picture.
void ShapeOfOther(OnnxCall* call) {
  OnnxType type;
  type.kind = OnnxType::Kind::kOther;
  call->SetType(0, std::move(type));
}

// Sets the type of a sequence that consists of the inputs.
void ShapeOfSequence(OnnxCall* call) {
  OnnxType type = call->Input(0);
  for (size_t i = 1; i < call->input_count(); ++i) {
    type = UnionOfOnnxTypes(type, call->Input(i));
  }
  type.kind = OnnxType::Kind::kOther;
  call->SetType(0, std::move(type));
}

// Sets the type of a sequence of the parts of one tensor. All parts have the
// same size if the size of a part divides the extent of the tensor.
void ShapeOfSplitToSequence(OnnxCall* call) {
  OnnxType type = call->Input(0);
  type.kind = OnnxType::Kind::kOther;
  const optional<size_t> axis =
      type.dims ? OnnxAxis(call->Int("axis", 0), type.dims->size())
                : optional<size_t>();
  if (axis) {
    int64_t& extent = (*type.dims)[*axis];
    const optional<int64_t> size =
        call->HasInput(1) ? call->Integer(1) : optional<int64_t>(1);
    const bool is_even =
        size && *size > 0 && extent != kOnnxOpen && extent % *size == 0;
    extent = is_even ? *size : kOnnxOpen;
    if (!call->HasInput(1) && call->Int("keepdims", 1) == 0) {
      type.dims->erase(type.dims->begin() + static_cast<ptrdiff_t>(*axis));
    }
  } else {
    type.dims = nullopt;
  }
  call->SetType(0, std::move(type));
}

// Sets the type of a tensor that is taken from a sequence.
void ShapeOfSequenceAt(OnnxCall* call) {
  OnnxType type = call->Input(0);
  type.kind = OnnxType::Kind::kTensor;
  call->SetType(0, std::move(type));
}

void ShapeOfScalarInt64(OnnxCall* call) { call->Set(0, kOnnxInt64, {}); }
void ShapeOfScalarBool(OnnxCall* call) { call->Set(0, kOnnxBool, {}); }
void ShapeOfStrings(OnnxCall* call) { call->SetElement(0, kOnnxString); }
void ShapeOfTextTest(OnnxCall* call) { call->SetLike(0, 0, kOnnxBool); }

void ShapeOfImageDecoder(OnnxCall* call) {
  const bool is_gray = call->Text("pixel_format") == "Grayscale";
  call->Set(0, kOnnxUint8, {kOnnxOpen, kOnnxOpen, is_gray ? 1 : 3});
  call->SetCounted(0, 0);
  call->SetCounted(0, 1);
}

constexpr OnnxShapeRow kSourceShapes[] = {
    {"Bernoulli", ShapeOfRandomLike},
    {"BlackmanWindow", ShapeOfWindow},
    {"Constant", ShapeOfConstant},
    {"ConstantOfShape", ShapeOfConstantOfShape},
    {"DFT", ShapeOfDft},
    {"EyeLike", ShapeOfRandomLike},
    {"HammingWindow", ShapeOfWindow},
    {"HannWindow", ShapeOfWindow},
    {"ImageDecoder", ShapeOfImageDecoder},
    {"MelWeightMatrix", ShapeOfMelWeights},
    {"Multinomial", ShapeOfMultinomial},
    {"Optional", ShapeOfOther},
    {"OptionalHasElement", ShapeOfScalarBool},
    {"RandomNormal", ShapeOfRandom},
    {"RandomNormalLike", ShapeOfRandomLike},
    {"RandomUniform", ShapeOfRandom},
    {"RandomUniformLike", ShapeOfRandomLike},
    {"Range", ShapeOfRange},
    {"RegexFullMatch", ShapeOfTextTest},
    {"STFT", ShapeOfStft},
    {"SequenceAt", ShapeOfSequenceAt},
    {"SequenceConstruct", ShapeOfSequence},
    {"SequenceEmpty", ShapeOfOther},
    {"SequenceErase", ShapeOfOther},
    {"SequenceInsert", ShapeOfOther},
    {"SequenceLength", ShapeOfScalarInt64},
    {"SequenceMap", ShapeOfOther},
    {"Shape", ShapeOfShape},
    {"Size", ShapeOfSize},
    {"SplitToSequence", ShapeOfSplitToSequence},
    {"StringConcat", ShapeOfStrings},
    {"StringNormalizer", ShapeOfStrings},
};

}  // namespace

std::pair<size_t, size_t> OnnxShapeRange(const OnnxCall& call, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  const auto clamped = [&](int64_t at) {
    if (at < 0) at += signed_rank;
    return static_cast<size_t>(std::clamp<int64_t>(at, 0, signed_rank));
  };
  const size_t begin = clamped(call.Int("start", 0));
  const size_t end = clamped(call.Int("end", signed_rank));
  return {begin, std::max(begin, end)};
}

Span<const OnnxShapeRow> OnnxSourceShapes() { return kSourceShapes; }

}  // namespace stowage::recordings
