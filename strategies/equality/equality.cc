// SPDX-License-Identifier: Apache-2.0
#include "equality/equality.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <queue>
#include <variant>
#include <vector>

#include "src/base/containers.h"
#include "src/construct/release_queue.h"
#include "src/model/execution_order.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"

namespace stowage::equality {
namespace {

// The free objects of one size. Pop returns the object that was released last.
// Used for sizes in bytes and for BHWC shapes.
class NewestFirst {
 public:
  bool empty() const { return ids_.empty(); }
  void Push(size_t id) { ids_.push_back(id); }
  size_t Pop() {
    const size_t id = ids_.back();
    ids_.pop_back();
    return id;
  }

 private:
  std::vector<size_t> ids_;
};

// The free objects of one size. Pop returns the object with the lowest id. Used
// for 2-D and 3-D extents.
class LowestFirst {
 public:
  bool empty() const { return ids_.empty(); }
  void Push(size_t id) { ids_.push(id); }
  size_t Pop() {
    const size_t id = ids_.top();
    ids_.pop();
    return id;
  }

 private:
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ids_;
};

// Assigns records to shared objects by the rule of the strategy. Returns
// nullopt if the signal is set before all records have an object.
template <typename FreeList, typename TensorSizeT>
optional<ObjectsAssignment<TensorSizeT>> AssignUntil(
    const StopSignal& stop,
    Span<const TensorUsageRecord<TensorSizeT>> records) {
  constexpr size_t kRecordsPerPoll = 256;
  ObjectsAssignment<TensorSizeT> assignment;
  assignment.object_ids.resize(records.size());
  flat_hash_map<TensorSizeT, size_t> class_of_size;
  std::vector<FreeList> free_in_class;
  std::vector<size_t> class_of_object;
  ReleaseQueue in_use;
  const auto order = ExecutionOrderUntil(stop, records);
  if (!order) return nullopt;
  size_t placed = 0;
  for (const size_t i : *order) {
    if (placed++ % kRecordsPerPoll == 0 && stop.IsSet()) return nullopt;
    in_use.ReleaseBefore(records[i].first_task, [&](size_t id) {
      free_in_class[class_of_object[id]].Push(id);
    });
    const auto [entry, is_new_size] =
        class_of_size.try_emplace(records[i].tensor_size, free_in_class.size());
    if (is_new_size) free_in_class.emplace_back();
    FreeList& free = free_in_class[entry->second];
    size_t id = assignment.object_sizes.size();
    if (free.empty()) {
      assignment.object_sizes.push_back(records[i].tensor_size);
      class_of_object.push_back(entry->second);
    } else {
      id = free.Pop();
    }
    assignment.object_ids[i] = id;
    in_use.Add(records[i].last_task, id);
  }
  return assignment;
}

template <typename FreeList, typename TensorSizeT>
ObjectsAssignment<TensorSizeT> Assign(
    Span<const TensorUsageRecord<TensorSizeT>> records) {
  // `never` is static because GCC would warn about use of an uninitialized
  // local object once AssignUntil is inlined.
  static const StopSignal never;
  return *AssignUntil<FreeList>(never, records);
}

class Equality final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = [] {
      auto* const strategy = new StrategyInfo;
      strategy->name = "equality";
      strategy->summary = "reuse among tensors of exactly equal size";
      strategy->complexity = "O(n log n)";
      strategy->source = "TensorFlow Lite GPU delegate";
      strategy->features = {Feature::kOffsets, Feature::kObjects};
      strategy->is_order_independent = true;
      return strategy;
    }();
    return *info;
  }

  StatusOr<Solution> Solve(const Problem& problem,
                           const SolveOptions& /*options*/) const override {
    return SolutionOfObjects(problem, Assign<NewestFirst>(problem.records()));
  }

  StatusOr<ExtentObjects> AssignExtents(
      const ExtentRecords& records) const override {
    using Shapes = Span<const TensorUsageRecord<BHWC>>;
    if (const auto* shapes = std::get_if<Shapes>(&records)) {
      return ExtentObjects(Assign<NewestFirst>(*shapes));
    }
    return std::visit(
        [](const auto& given) {
          return ExtentObjects(Assign<LowestFirst>(given));
        },
        records);
  }
};

}  // namespace

optional<ObjectsAssignment<size_t>> AssignObjectsUntil(const StopSignal& stop,
                                                       const Problem& problem) {
  return AssignUntil<NewestFirst>(stop, problem.records());
}

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<Equality>();
}

}  // namespace stowage::equality
