// SPDX-License-Identifier: Apache-2.0
// Searches for shared objects with the least sum of sizes. Offsets, which leave
// more freedom, are for OffsetsSearch (offsets_search.h).
//
// Records come by decreasing size, so an object is as large as the first record
// that takes it, and only opening one costs anything. What is open has been
// paid; the k-th object opened is at least as large as the k-th positional
// maximum, which bounds what is to come.
//
// Source: own; the bound is that of Pisarchyk and Lee 2020, section 4.1.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "optimal/search_report.h"
#include "optimal/search_tuning.h"
#include "src/core/interval_ranks.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

class ObjectsSearch {
 public:
  // The problem, the options and the signal must outlive the object.
  ObjectsSearch(const Problem& problem, const SolveOptions& options,
                const StopSignal& stop,
                const ObjectsTuning& tuning = ObjectsTuning());

  // Begins with the best of the greedy strategies and, where it is quick
  // enough, of mincostflow, and searches up to the tuning's records. Error:
  // those of these strategies.
  absl::StatusOr<ObjectsAssignment<size_t>> Run();

  // After Run.
  const SearchReport& report() const { return report_; }

 private:
  struct Object {
    size_t size;
    std::map<uint32_t, uint32_t> uses;  // steps [begin, end)
  };

  struct Choice {
    uint32_t idle;  // steps between its uses before and after
    uint32_t object;
  };

  absl::Status Begin();
  absl::Status Offer(absl::StatusOr<ObjectsAssignment<size_t>> plan);
  absl::Status OfferFlow();
  // Assigns the records from the depth-th on in all ways that could be better.
  // False if the limits end the search.
  bool Search(size_t depth);
  bool Assign(size_t depth, size_t object);
  std::vector<Choice> FreeObjects(StepInterval interval) const;
  bool IsDecided() const;
  size_t LeastTotal(size_t opened) const { return paid_ + to_come_[opened]; }

  const Problem& problem_;
  absl::Span<const ByteRecord> records_;
  const SolveOptions& options_;
  const StopSignal& stop_;
  const ObjectsTuning tuning_;
  std::vector<uint32_t> order_;
  std::vector<size_t> to_come_;  // least cost after so many are open
  ObjectsAssignment<size_t> best_;
  size_t best_total_ = 0;
  size_t limit_ = 0;  // only totals below it are of interest

  std::vector<Object> objects_;
  std::vector<size_t> ids_;
  size_t paid_ = 0;
  uint64_t nodes_left_ = 0;
  SearchReport report_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_SEARCH_H_
