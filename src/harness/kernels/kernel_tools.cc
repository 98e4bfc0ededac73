// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/kernel_tools.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/error_payload.h"
#include "stowage/harness/dispatch_type.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

std::string Place(absl::string_view what, size_t i, const Tensor& tensor) {
  return absl::StrCat(what, " ", i, " (\"", absl::CHexEscape(tensor.name),
                      "\")");
}

absl::Status CheckType(const std::string& place, const Tensor& tensor,
                       absl::Span<const ElementType> expected) {
  if (absl::c_linear_search(expected, tensor.type)) return absl::OkStatus();
  return RefuseType(place, tensor.type, expected);
}

// Returns whether a type can have this zero point. Types that are not quantized
// can have any zero point.
bool IsZeroPointOf(ElementType type, int32_t zero_point) {
  bool is_one = true;
  DispatchType(QuantizedTypes(), type, [&](auto zero) {
    using Limits = std::numeric_limits<decltype(zero)>;
    is_one = zero_point >= Limits::min() && zero_point <= Limits::max();
  }).IgnoreError();
  return is_one;
}

absl::Status CheckQuantized(const std::string& place, const Tensor& tensor) {
  const Quantization& q = tensor.quantization;
  if (q.scales.size() != 1) {
    return RefuseModel(place, ": it has ", q.scales.size(),
                       " scales; expected 1");
  }
  if (!std::isfinite(q.scale()) || q.scale() <= 0) {
    return RefuseModel(place, ": its scale is ", q.scale(),
                       "; expected above 0");
  }
  if (!IsZeroPointOf(tensor.type, q.zero_point())) {
    return RefuseModel(place, ": its zero point is ", q.zero_point(),
                       "; expected a value of ", ElementTypeName(tensor.type));
  }
  return absl::OkStatus();
}

absl::Status AboutInput(const OperatorContext& context, size_t i,
                        absl::Status status) {
  if (status.ok()) return status;
  return WithTensor(std::move(status), context.spec().inputs[i]);
}

absl::Status AboutOutput(const OperatorContext& context, size_t i,
                         absl::Status status) {
  if (status.ok()) return status;
  return WithTensor(std::move(status), context.spec().outputs[i]);
}

}  // namespace

std::string InputPlace(const OperatorContext& context, size_t i) {
  return Place("input", i, context.input(i));
}

std::string OutputPlace(OperatorContext& context, size_t i) {
  return Place("output", i, context.output(i));
}

absl::Status RefuseType(absl::string_view place, ElementType type,
                        absl::Span<const ElementType> expected) {
  return RefuseModel(
      place, place.empty() ? "" : ": ", "its type is ", ElementTypeName(type),
      "; expected ",
      absl::StrJoin(expected, " or ", [](std::string* out, ElementType one) {
        absl::StrAppend(out, ElementTypeName(one));
      }));
}

absl::Status CheckCounts(const OperatorContext& context, size_t min_inputs,
                         size_t max_inputs, size_t outputs) {
  if (context.input_count() < min_inputs ||
      context.input_count() > max_inputs) {
    return RefuseModel(
        "it has ", context.input_count(), " inputs; expected ", min_inputs,
        min_inputs == max_inputs ? "" : absl::StrCat(" to ", max_inputs));
  }
  for (size_t i = 0; i < min_inputs; ++i) {
    if (context.has_input(i)) continue;
    return RefuseModel("input ", i, " is left out; expected a tensor");
  }
  if (context.output_count() != outputs) {
    return RefuseModel("it has ", context.output_count(), " outputs; expected ",
                       outputs);
  }
  for (size_t i = 0; i < outputs; ++i) {
    if (context.has_output(i)) continue;
    return RefuseModel("output ", i, " is left out; expected a tensor");
  }
  return absl::OkStatus();
}

absl::Status CheckInputType(const OperatorContext& context, size_t i,
                            absl::Span<const ElementType> expected) {
  return AboutInput(
      context, i,
      CheckType(InputPlace(context, i), context.input(i), expected));
}

absl::Status CheckOutputType(OperatorContext& context, size_t i,
                             absl::Span<const ElementType> expected) {
  return AboutOutput(
      context, i,
      CheckType(OutputPlace(context, i), context.output(i), expected));
}

absl::Status CheckOneType(OperatorContext& context, size_t inputs,
                          absl::Span<const ElementType> expected) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, inputs, inputs, 1));
  STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, expected));
  const ElementType type = context.input(0).type;
  for (size_t i = 1; i < inputs; ++i) {
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, i, {type}));
  }
  return CheckOutputType(context, 0, {type});
}

absl::Status CheckInputRank(const OperatorContext& context, size_t i,
                            int min_rank, int max_rank) {
  const int rank = context.input(i).rank();
  if (rank >= min_rank && rank <= max_rank) return absl::OkStatus();
  return AboutInput(
      context, i,
      RefuseModel(InputPlace(context, i), ": its shape is ",
                  ShapeText(context.input(i).shape), "; expected ", min_rank,
                  min_rank == max_rank ? "" : absl::StrCat(" to ", max_rank),
                  " dimensions"));
}

absl::Status CheckInputQuantized(const OperatorContext& context, size_t i) {
  return AboutInput(context, i,
                    CheckQuantized(InputPlace(context, i), context.input(i)));
}

absl::Status CheckOutputQuantized(OperatorContext& context, size_t i) {
  return AboutOutput(
      context, i, CheckQuantized(OutputPlace(context, i), context.output(i)));
}

absl::Status CheckAllQuantized(OperatorContext& context) {
  for (size_t i = 0; i < context.input_count(); ++i) {
    STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, i));
  }
  for (size_t i = 0; i < context.output_count(); ++i) {
    STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, i));
  }
  return absl::OkStatus();
}

void SetOutputType(OperatorContext& context, size_t i, ElementType type) {
  Tensor& output = context.output(i);
  if (ElementBits(output.type) > 0 && !output.is_variable) output.type = type;
}

absl::StatusOr<std::vector<int64_t>> IntegersOf(const OperatorContext& context,
                                                size_t i) {
  STOWAGE_RETURN_IF_ERROR(CheckInputType(context, i, IndexTypes()));
  const Tensor& input = context.input(i);
  std::vector<int64_t> values;
  STOWAGE_RETURN_IF_ERROR(
      DispatchType(IndexTypes(), input.type, [&](auto zero) {
        const auto elements = input.span<decltype(zero)>();
        values.assign(elements.begin(), elements.end());
      }));
  return values;
}

}  // namespace stowage::harness
