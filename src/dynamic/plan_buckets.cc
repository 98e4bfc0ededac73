// SPDX-License-Identifier: Apache-2.0
// Ranges of values that share a plan with fixed offsets.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/containers.h"
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

// The number of places at which a range may end at most.
constexpr size_t kMaxEnds = 128;

// Values up to one at which a range may end, from the one after the end before.
struct Segment {
  ParameterValues first;
  ComparedValue last;
  std::vector<size_t> sizes;  // the largest of each record
};

// Finds the best ranges by dynamic programming over their ends.
class BucketTable {
 public:
  explicit BucketTable(const DynamicProblem& problem) : problem_(problem) {}

  Status Fill();
  StatusOr<std::vector<SizeBucket>> Divide(size_t count);

 private:
  // The plan of a range of segments, both ends included.
  struct Range {
    ComparedValue plan;
    size_t worst = 0;  // the segment whose need is least
    HeightRatio ratio;
  };

  StatusOr<const Range*> RangeOf(size_t first, size_t last);

  const DynamicProblem& problem_;
  uint64_t nodes_ = 0;  // that the search of each plan may take
  std::vector<Segment> segments_;
  btree_map<std::pair<size_t, size_t>, Range> ranges_;
};

Status BucketTable::Fill() {
  std::vector<ParameterValues> ends = problem_.SampleValues(kMaxEnds);
  // Each range of segments may need a plan.
  nodes_ = SearchNodesFor(ends.size() * (ends.size() + 1) / 2);
  for (ParameterValues& end : ends) {
    StatusOr<std::vector<size_t>> sizes = problem_.SizesAt(end);
    if (!sizes.ok()) return sizes.status();
    Segment segment;
    segment.sizes = *sizes;
    StatusOr<ComparedValue> last =
        PlanForSizes(problem_, end, *std::move(sizes), nodes_);
    if (!last.ok()) return last.status();
    segment.last = *std::move(last);
    segments_.push_back(std::move(segment));
  }
  size_t next = 0;
  problem_.VisitValues(
      [&](const ParameterValues& values, Span<const size_t> sizes) {
        while (segments_[next].last.values < values) ++next;
        Segment& segment = segments_[next];
        if (segment.first.empty()) segment.first = values;
        for (size_t i = 0; i < sizes.size(); ++i) {
          segment.sizes[i] = std::max(segment.sizes[i], sizes[i]);
        }
        return true;
      });
  return OkStatus();
}

StatusOr<const BucketTable::Range*> BucketTable::RangeOf(size_t first,
                                                         size_t last) {
  const auto known = ranges_.find({first, last});
  if (known != ranges_.end()) return &known->second;
  Range range;
  std::vector<size_t> sizes = segments_[last].sizes;
  range.worst = last;
  for (size_t s = first; s < last; ++s) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      sizes[i] = std::max(sizes[i], segments_[s].sizes[i]);
    }
    if (segments_[s].last.need < segments_[range.worst].last.need) {
      range.worst = s;
    }
  }
  if (sizes == segments_[last].last.sizes) {
    range.plan = segments_[last].last;
  } else {
    StatusOr<ComparedValue> plan = PlanForSizes(
        problem_, segments_[last].last.values, std::move(sizes), nodes_);
    if (!plan.ok()) return plan.status();
    range.plan = *std::move(plan);
  }
  range.ratio = RatioOf(range.plan.need, segments_[range.worst].last.need);
  // Addresses in the map change with the next range.
  return &(ranges_[{first, last}] = std::move(range));
}

StatusOr<std::vector<SizeBucket>> BucketTable::Divide(size_t count) {
  const size_t segments = segments_.size();
  const size_t buckets = std::min(count, segments);
  // best[b][s]: the least ratio of b + 1 ranges that end with segment s, and
  // the first segment of the last of them.
  struct Cell {
    HeightRatio ratio;
    size_t first = 0;
  };
  std::vector<std::vector<Cell>> best(buckets, std::vector<Cell>(segments));
  for (size_t b = 0; b < buckets; ++b) {
    for (size_t last = 0; last < segments; ++last) {
      bool is_set = false;
      for (size_t first = last + 1; first-- > 0;) {
        if (b == 0 && first > 0) continue;
        if (b > 0 && first == 0) continue;
        const StatusOr<const Range*> range = RangeOf(first, last);
        if (!range.ok()) return range.status();
        HeightRatio ratio = (*range)->ratio;
        if (b > 0 && ratio < best[b - 1][first - 1].ratio) {
          ratio = best[b - 1][first - 1].ratio;
        }
        if (!is_set || ratio < best[b][last].ratio) {
          best[b][last] = {ratio, first};
          is_set = true;
        }
      }
      // Fewer ranges may be enough.
      if (b > 0 &&
          (!is_set || !(best[b][last].ratio < best[b - 1][last].ratio))) {
        best[b][last] = {best[b - 1][last].ratio, segments};
      }
    }
  }
  std::vector<SizeBucket> result;
  size_t last = segments;
  for (size_t b = buckets; b-- > 0 && last > 0;) {
    const size_t first = best[b][last - 1].first;
    if (first == segments) continue;
    const StatusOr<const Range*> range = RangeOf(first, last - 1);
    if (!range.ok()) return range.status();
    const ComparedValue& worst = segments_[(*range)->worst].last;
    const size_t reserve = (*range)->plan.need;
    result.push_back(
        {segments_[first].first,
         segments_[last - 1].last.values,
         reserve,
         (*range)->plan.offsets,
         {worst.values, reserve, worst.need, worst.need == worst.bound}});
    last = first;
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
        StrCat("buckets of ", problem.spec().parameters.size(),
               " parameters; expected a problem with one"));
  }
  if (!problem.CountValues()) {
    return ResourceExhaustedError(
        StrCat("buckets of more than ", kMaxTriedValues,
               " values; expected fewer, or a larger step"));
  }
  BucketTable table(problem);
  if (Status s = table.Fill(); !s.ok()) return s;
  return table.Divide(count);
}

}  // namespace stowage
