// SPDX-License-Identifier: Apache-2.0
// Divides the values of the parameters into ranges. All values of one range
// share a plan with fixed offsets.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/dynamic/compared_values.h"
#include "src/dynamic/order_score.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"

namespace stowage {
namespace {

// The maximum number of values at which a range may end. The lower maximum
// applies if some size falls, because most ranges then need a plan of their
// own.
constexpr size_t kMaxEnds = 512;
constexpr size_t kMaxEndsIfSizesFall = 96;
// The maximum number of values for which every need is computed. If there are
// more values, needs are computed only at both ends of each segment.
constexpr size_t kMaxNeeds = 4096;

// The values after one possible end of a range, up to and including the next
// possible end.
struct Segment {
  ParameterValues first;
  ParameterValues last;
  std::vector<size_t> sizes;  // the largest size of each record
  // The value in this segment at which the problem needs the fewest bytes.
  ParameterValues least;
  size_t least_need = 0;
  bool is_least_proved = false;
};

// Finds the best ranges by dynamic programming over their ends.
class BucketTable {
 public:
  explicit BucketTable(const DynamicProblem& problem) : problem_(problem) {}

  Status Fill(size_t max_ends);
  bool DoSizesFall() const { return do_sizes_fall_; }
  StatusOr<std::vector<SizeBucket>> Divide(size_t count);

 private:
  // The cost of the range from one segment to another.
  struct Cost {
    HeightRatio ratio;
    size_t least = 0;  // the segment with the value that needs least
  };
  struct Cell {
    HeightRatio ratio;
    size_t first = 0;
  };

  Status AddValue(const ParameterValues& values, Span<const size_t> sizes,
                  Segment* segment);
  // Returns a plan for `sizes`, with `last` as its values.
  StatusOr<ComparedValue> PlanOfRange(const ParameterValues& last,
                                      const std::vector<size_t>& sizes) const;
  Status FillCosts();
  StatusOr<SizeBucket> BucketOf(size_t first, size_t last) const;
  std::vector<std::vector<Cell>> BestDivisions(size_t buckets) const;

  const DynamicProblem& problem_;
  std::vector<Segment> segments_;
  std::vector<std::vector<Cost>> costs_;  // by last and first segment
  std::vector<size_t> sizes_before_;
  bool do_sizes_fall_ = false;
};

StatusOr<ComparedValue> BucketTable::PlanOfRange(
    const ParameterValues& last, const std::vector<size_t>& sizes) const {
  return PlanForSizes(problem_, last, sizes, SearchNodesFor(segments_.size()));
}

Status BucketTable::AddValue(const ParameterValues& values,
                             Span<const size_t> sizes, Segment* segment) {
  if (segment->sizes.empty()) segment->sizes.assign(sizes.size(), 0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    segment->sizes[i] = std::max(segment->sizes[i], sizes[i]);
    if (!sizes_before_.empty() && sizes[i] < sizes_before_[i]) {
      do_sizes_fall_ = true;
    }
  }
  sizes_before_.assign(sizes.begin(), sizes.end());
  const bool is_end = segment->first.empty() || values == segment->last;
  if (segment->first.empty()) segment->first = values;
  if (!is_end && problem_.CountValues().value_or(0) > kMaxNeeds) {
    return OkStatus();
  }
  const StatusOr<ComparedValue> plan = PlanOfRange(values, sizes_before_);
  if (!plan.ok()) return plan.status();
  if (segment->least.empty() || plan->need < segment->least_need) {
    segment->least = values;
    segment->least_need = plan->need;
    segment->is_least_proved = plan->need == plan->bound;
  }
  return OkStatus();
}

Status BucketTable::Fill(size_t max_ends) {
  segments_.clear();
  sizes_before_.clear();
  std::vector<ParameterValues> ends = problem_.SampleValues(max_ends);
  // The limits may allow values above the last sampled value, so the last range
  // is extended to the last value of all.
  problem_.VisitValues([&](const ParameterValues& values, Span<const size_t>) {
    if (ends.back() < values) ends.back() = values;
    return true;
  });
  for (ParameterValues& end : ends) {
    segments_.emplace_back();
    segments_.back().last = std::move(end);
  }
  size_t next = 0;
  Status status;
  problem_.VisitValues(
      [&](const ParameterValues& values, Span<const size_t> sizes) {
        while (segments_[next].last < values) ++next;
        status = AddValue(values, sizes, &segments_[next]);
        return status.ok();
      });
  return status;
}

Status BucketTable::FillCosts() {
  costs_.resize(segments_.size());
  for (size_t last = 0; last < segments_.size(); ++last) {
    costs_[last].resize(last + 1);
    std::vector<size_t> sizes(problem_.size(), 0);
    size_t reserve = 0;
    size_t least = last;
    bool is_planned = false;
    for (size_t first = last + 1; first-- > 0;) {
      bool is_larger = !is_planned;
      for (size_t i = 0; i < sizes.size(); ++i) {
        if (segments_[first].sizes[i] <= sizes[i]) continue;
        sizes[i] = segments_[first].sizes[i];
        is_larger = true;
      }
      if (is_larger) {
        const StatusOr<ComparedValue> plan =
            PlanOfRange(segments_[last].last, sizes);
        if (!plan.ok()) return plan.status();
        reserve = plan->need;
        is_planned = true;
      }
      if (segments_[first].least_need <= segments_[least].least_need) {
        least = first;
      }
      costs_[last][first] = {RatioOf(reserve, segments_[least].least_need),
                             least};
    }
  }
  return OkStatus();
}

// Returns a table in which entry [b][s] describes the division of the segments
// 0 to s into at most b + 1 ranges with the lowest largest ratio. The entry
// holds this ratio and the first segment of the last range.
std::vector<std::vector<BucketTable::Cell>> BucketTable::BestDivisions(
    size_t buckets) const {
  const size_t segments = segments_.size();
  std::vector<std::vector<Cell>> best(buckets, std::vector<Cell>(segments));
  for (size_t last = 0; last < segments; ++last) {
    best[0][last] = {costs_[last][0].ratio, 0};
  }
  for (size_t b = 1; b < buckets; ++b) {
    for (size_t last = 0; last < segments; ++last) {
      best[b][last] = {costs_[last][0].ratio, 0};
      for (size_t first = 1; first <= last; ++first) {
        HeightRatio ratio = costs_[last][first].ratio;
        if (ratio < best[b - 1][first - 1].ratio) {
          ratio = best[b - 1][first - 1].ratio;
        }
        if (ratio < best[b][last].ratio) best[b][last] = {ratio, first};
      }
    }
  }
  return best;
}

StatusOr<SizeBucket> BucketTable::BucketOf(size_t first, size_t last) const {
  std::vector<size_t> sizes(problem_.size(), 0);
  for (size_t s = first; s <= last; ++s) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      sizes[i] = std::max(sizes[i], segments_[s].sizes[i]);
    }
  }
  StatusOr<ComparedValue> plan = PlanOfRange(segments_[last].last, sizes);
  if (!plan.ok()) return plan.status();
  const Segment& least = segments_[costs_[last][first].least];
  return SizeBucket{
      segments_[first].first,
      segments_[last].last,
      plan->need,
      std::move(plan->offsets),
      {least.least, plan->need, least.least_need, least.is_least_proved}};
}

StatusOr<std::vector<SizeBucket>> BucketTable::Divide(size_t count) {
  if (Status s = FillCosts(); !s.ok()) return s;
  const size_t buckets = std::min(count, segments_.size());
  const std::vector<std::vector<Cell>> best = BestDivisions(buckets);
  std::vector<SizeBucket> result;
  size_t end = segments_.size();
  for (size_t b = buckets; end > 0; --b) {
    const size_t first = b == 0 ? 0 : best[b - 1][end - 1].first;
    StatusOr<SizeBucket> bucket = BucketOf(first, end - 1);
    if (!bucket.ok()) return bucket.status();
    result.push_back(*std::move(bucket));
    end = first;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace

StatusOr<std::vector<SizeBucket>> PlanBuckets(const DynamicProblem& problem,
                                              size_t count) {
  if (count == 0) return InvalidArgumentError("0 buckets; expected at least 1");
  if (!problem.has_scenarios() && problem.spec().parameters.size() > 1) {
    return InvalidArgumentError(
        StrCat("buckets for ", problem.spec().parameters.size(),
               " parameters; expected a problem with one"));
  }
  if (!problem.CountValues()) {
    return ResourceExhaustedError(
        StrCat("buckets for more than ", kMaxTriedValues,
               " values; expected fewer, or a larger step"));
  }
  BucketTable table(problem);
  if (Status s = table.Fill(kMaxEnds); !s.ok()) return s;
  if (table.DoSizesFall()) {
    if (Status s = table.Fill(kMaxEndsIfSizesFall); !s.ok()) return s;
  }
  return table.Divide(count);
}

}  // namespace stowage
