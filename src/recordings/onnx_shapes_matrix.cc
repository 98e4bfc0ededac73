// SPDX-License-Identifier: Apache-2.0
// Infers the shapes of matrix products and of recurrent layers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "src/recordings/onnx_call.h"
#include "src/recordings/onnx_shapes.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {
namespace {

void ShapeOfGemm(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const a = call->DimsOfRank(0, 2);
  const OnnxDims* const b = call->DimsOfRank(1, 2);
  const bool is_a_turned = call->Int("transA", 0) != 0;
  const bool is_b_turned = call->Int("transB", 0) != 0;
  call->SetDims(0, {a != nullptr ? (*a)[is_a_turned ? 1 : 0] : kOnnxOpen,
                    b != nullptr ? (*b)[is_b_turned ? 0 : 1] : kOnnxOpen});
}

void ShapeOfMatMulInteger(OnnxCall* call) {
  SetOnnxProduct(call->Dims(0), call->Dims(1), kOnnxInt32, call);
}

void ShapeOfQLinearMatMul(OnnxCall* call) {
  const int32_t element =
      call->HasInput(7) ? call->Element(7) : call->Element(0);
  SetOnnxProduct(call->Dims(0), call->Dims(3), element, call);
}

// The extents for the letters in the equation of an einsum, and the extents for
// "...".
struct EinsumExtents {
  std::map<char, int64_t> letters;
  OnnxDims dots;
};

void JoinExtent(int64_t extent, int64_t* known) {
  if (*known == kOnnxOpen || *known == 1) *known = extent;
}

// Reads the term of an operand, such as "bij" or "...ij". Returns false if the
// term does not match the extents.
bool ReadEinsumTerm(string_view term, const OnnxDims& dims,
                    EinsumExtents* extents) {
  constexpr string_view kDots = "...";
  const size_t at = term.find(kDots);
  const size_t letters =
      at == string_view::npos ? term.size() : term.size() - kDots.size();
  if (letters > dims.size() ||
      (at == string_view::npos && letters != dims.size())) {
    return false;
  }
  size_t axis = 0;
  for (size_t i = 0; i < term.size(); ++i) {
    if (i == at) {
      const size_t count = dims.size() - letters;
      const auto* const first = dims.begin() + static_cast<ptrdiff_t>(axis);
      optional<OnnxDims> both = BroadcastOnnxDims(
          extents->dots,
          OnnxDims(first, first + static_cast<ptrdiff_t>(count)));
      if (!both) return false;
      extents->dots = *std::move(both);
      axis += count;
      i += kDots.size() - 1;
      continue;
    }
    const auto [entry, is_new] = extents->letters.emplace(term[i], dims[axis]);
    if (!is_new) JoinExtent(dims[axis], &entry->second);
    ++axis;
  }
  return true;
}

// Returns the term of the result if the equation does not contain it: the
// letters that occur exactly once, in alphabetical order.
std::string ImpliedTerm(string_view operands) {
  std::map<char, size_t> counts;
  bool has_dots = false;
  for (const char c : operands) {
    if (c == '.') has_dots = true;
    if (c != '.' && c != ',') ++counts[c];
  }
  std::string term = has_dots ? "..." : "";
  for (const auto& [letter, count] : counts) {
    if (count == 1) term += letter;
  }
  return term;
}

void ShapeOfEinsum(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  std::string equation(call->Text("equation"));
  equation.erase(std::remove(equation.begin(), equation.end(), ' '),
                 equation.end());
  const size_t arrow = equation.find("->");
  const std::string left = equation.substr(0, arrow);
  const std::string result = arrow == std::string::npos
                                 ? ImpliedTerm(left)
                                 : equation.substr(arrow + 2);
  EinsumExtents extents;
  size_t input = 0;
  for (const string_view term : absl::StrSplit(left, ',')) {
    const OnnxDims* const dims = call->Dims(input++);
    if (dims == nullptr || !ReadEinsumTerm(term, *dims, &extents)) return;
  }
  OnnxDims dims;
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i] == '.') {
      if (result.compare(i, 3, "...") != 0) return;
      dims.insert(dims.end(), extents.dots.begin(), extents.dots.end());
      i += 2;
      continue;
    }
    const auto found = extents.letters.find(result[i]);
    if (found == extents.letters.end()) return;
    dims.push_back(found->second);
  }
  call->SetDims(0, std::move(dims));
}

// Sets the shapes of the outputs of RNN, GRU and LSTM: the results of all
// steps, the result of the last step and, for LSTM, the last cell state.
void ShapeOfRecurrent(OnnxCall* call) {
  for (size_t i = 0; i < 3; ++i) call->SetElement(i, call->Element(0));
  const OnnxDims* const input = call->DimsOfRank(0, 3);
  const OnnxDims* const recurrence = call->DimsOfRank(2, 3);
  int64_t hidden = call->Int("hidden_size", 0);
  if (hidden <= 0) {
    hidden = recurrence != nullptr ? (*recurrence)[2] : kOnnxOpen;
  }
  const int64_t directions = call->Text("direction") == "bidirectional" ? 2 : 1;
  const bool is_batch_first = call->Int("layout", 0) != 0;
  int64_t steps = kOnnxOpen;
  int64_t batch = kOnnxOpen;
  if (input != nullptr) {
    steps = (*input)[is_batch_first ? 1 : 0];
    batch = (*input)[is_batch_first ? 0 : 1];
  }
  const OnnxDims all = is_batch_first
                           ? OnnxDims{batch, steps, directions, hidden}
                           : OnnxDims{steps, directions, batch, hidden};
  const OnnxDims last = is_batch_first ? OnnxDims{batch, directions, hidden}
                                       : OnnxDims{directions, batch, hidden};
  call->SetDims(0, all);
  call->SetDims(1, last);
  call->SetDims(2, last);
}

void ShapeOfDet(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr || input->size() < 2) return;
  call->SetDims(0, OnnxDims(input->begin(), input->end() - 2));
}

// The extents of an input of Attention, which has one of two forms: (batch,
// heads, length, size) or (batch, length, heads * size).
struct AttentionInput {
  int64_t batch = kOnnxOpen;
  int64_t heads = kOnnxOpen;
  int64_t length = kOnnxOpen;
  int64_t size = kOnnxOpen;
};

AttentionInput ReadAttentionInput(const OnnxDims& dims, int64_t heads) {
  if (dims.size() == 4) return {dims[0], dims[1], dims[2], dims[3]};
  const bool is_known = heads > 0 && dims[2] != kOnnxOpen;
  return {dims[0], heads > 0 ? heads : kOnnxOpen, dims[1],
          is_known ? dims[2] / heads : kOnnxOpen};
}

// Sets the shapes of the outputs of the standard operator Attention: the
// result; the keys, including past keys; the values, including past values; and
// the products of queries and keys.
void ShapeOfAttention(OnnxCall* call) {
  for (size_t i = 0; i < 4; ++i) call->SetElement(i, call->Element(0));
  call->SetElement(2, call->Element(2));
  const OnnxDims* inputs[] = {call->Dims(0), call->Dims(1), call->Dims(2)};
  for (const OnnxDims* const dims : inputs) {
    if (dims == nullptr || (dims->size() != 3 && dims->size() != 4)) return;
  }
  const int64_t kv_heads = call->Int("kv_num_heads", 0);
  const AttentionInput q =
      ReadAttentionInput(*inputs[0], call->Int("q_num_heads", 0));
  const AttentionInput k = ReadAttentionInput(*inputs[1], kv_heads);
  const AttentionInput v = ReadAttentionInput(*inputs[2], kv_heads);
  if (inputs[0]->size() == 4) {
    call->SetDims(0, {q.batch, q.heads, q.length, v.size});
  } else {
    call->SetDims(0, {q.batch, q.length, MultiplyOnnxExtents(q.heads, v.size)});
  }
  int64_t total = k.length;
  if (call->HasInput(4)) {
    const OnnxDims* const past = call->DimsOfRank(4, 4);
    total = AddOnnxExtents(total, past != nullptr ? (*past)[2] : kOnnxOpen);
  }
  call->SetDims(1, {k.batch, k.heads, total, k.size});
  call->SetDims(2, {v.batch, v.heads, total, v.size});
  call->SetDims(3, {q.batch, q.heads, q.length, total});
}

constexpr OnnxShapeRow kMatrixShapes[] = {
    {"Attention", ShapeOfAttention},
    {"Det", ShapeOfDet},
    {"Einsum", ShapeOfEinsum},
    {"GRU", ShapeOfRecurrent},
    {"Gemm", ShapeOfGemm},
    {"LSTM", ShapeOfRecurrent},
    {"MatMul", ShapeOfMatMul},
    {"MatMulInteger", ShapeOfMatMulInteger},
    {"QLinearMatMul", ShapeOfQLinearMatMul},
    {"RNN", ShapeOfRecurrent},
    {"RotaryEmbedding", ShapeOfSameAsInput},
};

}  // namespace

void ShapeOfMatMul(OnnxCall* call) {
  SetOnnxProduct(call->Dims(0), call->Dims(1), call->Element(0), call);
}

void SetOnnxProduct(const OnnxDims* a, const OnnxDims* b, int32_t element,
                    OnnxCall* call) {
  call->SetElement(0, element);
  if (a == nullptr || b == nullptr || a->empty() || b->empty()) return;
  // A vector is treated as a matrix with one row or one column. The result does
  // not have this dimension of extent 1.
  OnnxDims left = *a;
  OnnxDims right = *b;
  if (a->size() == 1) left.insert(left.begin(), 1);
  if (b->size() == 1) right.push_back(1);
  optional<OnnxDims> dims =
      BroadcastOnnxDims(OnnxDims(left.begin(), left.end() - 2),
                        OnnxDims(right.begin(), right.end() - 2));
  if (!dims) return;
  if (a->size() > 1) dims->push_back(left[left.size() - 2]);
  if (b->size() > 1) dims->push_back(right[right.size() - 1]);
  call->SetDims(0, *std::move(dims));
}

Span<const OnnxShapeRow> OnnxMatrixShapes() { return kMatrixShapes; }

}  // namespace stowage::recordings
