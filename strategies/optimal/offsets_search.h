// The anytime search for offsets: bound, construct, search, repair.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OFFSETS_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OFFSETS_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "optimal/packing.h"
#include "optimal/portfolio.h"
#include "src/core/interval_ranks.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

// When a search has to end, counted from now.
StopSignal SignalOf(const SearchOptions& options);

class OffsetsSearch {
 public:
  // The records and what the options point to must outlive the object.
  OffsetsSearch(absl::Span<const ByteRecord> records,
                const StrategyOptions& options);

  // Searches once. O(n) memory, and that of the searches: O(n^2) for packings
  // of at most kMaxExact items.
  OffsetsAssignment Run();

  // After Run.
  const SearchReport& report() const { return report_; }

 private:
  // A packing of its own, and what is known about it.
  struct Component {
    Packing packing;
    Level lower = 0;
    Level upper = 0;
    std::vector<Level> levels;  // a packing that ends at upper
    std::unique_ptr<Portfolio> portfolio;
    uint64_t repairs = 0;
  };

  static constexpr size_t kMaxExact = 2048;

  bool IsDone() const;
  size_t Goal() const;
  void ConstructPlans();
  void MakeComponents();
  Component* Worst();
  bool Improve(Component* component);
  bool SearchExactly(Component* component);
  bool RepairWindows(Component* component);
  void Accept(Component* component, const std::vector<Level>& levels);
  void RaiseBound(const Component& component);
  void Explain();
  void Report();
  uint64_t NodesLeft() const;

  absl::Span<const ByteRecord> records_;
  const StrategyOptions& options_;
  StopSignal stop_;
  Limits limits_;
  IntervalRanks ranks_;
  OffsetsAssignment best_;
  size_t unit_ = 1;
  std::vector<Component> components_;
  SearchReport report_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OFFSETS_SEARCH_H_
