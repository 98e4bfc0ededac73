// SPDX-License-Identifier: Apache-2.0
#include "src/core/construct.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/core/peak_sweep.h"
#include "src/core/place_fixed.h"
#include "src/core/placing_order.h"
#include "src/core/run_on_threads.h"
#include "src/core/skyline_dive.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

using Keys = std::vector<PlacingKey>;

constexpr PlacingKey kCongestion = PlacingKey::kCongestion;
constexpr PlacingKey kLifetime = PlacingKey::kLifetime;
constexpr PlacingKey kArea = PlacingKey::kArea;
constexpr PlacingKey kSize = PlacingKey::kSize;
constexpr PlacingKey kEarliness = PlacingKey::kEarliness;
constexpr PlacingKey kLateness = PlacingKey::kLateness;

// How records that are live at the peak are stacked: what begins first at the
// bottom leaves the space above it in one piece at earlier tasks, what ends
// last at the bottom at later ones.
const std::vector<Keys>& StackOrders() {
  static const auto* const orders = new std::vector<Keys>{
      {kEarliness, kSize}, {kSize}, {kLateness, kSize}, {kLifetime, kSize}};
  return *orders;
}

// Measured on the recorded traces: each is the best of all on some of them,
// the first on most of the large ones.
const std::vector<Keys>& DiveOrders() {
  static const auto* const orders = new std::vector<Keys>{
      {kCongestion, kArea, kLifetime}, {kArea, kLifetime},
      {kLifetime, kCongestion},        {kSize, kLifetime},
      {kEarliness, kLateness},         {kLifetime, kSize}};
  return *orders;
}

// A construction under way.
class Construction {
 public:
  Construction(const Problem& problem, size_t enough,
               const ConstructEffort& effort, OffsetsAssignment* best)
      : problem_(problem),
        enough_(enough),
        effort_(effort),
        orders_(problem.records(), problem.ranks(),
                effort.stop == nullptr ? StopSignal() : *effort.stop),
        best_(*best) {}

  void SweepInAllOrders();
  // Several dives at a time, each with all the looks that it may cost: none
  // depends on what another has found, but in where it gives up.
  void DiveInAllOrders();

 private:
  bool IsDone() const {
    return best_.total_size <= enough_ ||
           (effort_.stop != nullptr && effort_.stop->IsSet());
  }
  void Take(absl::optional<OffsetsAssignment> plan, absl::string_view part,
            const Keys& order);
  void DiveInOrders(size_t first, size_t last, uint64_t looks);

  const Problem& problem_;
  const size_t enough_;
  const ConstructEffort& effort_;
  const PlacingOrders orders_;
  OffsetsAssignment& best_;
};

void Construction::Take(absl::optional<OffsetsAssignment> plan,
                        absl::string_view part, const Keys& order) {
  if (!plan || plan->total_size >= best_.total_size) return;
  best_ = *std::move(plan);
  if (effort_.improved) {
    effort_.improved(absl::StrCat(part, " (order ", NameOf(order), ")"));
  }
}

void Construction::SweepInAllOrders() {
  if (problem_.has_fixed_offsets()) return;
  const PeakSweep sweep(problem_.records(), problem_.ranks(),
                        problem_.alignments(), orders_.peak());
  WorkLimit work(WorkLimit::kUnlimited, effort_.stop);
  for (size_t k = 0;
       k < std::min(effort_.tuning.sweeps, StackOrders().size()) && !IsDone();
       ++k) {
    std::vector<uint32_t> stack = sweep.live();
    if (!orders_.Sort(StackOrders()[k], &stack)) return;
    Take(sweep.Plan(stack, best_.total_size, &work), "peak sweep",
         StackOrders()[k]);
  }
}

void Construction::DiveInAllOrders() {
  const ConstructTuning& tuning = effort_.tuning;
  const uint64_t looks = std::min(
      tuning.looks_per_record * problem_.size(),
      std::max(tuning.looks_per_dive, tuning.few_looks * problem_.size()));
  const size_t orders = std::min(tuning.dives, DiveOrders().size());
  const size_t count =
      static_cast<size_t>(std::min<uint64_t>(effort_.looks / looks, orders));
  const size_t at_once = std::max<size_t>(effort_.threads, 1);
  for (size_t k = 0; k < count && !IsDone(); k += at_once) {
    DiveInOrders(k, std::min(k + at_once, count), looks);
  }
}

// Of those that are small enough the first counts, whatever was quicker.
void Construction::DiveInOrders(size_t first, size_t last, uint64_t looks) {
  std::vector<absl::optional<OffsetsAssignment>> plans(last - first);
  std::atomic<size_t> next{0};
  RunOnThreads(plans.size(), [&] {
    for (size_t k = next++; k < plans.size(); k = next++) {
      WorkLimit work(looks, effort_.stop);
      const auto order = orders_.By(DiveOrders()[first + k]);
      if (!order) return;
      plans[k] = DiveInSkyline(problem_, *order, best_.total_size, &work);
    }
  });
  for (size_t k = 0; k < plans.size(); ++k) {
    if (best_.total_size <= enough_) return;
    Take(std::move(plans[k]), "skyline dive", DiveOrders()[first + k]);
  }
}

}  // namespace

OffsetsAssignment StackAll(const Problem& problem) {
  OffsetsAssignment plan = PlaceFixed(problem);
  for (size_t i = 0; i < problem.size(); ++i) {
    const size_t size = problem.records()[i].tensor_size;
    if (size == 0 || problem.fixed_offset(i)) continue;
    plan.offsets[i] = AlignUp(plan.total_size, problem.alignments().Of(i));
    plan.total_size = plan.offsets[i] + size;
  }
  return plan;
}

void Construct(const Problem& problem, size_t enough,
               const ConstructEffort& effort, OffsetsAssignment* best) {
  if (problem.size() == 0) return;
  Construction construction(problem, enough, effort, best);
  construction.SweepInAllOrders();
  construction.DiveInAllOrders();
}

}  // namespace stowage
