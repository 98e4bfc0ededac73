#include "naive/naive.h"

#include <memory>
#include <numeric>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace stowage::naive {
namespace {

template <typename TensorSizeT>
ObjectsAssignment<TensorSizeT> OneObjectEach(
    absl::Span<const TensorUsageRecord<TensorSizeT>> records) {
  ObjectsAssignment<TensorSizeT> assignment;
  assignment.object_ids.resize(records.size());
  std::iota(assignment.object_ids.begin(), assignment.object_ids.end(),
            size_t{0});
  assignment.object_sizes.reserve(records.size());
  for (const auto& record : records) {
    assignment.object_sizes.push_back(record.tensor_size);
  }
  return assignment;
}

class Naive final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = new StrategyInfo{
        "naive",
        "every tensor its own memory",
        "O(n)",
        "the baseline of Pisarchyk and Lee 2020",
        {/*objects=*/true, /*offsets=*/true, /*extents=*/true, /*bhwc=*/true,
         /*reallocation_graph=*/false, /*fixed_offsets=*/false,
         /*order_independent=*/false}};
    return *info;
  }

  absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(
      absl::Span<const TensorUsageRecord<size_t>> records,
      const StrategyOptions& /*options*/) const override {
    return OneObjectEach(records);
  }
  absl::StatusOr<ObjectsAssignment<uint2>> PlanObjects(
      absl::Span<const TensorUsageRecord<uint2>> records,
      const StrategyOptions& /*options*/) const override {
    return OneObjectEach(records);
  }
  absl::StatusOr<ObjectsAssignment<uint3>> PlanObjects(
      absl::Span<const TensorUsageRecord<uint3>> records,
      const StrategyOptions& /*options*/) const override {
    return OneObjectEach(records);
  }
  absl::StatusOr<ObjectsAssignment<BHWC>> PlanObjects(
      absl::Span<const TensorUsageRecord<BHWC>> records,
      const StrategyOptions& /*options*/) const override {
    return OneObjectEach(records);
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() { return std::make_unique<Naive>(); }

}  // namespace stowage::naive
