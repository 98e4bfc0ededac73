// SPDX-License-Identifier: Apache-2.0
#include "optimal/exact/portfolio.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/exact/packing_search.h"
#include "optimal/luby.h"
#include "src/base/run_on_threads.h"
#include "src/base/str_cat.h"
#include "src/base/work_limit.h"
#include "stowage/base/optional.h"
#include "stowage/base/random.h"
#include "stowage/base/span.h"

namespace stowage::optimal {
namespace {

// The amount that one failure adds to a count. Counts are integers, so this
// number is large enough that the count of a single failure can still be
// reduced by an eighth.
constexpr uint64_t kFailureWeight = 16;

constexpr size_t kItemsForThreads = 512;

constexpr size_t kUndecided = std::numeric_limits<size_t>::max();

// Returns the number of the epoch of a round. The epochs are the rounds 1, 2-3,
// 4-7, 8-15, ... In each new epoch, the kept searches between the bounds get
// new capacities, so that their orders are tried with several capacities.
uint64_t Epoch(uint64_t round) {
  uint64_t epoch = 0;
  for (; round > 0; round /= 2) ++epoch;
  return epoch;
}

}  // namespace

Portfolio::Portfolio(const Packing& packing, Level lower, Level upper,
                     optional<Level> capacity, const Limits& limits)
    : packing_(packing),
      limits_(limits),
      tuning_(limits_.tuning.portfolio),
      orders_(packing, limits.seed, tuning_),
      lower_(lower),
      upper_(upper),
      capacity_(capacity),
      kept_(tuning_.kept_at_bound + tuning_.kept_between),
      failures_(packing.steps, 0) {}

// Returns the capacity of a slice. Most slices have the lower bound as their
// capacity. The others have a capacity between the bounds, which may yield a
// better packing or a better bound.
Level Portfolio::CapacityOf(size_t slice) const {
  if (capacity_) return *capacity_;
  const bool is_kept = slice < kept_.size();
  const size_t period = tuning_.between_period;
  if (is_kept ? slice < tuning_.kept_at_bound
              : period == 0 || slice % period != 0) {
    return lower_;
  }
  if (lower_ + 1 >= upper_) return lower_;
  // Chooses the capacity at random, because the success of an order depends
  // erratically on the capacity.
  const uint64_t place = is_kept ? slice + Epoch(rounds_) * kept_.size()
                                 : begun_ + (uint64_t{1} << 32);
  Random random(limits_.seed + place * 0x9E3779B97F4A7C15);
  return lower_ + 1 +
         static_cast<Level>(
             random.Below(static_cast<uint64_t>(upper_ - 1 - lower_)));
}

// Returns whether a kept search continues in a slice with this capacity. Only
// an open search continues. If its own capacity differs from `capacity`, it
// continues only if both are above the lower bound, its own capacity is still
// below the upper bound, and no new epoch begins.
bool Portfolio::IsWorthGoingOn(const PackingSearch* search,
                               Level capacity) const {
  if (search == nullptr || search->state() != PackingSearch::State::kOpen) {
    return false;
  }
  if (search->capacity() == capacity) return true;
  const bool moves = Epoch(rounds_) != Epoch(rounds_ - 1);
  return !moves && capacity > lower_ && search->capacity() > lower_ &&
         search->capacity() < upper_;
}

bool Portfolio::IsFirstRound() const {
  return rounds_ == 0 && tuning_.first_slice > 0 && tuning_.kept_at_bound > 0;
}

void Portfolio::ScheduleRound(uint64_t nodes) {
  const bool is_first = IsFirstRound();
  next_slice_ = 0;
  slices_.clear();
  slices_.resize(is_first ? tuning_.kept_at_bound
                          : kept_.size() + tuning_.new_slices);
  const uint64_t growth = tuning_.slices_grow ? Luby(rounds_) : 1;
  const uint64_t quota =
      std::min(is_first ? tuning_.first_slice : tuning_.slice * growth,
               nodes / slices_.size());
  for (size_t k = 0; k < slices_.size(); ++k) {
    Slice& slice = slices_[k];
    slice.quota = quota;
    slice.capacity = CapacityOf(k);
    if (k < kept_.size()) {
      slice.kept = &kept_[k];
      // A search between the bounds may use the same order as a search at the
      // lower bound, since their capacities differ. If a capacity is given, all
      // searches have this capacity, so each of them needs a different order.
      slice.order = capacity_ || k < tuning_.kept_at_bound
                        ? k
                        : k - tuning_.kept_at_bound;
      if (IsWorthGoingOn(kept_[k].get(), slice.capacity)) {
        slice.capacity = kept_[k]->capacity();
      } else {
        kept_[k] = nullptr;
      }
    } else {
      slice.order = DiversifiedOrders::kPlain + begun_++;
    }
  }
  ++rounds_;
}

// Changes the capacity of a slice if it is outdated, because another slice has
// meanwhile decided whether this capacity is sufficient.
void Portfolio::UpdateCapacity(Slice* slice) {
  if (capacity_) return;
  const Level capacity =
      std::max(lower_, std::min<Level>(slice->capacity, upper_ - 1));
  if (capacity == slice->capacity) return;
  slice->capacity = capacity;
  if (slice->kept != nullptr) *slice->kept = nullptr;
}

bool Portfolio::Decides(const Slice& slice) const {
  if (slice.state == PackingSearch::State::kFits) {
    return slice.capacity == lower_ || capacity_.has_value();
  }
  return slice.state == PackingSearch::State::kExhausted &&
         slice.capacity + 1 >= upper_;
}

void Portfolio::RunSlice(Slice* slice, const std::atomic<size_t>& decided,
                         size_t index) const {
  std::unique_ptr<PackingSearch> own;
  std::unique_ptr<PackingSearch>& search =
      slice->kept != nullptr ? *slice->kept : own;
  if (search == nullptr) {
    search = std::make_unique<PackingSearch>(
        packing_, orders_.Order(slice->order, failures_), slice->capacity);
  }
  const uint64_t begun_at = search->nodes();
  WorkLimit work(WorkLimit::kUnlimited, limits_.stop);
  while (slice->nodes < slice->quota && work.left() > 0 &&
         search->state() == PackingSearch::State::kOpen) {
    // With a node budget, a slice stops before its quota only if an earlier
    // slice has decided the round, so that the result is deterministic. Without
    // a node budget, a slice stops as soon as any slice has decided the round.
    const size_t by = decided.load(std::memory_order_relaxed);
    if (limits_.nodes ? by < index : by != kUndecided) break;
    search->Run(std::min(tuning_.chunk, slice->quota - slice->nodes), &work);
    slice->nodes = search->nodes() - begun_at;
  }
  slice->state = search->state();
  slice->failures = search->TakeFailures();
  if (slice->state == PackingSearch::State::kFits) {
    slice->levels = search->levels();
  }
  if (slice->state == PackingSearch::State::kExhausted) {
    slice->exhausted = ExhaustedSearch{search->order(), search->capacity()};
  }
}

void Portfolio::RunSlices(Span<Slice> slices) {
  std::atomic<size_t> decided{kUndecided};
  // With few items, the first round is too short to be worth starting threads.
  const bool is_short =
      rounds_ == 1 && packing_.items.size() < kItemsForThreads;
  const size_t threads = is_short ? 1 : limits_.threads;
  RunEachOnThreads(threads, slices.size(), limits_.stop, [&](size_t k) {
    RunSlice(&slices[k], decided, k);
    if (!Decides(slices[k])) return;
    size_t first = decided.load();
    while (k < first && !decided.compare_exchange_weak(first, k)) {
    }
  });
}

// Adds the failures of the round. The weight of earlier failures decreases with
// each round. Counts are integers, so they are the same on all machines.
void Portfolio::CountFailures() {
  for (uint64_t& failures : failures_) failures -= failures / 8;
  for (const Slice& slice : slices_) {
    for (size_t s = 0; s < slice.failures.size(); ++s) {
      failures_[s] += slice.failures[s] * kFailureWeight;
    }
  }
}

uint64_t Portfolio::ApplyResults(Span<const Slice> slices) {
  uint64_t nodes = 0;
  for (const Slice& slice : slices) {
    nodes += slice.nodes;
    if (slice.exhausted && slice.capacity >= lower_) {
      lower_ = slice.capacity + 1;
      exhausted_ = slice.exhausted;
    }
    if (slice.state == PackingSearch::State::kFits) {
      const Level top = TopOf(packing_, slice.levels);
      if (top < upper_) {
        upper_ = top;
        levels_ = slice.levels;
        found_capacity_ = slice.capacity;
        found_order_ = slice.order;
        found_round_ = rounds_;
      }
    }
    // This slice has decided the question. Ignores the later slices, because it
    // depends on the threads whether they have results.
    if (closed()) break;
  }
  return nodes;
}

std::string Portfolio::FoundBy(size_t unit) const {
  return StrCat("exact search (capacity ",
                static_cast<size_t>(found_capacity_) * unit, ", order ",
                orders_.NameOf(found_order_), ", round ", found_round_, ")");
}

uint64_t Portfolio::Round(uint64_t nodes) {
  if (closed() || nodes < kept_.size() + tuning_.new_slices) return 0;
  if (rounds_ == 0 && !IsFirstRound()) ++rounds_;
  if (next_slice_ == slices_.size()) ScheduleRound(nodes);
  const Span<Slice> part =
      MakeSpan(slices_).subspan(next_slice_, tuning_.slices_at_once);
  next_slice_ += part.size();
  for (Slice& slice : part) {
    UpdateCapacity(&slice);
    slice.quota = std::min(slice.quota, nodes / part.size());
  }
  RunSlices(part);
  if (next_slice_ == slices_.size()) CountFailures();
  return ApplyResults(part);
}

}  // namespace stowage::optimal
