// SPDX-License-Identifier: Apache-2.0
#include "stowage/strategy.h"

#include <variant>

#include "src/base/str_cat.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage {

string_view StrategyName(MemoryStrategy strategy) {
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

StatusOr<ExtentObjects> Strategy::AssignExtents(
    const ExtentRecords& records) const {
  const bool is_shape =
      std::holds_alternative<Span<const TensorUsageRecord<BHWC>>>(records);
  return UnimplementedError(StrCat("strategy '", info().name,
                                   "' does not support ",
                                   is_shape ? "shapes" : "extents"));
}

Status Strategy::WriteSearchLog(const Problem& /*problem*/,
                                const SearchProof& /*proof*/,
                                const WriteText& /*write*/) const {
  return UnimplementedError(
      StrCat("strategy '", info().name, "' writes no log of a search"));
}

}  // namespace stowage
