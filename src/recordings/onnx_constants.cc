// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/onnx_constants.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "src/recordings/onnx_call.h"
#include "src/recordings/onnx_shapes.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {
namespace {

using OnnxNumberKind = OnnxNumber::Kind;

// The maximum number of element lookups for one operator. If an operator needs
// more lookups, its result remains unknown.
constexpr size_t kMaxNodeWork = size_t{1} << 18;

// Rounds a number to the precision of its type.
OnnxNumber Rounded(double value, int32_t element) {
  if (element == kOnnxFloat) {
    return OnnxNumber::Real(static_cast<double>(static_cast<float>(value)));
  }
  return element == kOnnxDouble ? OnnxNumber::Real(value) : OnnxNumber();
}

// Converts a number to an element type. A number that does not fit in the type,
// and therefore would wrap around at run time, becomes unknown.
OnnxNumber Narrowed(int64_t value, int32_t element) {
  const size_t bits = OnnxElementBits(element).value_or(64);
  const bool is_unsigned = element == kOnnxUint8 || element == kOnnxUint16 ||
                           element == kOnnxUint32 || element == kOnnxUint64;
  if (element == kOnnxBool) return OnnxNumber::Integer(value != 0 ? 1 : 0);
  if (is_unsigned && value < 0) return {};
  if (bits < 64) {
    const int64_t limit = int64_t{1} << (is_unsigned ? bits : bits - 1);
    if (value >= limit || value < -limit) return {};
  }
  return OnnxNumber::Integer(value);
}

OnnxNumber CastTo(const OnnxNumber& number, int32_t element) {
  if (number.kind == OnnxNumberKind::kUnknown) return {};
  if (IsOnnxReal(element)) return Rounded(number.real, element);
  if (!IsOnnxInteger(element)) return {};
  if (number.kind == OnnxNumberKind::kInteger) {
    return Narrowed(number.integer, element);
  }
  if (element == kOnnxBool) {
    return OnnxNumber::Integer(number.real != 0 ? 1 : 0);
  }
  if (!(std::fabs(number.real) < 9e18)) return {};
  return Narrowed(static_cast<int64_t>(number.real), element);
}

OnnxNumber DivideIntegers(int64_t a, int64_t b) {
  if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1)) {
    return {};
  }
  return OnnxNumber::Integer(a / b);
}

// Returns the remainder of a divided by b. The sign is that of the dividend if
// `is_fmod` is true, otherwise that of the divisor.
OnnxNumber RestOf(int64_t a, int64_t b, bool is_fmod) {
  if (b == 0 || b == -1) return b == 0 ? OnnxNumber() : OnnxNumber::Integer(0);
  const int64_t rest = a % b;
  const bool is_other_sign = rest != 0 && (rest < 0) != (b < 0);
  return OnnxNumber::Integer(is_other_sign && !is_fmod ? rest + b : rest);
}

OnnxNumber Power(int64_t base, int64_t exponent) {
  if (exponent < 0 || exponent > 64) return {};
  int64_t result = 1;
  for (int64_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(result, base, &result)) return {};
  }
  return OnnxNumber::Integer(result);
}

OnnxNumber ComputeIntegers(string_view op, int64_t a, int64_t b, bool is_fmod) {
  int64_t result = 0;
  if (op == "Add" || op == "Sum") {
    if (__builtin_add_overflow(a, b, &result)) return {};
    return OnnxNumber::Integer(result);
  }
  if (op == "Sub") {
    if (__builtin_sub_overflow(a, b, &result)) return {};
    return OnnxNumber::Integer(result);
  }
  if (op == "Mul") {
    if (__builtin_mul_overflow(a, b, &result)) return {};
    return OnnxNumber::Integer(result);
  }
  if (op == "Div") return DivideIntegers(a, b);
  if (op == "Mod") return RestOf(a, b, is_fmod);
  if (op == "Pow") return Power(a, b);
  if (op == "Max") return OnnxNumber::Integer(std::max(a, b));
  if (op == "Min") return OnnxNumber::Integer(std::min(a, b));
  if (op == "Equal") return OnnxNumber::Integer(a == b ? 1 : 0);
  if (op == "Less") return OnnxNumber::Integer(a < b ? 1 : 0);
  if (op == "Greater") return OnnxNumber::Integer(a > b ? 1 : 0);
  if (op == "LessOrEqual") return OnnxNumber::Integer(a <= b ? 1 : 0);
  if (op == "GreaterOrEqual") return OnnxNumber::Integer(a >= b ? 1 : 0);
  if (op == "And") return OnnxNumber::Integer(a != 0 && b != 0 ? 1 : 0);
  if (op == "Or") return OnnxNumber::Integer(a != 0 || b != 0 ? 1 : 0);
  if (op == "Xor") return OnnxNumber::Integer((a != 0) != (b != 0) ? 1 : 0);
  return {};
}

OnnxNumber ComputeReals(string_view op, double a, double b, int32_t element) {
  if (op == "Add" || op == "Sum") return Rounded(a + b, element);
  if (op == "Sub") return Rounded(a - b, element);
  if (op == "Mul") return Rounded(a * b, element);
  if (op == "Div") return Rounded(a / b, element);
  if (op == "Mod") return Rounded(std::fmod(a, b), element);
  if (op == "Pow") return Rounded(std::pow(a, b), element);
  if (op == "Max") return Rounded(std::max(a, b), element);
  if (op == "Min") return Rounded(std::min(a, b), element);
  if (op == "Equal") return OnnxNumber::Integer(a == b ? 1 : 0);
  if (op == "Less") return OnnxNumber::Integer(a < b ? 1 : 0);
  if (op == "Greater") return OnnxNumber::Integer(a > b ? 1 : 0);
  if (op == "LessOrEqual") return OnnxNumber::Integer(a <= b ? 1 : 0);
  if (op == "GreaterOrEqual") return OnnxNumber::Integer(a >= b ? 1 : 0);
  return {};
}

OnnxNumber ComputePair(string_view op, const OnnxNumber& a, const OnnxNumber& b,
                       int32_t element, bool is_fmod) {
  if (a.kind == OnnxNumberKind::kUnknown ||
      b.kind == OnnxNumberKind::kUnknown) {
    // A product with 0 is 0 even if the other number is unknown.
    const bool is_zero =
        (a.kind == OnnxNumberKind::kInteger && a.integer == 0) ||
        (b.kind == OnnxNumberKind::kInteger && b.integer == 0);
    const bool is_product = op == "Mul" || op == "And";
    return is_zero && is_product && IsOnnxInteger(element)
               ? OnnxNumber::Integer(0)
               : OnnxNumber();
  }
  if (a.kind == OnnxNumberKind::kInteger &&
      b.kind == OnnxNumberKind::kInteger) {
    const OnnxNumber result =
        ComputeIntegers(op, a.integer, b.integer, is_fmod);
    return result.kind == OnnxNumberKind::kInteger
               ? Narrowed(result.integer, element)
               : OnnxNumber();
  }
  return ComputeReals(op, a.real, b.real, element);
}

// Returns the element of an input at position `at` of the output, after
// broadcasting the input to the shape of the output.
OnnxNumber BroadcastElement(const OnnxCall& call, size_t input, size_t at) {
  const OnnxData* const data = call.Data(input);
  const OnnxDims* const dims = call.Dims(input);
  if (data == nullptr || dims == nullptr) return {};
  const OnnxDims& all = *call.outputs()[0].dims;
  auto rest = static_cast<int64_t>(at);
  int64_t from = 0;
  int64_t stride = 1;
  for (size_t i = 0; i < all.size(); ++i) {
    const size_t d = all.size() - 1 - i;
    const int64_t index = rest % all[d];
    rest /= all[d];
    if (i >= dims->size()) continue;
    const int64_t extent = (*dims)[dims->size() - 1 - i];
    if (extent != 1) from += index * stride;
    stride *= extent;
  }
  return from < static_cast<int64_t>(data->size())
             ? (*data)[static_cast<size_t>(from)]
             : OnnxNumber();
}

bool IsPairOperator(string_view op) {
  constexpr string_view kOperators[] = {
      "Add", "Sub", "Mul", "Div",         "Mod",           "Pow",
      "Max", "Min", "Sum", "Equal",       "Less",          "Greater",
      "And", "Or",  "Xor", "LessOrEqual", "GreaterOrEqual"};
  return std::find(std::begin(kOperators), std::end(kOperators), op) !=
         std::end(kOperators);
}

void ComputePairs(size_t count, OnnxCall* call) {
  const int32_t element = call->outputs()[0].element;
  const bool is_fmod = call->Int("fmod", 0) != 0;
  // Before version 7, these operators have attributes that control
  // broadcasting. The results of such operators remain unknown.
  if (call->opset() < 7 || call->input_count() == 0) return;
  OnnxData data(count);
  for (size_t k = 0; k < count; ++k) {
    data[k] = BroadcastElement(*call, 0, k);
    for (size_t i = 1; i < call->input_count(); ++i) {
      data[k] = ComputePair(call->node().op, data[k],
                            BroadcastElement(*call, i, k), element, is_fmod);
    }
  }
  call->SetData(std::move(data));
}

OnnxNumber ComputeOne(string_view op, const OnnxNumber& x, int32_t element) {
  if (x.kind == OnnxNumberKind::kUnknown) return {};
  if (x.kind == OnnxNumberKind::kInteger) {
    if (x.integer == std::numeric_limits<int64_t>::min()) return {};
    if (op == "Neg") return Narrowed(-x.integer, element);
    if (op == "Abs") return Narrowed(std::abs(x.integer), element);
    if (op == "Sign") {
      return OnnxNumber::Integer(x.integer > 0 ? 1 : x.integer < 0 ? -1 : 0);
    }
    if (op == "Not") return OnnxNumber::Integer(x.integer == 0 ? 1 : 0);
    if (op == "Relu") {
      return OnnxNumber::Integer(std::max<int64_t>(x.integer, 0));
    }
    return {};
  }
  if (op == "Neg") return Rounded(-x.real, element);
  if (op == "Abs") return Rounded(std::fabs(x.real), element);
  if (op == "Floor") return Rounded(std::floor(x.real), element);
  if (op == "Ceil") return Rounded(std::ceil(x.real), element);
  if (op == "Round") return Rounded(std::nearbyint(x.real), element);
  if (op == "Sqrt") return Rounded(std::sqrt(x.real), element);
  if (op == "Reciprocal") return Rounded(1 / x.real, element);
  if (op == "Relu") return Rounded(std::max(x.real, 0.0), element);
  return {};
}

void ComputeEach(OnnxCall* call) {
  const OnnxData* const from = call->Data(0);
  if (from == nullptr) return;
  const string_view op = call->node().op;
  const int32_t element = call->outputs()[0].element;
  const bool is_cast = op == "Cast" || op == "CastLike";
  OnnxData data;
  for (const OnnxNumber& number : *from) {
    data.push_back(is_cast ? CastTo(number, element)
                           : ComputeOne(op, number, element));
  }
  call->SetData(std::move(data));
}

void ComputeWhere(size_t count, OnnxCall* call) {
  OnnxData data(count);
  for (size_t k = 0; k < count; ++k) {
    const OnnxNumber condition = BroadcastElement(*call, 0, k);
    const OnnxNumber yes = BroadcastElement(*call, 1, k);
    const OnnxNumber no = BroadcastElement(*call, 2, k);
    if (condition.kind == OnnxNumberKind::kInteger) {
      data[k] = condition.integer != 0 ? yes : no;
    } else if (yes.kind == OnnxNumberKind::kInteger &&
               no.kind == OnnxNumberKind::kInteger &&
               yes.integer == no.integer) {
      data[k] = yes;
    }
  }
  call->SetData(std::move(data));
}

void ComputeShape(OnnxCall* call) {
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return;
  const auto [begin, end] = OnnxShapeRange(*call, input->size());
  OnnxData data;
  for (size_t i = begin; i < end; ++i) {
    const int64_t extent = (*input)[i];
    data.push_back(extent == kOnnxOpen ? OnnxNumber()
                                       : OnnxNumber::Integer(extent));
  }
  call->SetData(std::move(data));
}

void ComputeSize(OnnxCall* call) {
  const OnnxDims* const input = call->Dims(0);
  const optional<int64_t> count =
      input != nullptr ? OnnxElementCount(*input) : optional<int64_t>();
  if (count) call->SetData({OnnxNumber::Integer(*count)});
}

void ComputeConstant(OnnxCall* call) {
  OnnxData data;
  if (const optional<OnnxTensor> tensor = call->Tensor("value"); tensor) {
    optional<OnnxData> read = ReadOnnxData(*tensor);
    if (read) call->SetData(*std::move(read));
    return;
  }
  if (call->HasAttribute("value_int")) {
    data.push_back(OnnxNumber::Integer(call->Int("value_int", 0)));
  } else if (const optional<float> real = call->Float("value_float"); real) {
    data.push_back(OnnxNumber::Real(static_cast<double>(*real)));
  } else if (const auto integers = call->Ints("value_ints"); integers) {
    for (const int64_t each : *integers) {
      data.push_back(OnnxNumber::Integer(each));
    }
  } else if (const auto reals = call->Floats("value_floats"); reals) {
    for (const float each : *reals) {
      data.push_back(OnnxNumber::Real(static_cast<double>(each)));
    }
  } else {
    return;
  }
  call->SetData(std::move(data));
}

void ComputeConstantOfShape(size_t count, OnnxCall* call) {
  OnnxNumber value = OnnxNumber::Real(0);
  if (const optional<OnnxTensor> tensor = call->Tensor("value"); tensor) {
    const optional<OnnxData> read = ReadOnnxData(*tensor);
    if (!read || read->size() != 1) return;
    value = (*read)[0];
  }
  call->SetData(OnnxData(count, value));
}

void ComputeRange(size_t count, OnnxCall* call) {
  const OnnxData* const first = call->Data(0);
  const OnnxData* const second = call->Data(2);
  if (first == nullptr || second == nullptr || first->size() != 1 ||
      second->size() != 1) {
    return;
  }
  const OnnxNumber& start = (*first)[0];
  const OnnxNumber& step = (*second)[0];
  const int32_t element = call->outputs()[0].element;
  OnnxData data;
  OnnxNumber at = start;
  for (size_t k = 0; k < count; ++k) {
    data.push_back(at);
    at = ComputePair("Add", at, step, element, false);
  }
  call->SetData(std::move(data));
}

// Reduces all elements to one. The results of reductions along some dimensions
// remain unknown, because they are rarely shapes.
void ComputeReduction(string_view pair, OnnxCall* call) {
  const OnnxData* const from = call->Data(0);
  const optional<int64_t> count = OnnxElementCount(*call->outputs()[0].dims);
  if (from == nullptr || from->empty() || *count != 1) return;
  OnnxNumber result = (*from)[0];
  for (size_t i = 1; i < from->size(); ++i) {
    result = ComputePair(pair, result, (*from)[i], call->outputs()[0].element,
                         false);
  }
  call->SetData({result});
}

void ComputeNonZero(OnnxCall* call) {
  // Only the positions of the nonzero elements of a vector are useful for
  // shapes.
  const OnnxData* const from = call->Data(0);
  if (from == nullptr || call->DimsOfRank(0, 1) == nullptr) return;
  OnnxData data;
  for (size_t i = 0; i < from->size(); ++i) {
    if ((*from)[i].integer != 0 || (*from)[i].real != 0) {
      data.push_back(OnnxNumber::Integer(static_cast<int64_t>(i)));
    }
  }
  call->SetData(std::move(data));
}

void ComputeClip(OnnxCall* call) {
  if (call->opset() < 11 || call->Data(0) == nullptr) return;
  const int32_t element = call->outputs()[0].element;
  OnnxData data = *call->Data(0);
  for (OnnxNumber& number : data) {
    for (size_t i = 1; i < 3; ++i) {
      if (!call->HasInput(i)) continue;
      const OnnxData* const limit = call->Data(i);
      const bool is_known = limit != nullptr && limit->size() == 1;
      number =
          ComputePair(i == 1 ? "Max" : "Min", number,
                      is_known ? (*limit)[0] : OnnxNumber(), element, false);
    }
  }
  call->SetData(std::move(data));
}

bool ComputeSpecial(string_view op, size_t count, OnnxCall* call) {
  if (op == "Constant") return ComputeConstant(call), true;
  if (op == "ConstantOfShape") return ComputeConstantOfShape(count, call), true;
  if (op == "Where") return ComputeWhere(count, call), true;
  if (op == "Range") return ComputeRange(count, call), true;
  if (op == "NonZero") return ComputeNonZero(call), true;
  if (op == "Clip") return ComputeClip(call), true;
  if (op == "ReduceProd") return ComputeReduction("Mul", call), true;
  if (op == "ReduceSum") return ComputeReduction("Sum", call), true;
  if (op == "ReduceMax") return ComputeReduction("Max", call), true;
  if (op == "ReduceMin") return ComputeReduction("Min", call), true;
  return false;
}

bool IsEachOperator(string_view op) {
  constexpr string_view kOperators[] = {
      "Cast", "CastLike", "Neg",  "Abs",   "Sign",       "Not",
      "Relu", "Floor",    "Ceil", "Round", "Reciprocal", "Sqrt"};
  return std::find(std::begin(kOperators), std::end(kOperators), op) !=
         std::end(kOperators);
}

}  // namespace

size_t ComputeOnnxData(OnnxCall* call) {
  if (!call->HasOutput(0) || !call->node().domain.empty()) return 0;
  const OnnxType& output = call->outputs()[0];
  if (!output.dims || !HasOnnxData(output.element, *output.dims)) return 0;
  const auto count = static_cast<size_t>(*OnnxElementCount(*output.dims));
  const string_view op = call->node().op;
  if (op == "Shape") return ComputeShape(call), count;
  if (op == "Size") return ComputeSize(call), count;
  for (size_t i = 0; i < call->input_count(); ++i) {
    // If the contents of an input are unknown, only Concat has a useful result.
    if (op != "Concat" && call->HasInput(i) && call->Data(i) == nullptr) {
      return 0;
    }
  }
  // Each element of the output needs a lookup in each input.
  const size_t work = (count + 1) * (call->input_count() + 1);
  if (work > kMaxNodeWork) return 0;
  if (count == 0) {
    call->SetData({});
  } else if (IsPairOperator(op)) {
    ComputePairs(count, call);
  } else if (IsEachOperator(op)) {
    ComputeEach(call);
  } else if (!ComputeSpecial(op, count, call)) {
    MoveOnnxData(call);
  }
  return work;
}

}  // namespace stowage::recordings
