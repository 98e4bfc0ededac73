// SPDX-License-Identifier: Apache-2.0
// Infers the shapes of the operators that ONNX Runtime adds (com.microsoft),
// and of the operators for classical machine learning (ai.onnx.ml). Sources:
// docs/ContribOperators.md of github.com/microsoft/onnxruntime,
// docs/Operators-ml.md of github.com/onnx/onnx.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/recordings/onnx_call.h"
#include "src/recordings/onnx_shapes.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::recordings {
namespace {

// Swaps the last two dimensions, as transposing a matrix does.
OnnxDims Turned(const OnnxDims& dims) {
  OnnxDims turned = dims;
  if (dims.size() >= 2) std::swap(turned.back(), turned[dims.size() - 2]);
  return turned;
}

void ShapeOfFusedMatMul(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const a = call->Dims(0);
  const OnnxDims* const b = call->Dims(1);
  // Attributes can also transpose the batch dimensions, which is not supported
  // here.
  const bool has_batches =
      call->Int("transBatchA", 0) != 0 || call->Int("transBatchB", 0) != 0;
  if (a == nullptr || b == nullptr || has_batches) return;
  const OnnxDims left = call->Int("transA", 0) != 0 ? Turned(*a) : *a;
  const OnnxDims right = call->Int("transB", 0) != 0 ? Turned(*b) : *b;
  SetOnnxProduct(&left, &right, call->Element(0), call);
}

void ShapeOfFusedGemm(OnnxCall* call) { FindOnnxShape("", "Gemm")(call); }

// Sets the shape of a product of quantized matrices. Its elements are floats.
void ShapeOfMatMulToFloat(OnnxCall* call) {
  SetOnnxProduct(call->Dims(0), call->Dims(1), kOnnxFloat, call);
}

void ShapeOfDynamicMatMul(OnnxCall* call) {
  SetOnnxProduct(call->Dims(0), call->Dims(1), call->Element(0), call);
}

// The attribute N is the number of columns of the packed weights.
void ShapeOfMatMulNBits(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const a = call->Dims(0);
  if (a == nullptr || a->empty()) return;
  OnnxDims dims = *a;
  dims.back() = call->Int("N", kOnnxOpen);
  call->SetDims(0, std::move(dims));
}

// Sets the shape of a layer normalization of the sum of two tensors. The sum
// may be an additional output.
void ShapeOfSkipNormalization(OnnxCall* call) {
  ShapeOfSameAsInput(call);
  const OnnxDims* const input = call->Dims(0);
  for (size_t i = 1; i < 3 && input != nullptr && !input->empty(); ++i) {
    OnnxDims dims = *input;
    dims.back() = 1;
    call->Set(i, kOnnxFloat, std::move(dims));
  }
  call->SetLike(3, 0, call->Element(0));
}

// Sets the shape of a sum of word, position and segment embeddings.
void ShapeOfEmbedding(OnnxCall* call) {
  const OnnxDims* const ids = call->DimsOfRank(0, 2);
  const OnnxDims* const words = call->DimsOfRank(2, 2);
  const OnnxDims dims = {ids != nullptr ? (*ids)[0] : kOnnxOpen,
                         ids != nullptr ? (*ids)[1] : kOnnxOpen,
                         words != nullptr ? (*words)[1] : kOnnxOpen};
  call->Set(0, call->Element(2), dims);
  call->Set(1, kOnnxInt32, {dims[0]});
  call->Set(2, call->Element(2), dims);
}

// Sets the shape of an attention operator that has one matrix of weights for
// queries, keys and values.
void ShapeOfFusedAttention(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  call->SetElement(1, call->Element(0));
  const OnnxDims* const input = call->DimsOfRank(0, 3);
  const OnnxDims* const weights = call->DimsOfRank(1, 2);
  if (input == nullptr) return;
  int64_t hidden = kOnnxOpen;
  const optional<std::vector<int64_t>> sizes = call->Ints("qkv_hidden_sizes");
  if (sizes && sizes->size() == 3) {
    hidden = (*sizes)[2];
  } else if (weights != nullptr && (*weights)[1] != kOnnxOpen) {
    hidden = (*weights)[1] / 3;
  }
  call->SetDims(0, {(*input)[0], (*input)[1], hidden});
  const int64_t heads = call->Int("num_heads", 0);
  int64_t total = (*input)[1];
  if (call->HasInput(4)) {
    const OnnxDims* const past = call->DimsOfRank(4, 5);
    total = AddOnnxExtents(total, past != nullptr ? (*past)[3] : kOnnxOpen);
  }
  const int64_t size =
      heads > 0 && hidden != kOnnxOpen ? hidden / heads : kOnnxOpen;
  call->SetDims(1,
                {2, (*input)[0], heads > 0 ? heads : kOnnxOpen, total, size});
}

// Sets the shape of an attention operator with separate queries, keys and
// values. The queries have three dimensions.
void ShapeOfMultiHeadAttention(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const query = call->DimsOfRank(0, 3);
  const OnnxDims* const value = call->Dims(2);
  if (query == nullptr) return;
  int64_t hidden = kOnnxOpen;
  if (value != nullptr && value->size() == 3) hidden = (*value)[2];
  if (value != nullptr && value->size() == 4) {
    hidden = MultiplyOnnxExtents((*value)[1], (*value)[3]);
  }
  call->SetDims(0, {(*query)[0], (*query)[1], hidden});
}

void ShapeOfGroupQueryAttention(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  // If the inputs are packed, the queries are only a part of the first input,
  // so this function sets no shape.
  if (call->HasInput(1)) call->SetLike(0, 0, call->Element(0));
}

// Sets the shape of the result of a quantized operator with two operands. In
// the list of inputs, each operand is followed by its scale and its zero point.
void ShapeOfQuantizedBinary(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const a = call->Dims(0);
  const OnnxDims* const b = call->Dims(3);
  if (a == nullptr || b == nullptr) return;
  optional<OnnxDims> dims = BroadcastOnnxDims(*a, *b);
  if (dims) call->SetDims(0, *std::move(dims));
}

void ShapeOfQuantizedPool(OnnxCall* call) {
  SetOnnxPool(call->Int("channels_last", 0) != 0, call);
}

void ShapeOfQuantizedGlobalPool(OnnxCall* call) {
  SetOnnxGlobalPool(call->Int("channels_last", 0) != 0, call);
}

// The joined tensors are inputs 2, 5, 8 and so on.
void ShapeOfQuantizedConcat(OnnxCall* call) {
  call->SetElement(0, call->Element(1));
  OnnxDims dims;
  for (size_t i = 2; i < call->input_count(); i += 3) {
    const OnnxDims* const input = call->Dims(i);
    if (input == nullptr) return;
    if (i == 2) {
      dims = *input;
      continue;
    }
    const optional<size_t> axis = OnnxAxis(call->Int("axis", 0), input->size());
    if (!axis || input->size() != dims.size()) return;
    dims[*axis] = AddOnnxExtents(dims[*axis], (*input)[*axis]);
  }
  call->SetDims(0, std::move(dims));
}

void ShapeOfQGemm(OnnxCall* call) {
  const OnnxDims* const a = call->DimsOfRank(0, 2);
  const OnnxDims* const b = call->DimsOfRank(3, 2);
  const bool is_a_turned = call->Int("transA", 0) != 0;
  const bool is_b_turned = call->Int("transB", 0) != 0;
  // The elements of the result are floats if the node has no zero point for the
  // result.
  call->Set(0, call->HasInput(8) ? call->Element(8) : kOnnxFloat,
            {a != nullptr ? (*a)[is_a_turned ? 1 : 0] : kOnnxOpen,
             b != nullptr ? (*b)[is_b_turned ? 0 : 1] : kOnnxOpen});
}

void ShapeOfQuantizedLstm(OnnxCall* call) { FindOnnxShape("", "LSTM")(call); }

void ShapeOfPoolOfChannelsLast(OnnxCall* call) { SetOnnxPool(true, call); }

// Sets the shape of a quantized attention operator. The result has the type of
// the bias.
void ShapeOfQAttention(OnnxCall* call) {
  ShapeOfFusedAttention(call);
  call->SetElement(0, call->Element(2));
  call->SetElement(1, call->Element(2));
}

constexpr OnnxShapeRow kMicrosoftShapes[] = {
    {"Attention", ShapeOfFusedAttention},
    {"BiasGelu", ShapeOfBroadcast},
    {"BiasSoftmax", ShapeOfSameAsInput},
    {"DynamicQuantizeLSTM", ShapeOfQuantizedLstm},
    {"DynamicQuantizeMatMul", ShapeOfDynamicMatMul},
    {"EmbedLayerNormalization", ShapeOfEmbedding},
    {"FastGelu", ShapeOfSameAsInput},
    {"FusedConv", ShapeOfConv},
    {"FusedGemm", ShapeOfFusedGemm},
    {"FusedMatMul", ShapeOfFusedMatMul},
    {"GemmFastGelu", ShapeOfMatMul},
    {"GroupQueryAttention", ShapeOfGroupQueryAttention},
    {"Inverse", ShapeOfSameAsInput},
    {"MatMulBnb4", ShapeOfMatMulNBits},
    {"MatMulIntegerToFloat", ShapeOfMatMulToFloat},
    {"MatMulNBits", ShapeOfMatMulNBits},
    {"MultiHeadAttention", ShapeOfMultiHeadAttention},
    {"NhwcMaxPool", ShapeOfPoolOfChannelsLast},
    {"QAttention", ShapeOfQAttention},
    {"QGemm", ShapeOfQGemm},
    {"QLinearAdd", ShapeOfQuantizedBinary},
    {"QLinearAveragePool", ShapeOfQuantizedPool},
    {"QLinearConcat", ShapeOfQuantizedConcat},
    {"QLinearGlobalAveragePool", ShapeOfQuantizedGlobalPool},
    {"QLinearLeakyRelu", ShapeOfSameAsInput},
    {"QLinearMul", ShapeOfQuantizedBinary},
    {"QLinearSigmoid", ShapeOfSameAsInput},
    {"QLinearSoftmax", ShapeOfSameAsInput},
    {"QuickGelu", ShapeOfSameAsInput},
    {"RotaryEmbedding", ShapeOfSameAsInput},
    {"SkipLayerNormalization", ShapeOfSkipNormalization},
    {"SkipSimplifiedLayerNormalization", ShapeOfSkipNormalization},
    {"TransposeMatMul", ShapeOfFusedMatMul},
};

// Returns the number of rows of the first input.
int64_t RowsOf(const OnnxCall& call) {
  const OnnxDims* const input = call.Dims(0);
  if (input == nullptr || input->empty()) return kOnnxOpen;
  return input->size() == 1 ? 1 : (*input)[0];
}

// Returns the number of classes of a classifier. The class labels are strings
// or numbers.
int64_t ClassesOf(const OnnxCall& call) {
  for (const char* const name :
       {"classlabels_strings", "classlabels_ints", "classlabels_int64s"}) {
    const optional<size_t> texts = call.TextCount(name);
    if (texts && *texts > 0) return static_cast<int64_t>(*texts);
    const optional<std::vector<int64_t>> numbers = call.Ints(name);
    if (numbers && !numbers->empty()) {
      return static_cast<int64_t>(numbers->size());
    }
  }
  return kOnnxOpen;
}

// Sets the shapes of the outputs of a classifier: the label of each row, and
// the scores of each row.
void ShapeOfClassifier(OnnxCall* call) {
  const bool has_texts = call->TextCount("classlabels_strings").value_or(0) > 0;
  call->Set(0, has_texts ? kOnnxString : kOnnxInt64, {RowsOf(*call)});
  call->Set(1, kOnnxFloat, {RowsOf(*call), ClassesOf(*call)});
}

void ShapeOfRegressor(OnnxCall* call) {
  call->Set(0, kOnnxFloat, {RowsOf(*call), call->Int("n_targets", 1)});
  if (call->HasAttribute("targets") && !call->HasAttribute("n_targets")) {
    call->Set(0, kOnnxFloat, {RowsOf(*call), call->Int("targets", 1)});
  }
}

void ShapeOfFloats(OnnxCall* call) { call->SetLike(0, 0, kOnnxFloat); }

void ShapeOfZipMap(OnnxCall* call) {
  OnnxType type;
  type.kind = OnnxType::Kind::kOther;
  call->SetType(0, std::move(type));
}

// The name of the attribute that contains the values determines the element
// type.
void ShapeOfLabelEncoder(OnnxCall* call) {
  int32_t element = kOnnxUnknown;
  if (call->HasAttribute("values_strings")) element = kOnnxString;
  if (call->HasAttribute("values_int64s")) element = kOnnxInt64;
  if (call->HasAttribute("values_floats")) element = kOnnxFloat;
  if (call->HasAttribute("classes_strings")) {
    element = call->Element(0) == kOnnxString ? kOnnxInt64 : kOnnxString;
  }
  call->SetLike(0, 0, element);
}

constexpr OnnxShapeRow kLearningShapes[] = {
    {"Binarizer", ShapeOfSameAsInput},
    {"Imputer", ShapeOfSameAsInput},
    {"LabelEncoder", ShapeOfLabelEncoder},
    {"LinearClassifier", ShapeOfClassifier},
    {"LinearRegressor", ShapeOfRegressor},
    {"Normalizer", ShapeOfFloats},
    {"SVMClassifier", ShapeOfClassifier},
    {"SVMRegressor", ShapeOfRegressor},
    {"Scaler", ShapeOfFloats},
    {"TreeEnsembleClassifier", ShapeOfClassifier},
    {"TreeEnsembleRegressor", ShapeOfRegressor},
    {"ZipMap", ShapeOfZipMap},
};

}  // namespace

Span<const OnnxShapeRow> OnnxMicrosoftShapes() { return kMicrosoftShapes; }
Span<const OnnxShapeRow> OnnxLearningShapes() { return kLearningShapes; }

}  // namespace stowage::recordings
