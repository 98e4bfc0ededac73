// SPDX-License-Identifier: Apache-2.0
#include "stowage/strategy.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "absl/types/variant.h"

namespace stowage {

absl::string_view StrategyName(MemoryStrategy strategy) {
  switch (strategy) {
    case MemoryStrategy::NAIVE:
      return "naive";
    case MemoryStrategy::EQUALITY:
      return "equality";
    case MemoryStrategy::GREEDY_IN_ORDER:
      return "greedy_in_order";
    case MemoryStrategy::GREEDY_BY_BREADTH:
      return "greedy_by_breadth";
    case MemoryStrategy::GREEDY_BY_SIZE:
      return "greedy_by_size";
    case MemoryStrategy::GREEDY_BEST:
      return "greedy_best";
    case MemoryStrategy::MINCOSTFLOW:
      return "mincostflow";
  }
  return "unknown";
}

bool Observer::OnProgress(const SearchProgress& /*progress*/) { return true; }

bool Observer::KeepGoing() { return true; }

absl::StatusOr<ExtentObjects> Strategy::AssignExtents(
    const ExtentRecords& records) const {
  const bool is_shape =
      absl::holds_alternative<absl::Span<const TensorUsageRecord<BHWC>>>(
          records);
  return absl::UnimplementedError(
      absl::StrCat("strategy '", info().name, "' does not support ",
                   is_shape ? "shapes" : "extents"));
}

absl::Status Strategy::WriteSearchLog(const Problem& /*problem*/,
                                      const SearchProof& /*proof*/,
                                      const WriteText& /*write*/) const {
  return absl::UnimplementedError(
      absl::StrCat("strategy '", info().name, "' writes no log of a search"));
}

}  // namespace stowage
