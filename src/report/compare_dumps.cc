#include "src/report/compare_dumps.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"
#include "src/report/dump.h"

namespace stowage::report {
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
    // Exact up to 2^53, and never 0 for numbers that are not equal.
    using Unsigned = std::make_unsigned_t<T>;
    const auto distance = static_cast<Unsigned>(
        a > b ? static_cast<Unsigned>(a) - static_cast<Unsigned>(b)
              : static_cast<Unsigned>(b) - static_cast<Unsigned>(a));
    return static_cast<double>(distance);
  }
}

template <typename T>
void CompareElements(const std::string& a, const std::string& b,
                     TensorDifference* result) {
  result->elements = a.size() / sizeof(T);
  for (size_t i = 0; i < result->elements; ++i) {
    T x;
    T y;
    std::memcpy(&x, a.data() + i * sizeof(T), sizeof(T));
    std::memcpy(&y, b.data() + i * sizeof(T), sizeof(T));
    if (std::memcmp(&x, &y, sizeof(T)) == 0) continue;
    ++result->different_elements;
    const double distance = Distance(x, y);
    if (distance > result->largest) {
      result->largest = distance;
      result->element = i;
    }
  }
}

size_t BytesOf(const std::string& dtype) {
  if (dtype == "float64" || dtype == "int64") return 8;
  if (dtype == "float32" || dtype == "int32") return 4;
  return dtype == "int16" ? 2 : 1;
}

// False for a type whose elements have no distance.
bool CompareBytes(const std::string& dtype, const std::string& a,
                  const std::string& b, TensorDifference* result) {
  if (dtype == "float32") {
    CompareElements<float>(a, b, result);
  } else if (dtype == "float64") {
    CompareElements<double>(a, b, result);
  } else if (dtype == "int8") {
    CompareElements<int8_t>(a, b, result);
  } else if (dtype == "uint8" || dtype == "bool") {
    CompareElements<uint8_t>(a, b, result);
  } else if (dtype == "int16") {
    CompareElements<int16_t>(a, b, result);
  } else if (dtype == "int32") {
    CompareElements<int32_t>(a, b, result);
  } else if (dtype == "int64") {
    CompareElements<int64_t>(a, b, result);
  } else {
    return false;
  }
  return true;
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
      a.bytes.size() % BytesOf(a.dtype) != 0 ||
      !CompareBytes(a.dtype, a.bytes, b.bytes, result)) {
    result->verdict = Verdict::kBeyond;
    result->reason = "other bytes";
    return;
  }
  result->verdict =
      result->largest <= tolerance ? Verdict::kWithin : Verdict::kBeyond;
}

}  // namespace

std::vector<TensorDifference> CompareDumps(
    absl::Span<const DumpedTensor> first, absl::Span<const DumpedTensor> second,
    double tolerance) {
  std::map<std::tuple<std::string, size_t, size_t>, const DumpedTensor*> index;
  std::set<const DumpedTensor*> found_in_first;
  for (const DumpedTensor& tensor : second) {
    index[{tensor.role, tensor.invocation, tensor.tensor}] = &tensor;
  }
  std::vector<TensorDifference> result;
  for (const DumpedTensor& tensor : first) {
    TensorDifference& difference = result.emplace_back();
    difference.role = tensor.role;
    difference.invocation = tensor.invocation;
    difference.tensor = tensor.tensor;
    difference.name = tensor.name;
    difference.dtype = tensor.dtype;
    const auto found =
        index.find({tensor.role, tensor.invocation, tensor.tensor});
    if (found == index.end()) {
      difference.verdict = Verdict::kOnlyFirst;
    } else {
      Compare(tensor, *found->second, tolerance, &difference);
      found_in_first.insert(found->second);
    }
  }
  for (const DumpedTensor& tensor : second) {
    if (found_in_first.count(&tensor) > 0) continue;
    TensorDifference& difference = result.emplace_back();
    difference.role = tensor.role;
    difference.invocation = tensor.invocation;
    difference.tensor = tensor.tensor;
    difference.name = tensor.name;
    difference.dtype = tensor.dtype;
    difference.verdict = Verdict::kOnlySecond;
  }
  return result;
}

}  // namespace stowage::report
