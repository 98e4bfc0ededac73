// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/compare_dumps.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/base/text.h"
#include "stowage/harness/dump.h"

namespace stowage::harness {
namespace {

using Verdict = TensorDifference::Verdict;

template <typename T>
double Distance(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) {
      return std::isnan(a) && std::isnan(b)
                 ? 0
                 : std::numeric_limits<double>::infinity();
    }
    return a == b ? 0 : std::abs(double{a} - double{b});
  } else {
    // The distance is exact up to 2^53 and rounded above. It is never 0 for
    // numbers that differ.
    using Unsigned = std::make_unsigned_t<T>;
    const auto distance = static_cast<Unsigned>(
        a > b ? static_cast<Unsigned>(a) - static_cast<Unsigned>(b)
              : static_cast<Unsigned>(b) - static_cast<Unsigned>(a));
    return static_cast<double>(distance);
  }
}

// Compares the elements of two tensors. Returns false if the size in bytes is
// not a multiple of the size of an element.
template <typename T>
bool CompareElements(const std::string& a, const std::string& b,
                     TensorDifference* result) {
  if (a.size() % sizeof(T) != 0) return false;
  result->elements = a.size() / sizeof(T);
  for (size_t i = 0; i < result->elements; ++i) {
    const char* const from_a = a.data() + i * sizeof(T);
    const char* const from_b = b.data() + i * sizeof(T);
    if (std::memcmp(from_a, from_b, sizeof(T)) == 0) continue;
    T x;
    T y;
    std::memcpy(&x, from_a, sizeof(T));
    std::memcpy(&y, from_b, sizeof(T));
    ++result->different_elements;
    const double distance = Distance(x, y);
    if (distance > result->largest) {
      result->largest = distance;
      result->element = i;
    }
  }
  return true;
}

// Compares two tensors of type `dtype`. Returns false if no distance is defined
// for elements of this type.
bool CompareBytes(const std::string& dtype, const std::string& a,
                  const std::string& b, TensorDifference* result) {
  if (dtype == "float32") return CompareElements<float>(a, b, result);
  if (dtype == "float64") return CompareElements<double>(a, b, result);
  if (dtype == "int8") return CompareElements<int8_t>(a, b, result);
  if (dtype == "uint8" || dtype == "bool") {
    return CompareElements<uint8_t>(a, b, result);
  }
  if (dtype == "int16") return CompareElements<int16_t>(a, b, result);
  if (dtype == "int32") return CompareElements<int32_t>(a, b, result);
  if (dtype == "int64") return CompareElements<int64_t>(a, b, result);
  return false;
}

void Compare(const DumpedTensor& a, const DumpedTensor& b, double tolerance,
             TensorDifference* result) {
  if (a.dtype != b.dtype || a.shape != b.shape) {
    result->verdict = Verdict::kBeyond;
    result->reason = a.dtype != b.dtype ? "another type" : "another shape";
    return;
  }
  if (a.sha256 == b.sha256) return;
  if (!a.has_bytes || !b.has_bytes) {
    result->verdict = Verdict::kUnknown;
    return;
  }
  if (a.bytes.size() != b.bytes.size() ||
      !CompareBytes(a.dtype, a.bytes, b.bytes, result)) {
    result->verdict = Verdict::kBeyond;
    result->reason = "other bytes";
    return;
  }
  result->verdict =
      result->largest <= tolerance ? Verdict::kWithin : Verdict::kBeyond;
}

using Key = std::tuple<std::string, size_t, size_t>;

Key KeyOf(const DumpedTensor& tensor) {
  return {tensor.role, tensor.invocation, tensor.tensor};
}

TensorDifference DifferenceOf(const DumpedTensor& tensor, Verdict verdict) {
  TensorDifference difference;
  difference.role = tensor.role;
  difference.invocation = tensor.invocation;
  difference.tensor = tensor.tensor;
  difference.name = tensor.name;
  difference.dtype = tensor.dtype;
  difference.verdict = verdict;
  return difference;
}

}  // namespace

bool TensorDifference::is_mismatch() const {
  const bool is_io = role == "input" || role == "output";
  return verdict == Verdict::kBeyond ||
         (is_io &&
          (verdict == Verdict::kUnknown || verdict == Verdict::kOnlyFirst ||
           verdict == Verdict::kOnlySecond));
}

absl::string_view VerdictName(TensorDifference::Verdict verdict) {
  switch (verdict) {
    case Verdict::kEqual:
      return "equal";
    case Verdict::kWithin:
      return "within";
    case Verdict::kBeyond:
      return "beyond";
    case Verdict::kUnknown:
      return "unknown";
    case Verdict::kOnlyFirst:
      return "missing";
    case Verdict::kOnlySecond:
      return "added";
  }
  return "";
}

std::string Describe(const TensorDifference& difference) {
  std::string text = absl::StrCat(difference.role, " ", difference.tensor, " ",
                                  Quoted(difference.name), " of invocation ",
                                  difference.invocation, ": ");
  switch (difference.verdict) {
    case Verdict::kEqual:
      return text + "equal bit for bit";
    case Verdict::kUnknown:
      return text + "another hash, and one dump has no bytes";
    case Verdict::kOnlyFirst:
      return text + "not in the second dump";
    case Verdict::kOnlySecond:
      return text + "not in the first dump";
    case Verdict::kWithin:
    case Verdict::kBeyond:
      break;
  }
  if (!difference.reason.empty()) return text + difference.reason;
  return absl::StrCat(text, "differs by up to ",
                      absl::StrFormat("%.6g", difference.largest),
                      ", at element ", difference.element);
}

std::vector<TensorDifference> CompareDumps(
    absl::Span<const DumpedTensor> first, absl::Span<const DumpedTensor> second,
    double tolerance) {
  // The tensors of the second dump that have not been compared yet.
  std::map<Key, const DumpedTensor*> rest;
  for (const DumpedTensor& tensor : second) rest[KeyOf(tensor)] = &tensor;
  std::vector<TensorDifference> result;
  for (const DumpedTensor& tensor : first) {
    const auto found = rest.find(KeyOf(tensor));
    if (found == rest.end()) {
      result.push_back(DifferenceOf(tensor, Verdict::kOnlyFirst));
      continue;
    }
    result.push_back(DifferenceOf(tensor, Verdict::kEqual));
    Compare(tensor, *found->second, tolerance, &result.back());
    rest.erase(found);
  }
  for (const DumpedTensor& tensor : second) {
    if (rest.count(KeyOf(tensor)) == 0) continue;
    result.push_back(DifferenceOf(tensor, Verdict::kOnlySecond));
  }
  return result;
}

}  // namespace stowage::harness
