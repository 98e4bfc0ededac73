// SPDX-License-Identifier: Apache-2.0
#include "src/construct/best_fit.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/chunk_pool.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/free_space.h"
#include "src/construct/gap_search.h"
#include "src/construct/local_order.h"
#include "src/construct/place_fixed.h"
#include "src/construct/placed_records.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

using AlignedGapSearch = GapSearch<KeptGap::kAligned>;

// Stores the records placed so far, and places further records.
class BestFit {
 public:
  // `plan` may already have offsets of all records, but an offset affects other
  // records only once its record has been marked as placed.
  BestFit(const Problem& problem, OffsetsAssignment plan)
      : problem_(problem),
        records_(problem.records()),
        intervals_(RanksOf(problem).intervals),
        space_(intervals_),
        plan_(std::move(plan)),
        is_placed_(problem.size(), false) {}

  // Prefetches the data of a record. Call this function some records ahead of
  // Place, since the data are scattered in memory.
  void PrefetchRecord(uint32_t i) const {
    Prefetch(&records_[i]);
    Prefetch(&intervals_[i]);
    Prefetch(&plan_.offsets[i]);
  }

  // These two functions prefetch further data that Place needs. Call both after
  // PrefetchRecord: the first one some records ahead of Place, the second one
  // right before Place.
  void PrefetchEntries(uint32_t i) const {
    space_.PrefetchEntries(intervals_[i]);
  }
  void PrefetchChunks(uint32_t i) const {
    space_.PrefetchChunks(intervals_[i]);
  }

  bool IsPlaced(uint32_t i) const { return is_placed_[i]; }

  void MarkAsPlaced(uint32_t i) {
    const size_t offset = plan_.offsets[i];
    const size_t size = records_[i].tensor_size;
    placed_.push_back(i);
    is_placed_[i] = true;
    if (places_) {
      places_->Add(i, offset, offset + size);
    } else if (size > 0) {
      space_.Occupy(intervals_[i], {offset, offset + size});
    }
  }

  // Places a record and returns its end.
  size_t Place(uint32_t i) {
    const size_t size = records_[i].tensor_size;
    const size_t alignment = problem_.alignments().Of(i);
    AlignedGapSearch search(size, alignment);
    if (size == 0 && !places_) WalkPlacesFromNowOn();
    const size_t top = places_ ? WalkPlaces(i, &search) : VisitFree(i, &search);
    plan_.offsets[i] = search.best().value_or(AlignUp(top, alignment));
    const size_t end = plan_.offsets[i] + size;
    plan_.total_size = std::max(plan_.total_size, end);
    MarkAsPlaced(i);
    return end;
  }

  uint64_t passed() const { return space_.passed() + passed_places_; }
  const OffsetsAssignment& plan() const { return plan_; }
  OffsetsAssignment TakePlan() { return std::move(plan_); }

 private:
  // Makes Place visit the placed records instead of the free stretches from now
  // on. This is needed once there are records of 0 bytes: such records also
  // divide gaps, but the free stretches do not represent this.
  void WalkPlacesFromNowOn() {
    places_.emplace(intervals_);
    for (const uint32_t i : placed_) {
      const size_t size = records_[i].tensor_size;
      // A fixed record of 0 bytes does not divide a gap.
      if (size == 0 && problem_.fixed_offset(i)) continue;
      places_->Add(i, plan_.offsets[i], plan_.offsets[i] + size);
    }
  }

  size_t VisitFree(uint32_t i, AlignedGapSearch* search) {
    return space_.VisitFree(intervals_[i], records_[i].tensor_size,
                            [&](Stretch gap) { return search->Pass(gap); });
  }

  size_t WalkPlaces(uint32_t i, AlignedGapSearch* search) {
    const size_t size = records_[i].tensor_size;
    size_t top = 0;
    places_->WalkUntil(intervals_[i], [&](const stowage::Place& place) {
      ++passed_places_;
      if (search->Pass({top, place.offset}) <= size) return true;
      top = std::max(top, place.end);
      return false;
    });
    return top;
  }

  const Problem& problem_;
  const Span<const ByteRecord> records_;
  const std::vector<StepInterval>& intervals_;
  FreeSpace space_;
  OffsetsAssignment plan_;
  std::vector<uint32_t> placed_;  // has records in the order of placing
  std::vector<bool> is_placed_;
  optional<PlacedRecords> places_;
  uint64_t passed_places_ = 0;
};

PartialPlan FixedOnly(const Problem& problem) {
  PartialPlan begun;
  begun.plan = PlaceFixed(problem);
  for (uint32_t i = 0; i < problem.size(); ++i) {
    if (problem.fixed_offset(i)) begun.placed.push_back(i);
  }
  return begun;
}

// Returns whether records that do not conflict may be placed in any order.
// Returns false if there are records of 0 bytes. Such a record may begin at the
// same offset as a record with which it does not conflict. The one of the two
// that was placed first is then visited first, which affects the gaps that a
// third record finds.
bool MayReorder(const Problem& problem) {
  return std::none_of(
      problem.records().begin(), problem.records().end(),
      [](const ByteRecord& record) { return record.tensor_size == 0; });
}

// Places the records of `order` that are not placed yet. Calls goes_on(end)
// after each record, where `end` is the end of the record, and returns false as
// soon as a call returns false. Reorders one batch of records at a time, so the
// first call does not have to wait until all records have been reordered.
template <typename GoesOn>
bool PlaceAll(const Problem& problem, Span<const uint32_t> order, BestFit* fit,
              GoesOn goes_on) {
  const bool may_reorder = MayReorder(problem);
  std::vector<uint32_t> local;
  for (size_t begin = 0; begin < order.size(); begin += kLocalBatch) {
    Span<const uint32_t> part = order.subspan(begin, kLocalBatch);
    if (may_reorder) {
      local = LocalOrder(RanksOf(problem).intervals, part);
      part = local;
    }
    for (size_t k = 0; k < part.size(); ++k) {
      constexpr size_t kAhead = 8;
      if (k + kAhead < part.size()) fit->PrefetchRecord(part[k + kAhead]);
      if (k + kAhead / 2 < part.size()) {
        fit->PrefetchEntries(part[k + kAhead / 2]);
      }
      if (k + 1 < part.size()) fit->PrefetchChunks(part[k + 1]);
      if (fit->IsPlaced(part[k])) continue;
      if (!goes_on(fit->Place(part[k]))) return false;
    }
  }
  return true;
}

}  // namespace

optional<OffsetsAssignment> PlaceBestFit(const Problem& problem,
                                         Span<const uint32_t> order,
                                         PartialPlan begun, size_t limit,
                                         WorkLimit* work) {
  BestFit fit(problem, std::move(begun.plan));
  if (fit.plan().total_size >= limit) return nullopt;
  uint64_t passed = 0;
  const auto spend = [&] {
    const uint64_t units = fit.passed() - passed + 1;
    passed = fit.passed();
    return work->Spend(units);
  };
  for (const uint32_t i : begun.placed) {
    fit.MarkAsPlaced(i);
    if (!spend()) return nullopt;
  }
  if (!PlaceAll(problem, order, &fit,
                [&](size_t end) { return end < limit && spend(); })) {
    return nullopt;
  }
  return fit.TakePlan();
}

optional<OffsetsAssignment> PlaceBestFit(const Problem& problem,
                                         Span<const uint32_t> order,
                                         size_t limit, WorkLimit* work) {
  return PlaceBestFit(problem, order, FixedOnly(problem), limit, work);
}

OffsetsAssignment PlaceBestFit(const Problem& problem,
                               Span<const uint32_t> order) {
  // Does not call PlaceBestFit with a `limit`: that function returns only plans
  // whose total is below `limit`, but a total may be 2^64 - 1 bytes, and no
  // limit is above that.
  PartialPlan begun = FixedOnly(problem);
  BestFit fit(problem, std::move(begun.plan));
  for (const uint32_t i : begun.placed) fit.MarkAsPlaced(i);
  PlaceAll(problem, order, &fit, [](size_t) { return true; });
  return fit.TakePlan();
}

}  // namespace stowage
