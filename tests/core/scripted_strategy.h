// A strategy that does what a test tells it to.
#ifndef STOWAGE_TESTS_CORE_SCRIPTED_STRATEGY_H_
#define STOWAGE_TESTS_CORE_SCRIPTED_STRATEGY_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stowage/strategy.h"

namespace stowage {

class ScriptedStrategy final : public Strategy {
 public:
  template <typename Plan>
  using Script = std::function<absl::StatusOr<Plan>(
      absl::Span<const TensorUsageRecord<size_t>>, const StrategyOptions&)>;

  ScriptedStrategy(std::string name, StrategyFeatures features,
                   Script<OffsetsAssignment> offsets,
                   Script<ObjectsAssignment<size_t>> objects = nullptr)
      : info_{std::move(name), "for a test", "O(1)", "own", features},
        offsets_(std::move(offsets)),
        objects_(std::move(objects)) {}

  const StrategyInfo& info() const override { return info_; }

  using Strategy::PlanObjects;
  absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(
      absl::Span<const TensorUsageRecord<size_t>> records,
      const StrategyOptions& options) const override {
    return objects_ ? objects_(records, options)
                    : Strategy::PlanObjects(records, options);
  }
  absl::StatusOr<OffsetsAssignment> PlanOffsets(
      absl::Span<const TensorUsageRecord<size_t>> records,
      const StrategyOptions& options) const override {
    return offsets_ ? offsets_(records, options)
                    : Strategy::PlanOffsets(records, options);
  }

 private:
  StrategyInfo info_;
  Script<OffsetsAssignment> offsets_;
  Script<ObjectsAssignment<size_t>> objects_;
};

inline StrategyFeatures OffsetsOnly() {
  StrategyFeatures features;
  features.offsets = true;
  return features;
}

inline StrategyFeatures ObjectsOnly() {
  StrategyFeatures features;
  features.objects = true;
  return features;
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_CORE_SCRIPTED_STRATEGY_H_
