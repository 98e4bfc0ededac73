// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/random_problems.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "src/kit/random_samples.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/constraints.h"
#include "stowage/feature.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/families.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

// The constraints of a record, encoded in one number, Sample::kind, as the
// digits of a mixed-radix number. "Below 3" means that a digit is 0, 1 or 2.
// The digit 0 means no constraint.
struct Choices {
  // Below 3: 0 for no group, 1 for the first group, 2 for the second group.
  uint64_t group = 0;
  uint64_t is_fixed = 0;  // is below 3; 1 stands for a fixed record
  uint64_t min = 0;       // is below 3
  uint64_t max = 0;       // is below 3
  uint64_t hole = 0;      // is below 4
  // Below 4: 0 for no set; 1 or 2 for a new set of this record and the record 1
  // or 2 places before it; 3 to add this record to the newest set.
  uint64_t apart = 0;
  // Below 4: 0 for no pair; k for a pair with the record k places before this
  // record.
  uint64_t never = 0;
  uint64_t prefer = 0;  // is below 4: pairs in the same way as `never`
  uint64_t pool = 0;    // is below 2: the pool in the witness
  // Below 3: which pools are listed as allowed. 0 lists none, 1 lists the pool
  // of the witness, and 2 lists both pools.
  uint64_t pools = 0;
  uint64_t users = 0;   // is below 2: the number of additional users
  uint64_t stream = 0;  // is below 3
  uint64_t edge = 0;    // is below 3
};

constexpr uint64_t kKinds =
    uint64_t{4} * 3 * 3 * 3 * 4 * 4 * 4 * 4 * 2 * 3 * 2 * 3 * 3;

Choices ChoicesOf(const Sample& sample) {
  uint64_t rest = sample.kind;
  const auto take = [&](uint64_t radix) {
    const uint64_t digit = rest % radix;
    rest /= radix;
    return digit;
  };
  Choices c;
  c.group = take(4) % 3;
  c.is_fixed = take(3);
  c.min = take(3);
  c.max = take(3);
  c.hole = take(4);
  c.apart = take(4);
  c.never = take(4);
  c.prefer = take(4);
  c.pool = take(2);
  c.pools = take(3);
  c.users = take(2);
  c.stream = take(3);
  c.edge = take(3);
  return c;
}

// Builds a plan, the witness, record by record, and then adds constraints that
// the witness satisfies.
class ProblemMaker {
 public:
  ProblemMaker(Span<const Sample> samples, const ProblemParameters& parameters)
      : samples_(samples), parameters_(parameters) {
    for (const Sample& sample : samples) choices_.push_back(ChoicesOf(sample));
  }

  // Returns the problem. If `witness` is not null, sets `*witness` to a plan of
  // the problem.
  ProblemSpec Make(OffsetsAssignment* witness) && {
    AddRecords();
    if (Has(Feature::kPartialOrder)) AddOrder();
    if (Has(Feature::kPlaces)) AddHoles();
    if (Has(Feature::kApart)) AddApart();
    for (size_t i = 0; i < samples_.size(); ++i) AddToWitness(i);
    AddPlaces();
    if (Has(Feature::kFixedOffsets)) AddFixedOffsets();
    if (Has(Feature::kPools)) AddPools();
    AddPairs();
    SumUp();
    Scale();
    if (witness != nullptr) *witness = std::move(witness_);
    return std::move(made_);
  }

 private:
  static constexpr size_t kPoolCount = 2;

  bool Has(Feature feature) const { return parameters_.features.Has(feature); }

  void AddRecords() {
    constexpr uint64_t kSizes = 33;
    TaskId task = 0;
    for (const Sample& sample : samples_) {
      task += sample.gap % 3;
      const size_t i = made_.records.size();
      const size_t size = Shares(i)
                              ? made_.records[i - SharedDistance(i)].tensor_size
                              : sample.size % kSizes;
      made_.records.emplace_back(size, task, task + sample.life % 4);
      made_.alignments.push_back(size_t{1} << sample.alignment % 4);
    }
  }

  // Adds a partial order, which consists either of streams with waits or of
  // edges. An edge to a task comes from one of the three tasks before it, which
  // limits the width of the order.
  void AddOrder() {
    if (samples_.empty()) return;
    TaskId tasks = 0;
    for (const ByteRecord& record : made_.records) {
      tasks = std::max(tasks, record.last_task + 1);
    }
    const bool is_of_streams = samples_[0].gap % 2 == 0;
    std::vector<std::vector<TaskId>> streams(3);
    std::vector<TaskEdge> edges;
    std::vector<TaskEdge> waits;
    for (TaskId task = 0; task < tasks; ++task) {
      const Choices& c = choices_[task % samples_.size()];
      streams[c.stream].push_back(task);
      if (task <= c.edge) continue;
      const TaskId before = task - 1 - c.edge;
      edges.push_back({before, task});
      const bool is_on_other =
          choices_[before % samples_.size()].stream != c.stream;
      if (is_on_other && c.users == 0) waits.push_back({before, task});
    }
    streams.erase(std::remove_if(streams.begin(), streams.end(),
                                 [](const auto& s) { return s.empty(); }),
                  streams.end());
    auto order = is_of_streams ? TaskOrder::FromStreams(streams, waits)
                               : TaskOrder::FromEdges(tasks, edges);
    if (!order.ok()) return;
    made_.constraints.order = *std::move(order);
    for (size_t i = 0; i < samples_.size(); ++i) {
      const ByteRecord& record = made_.records[i];
      std::vector<TaskId> users = {record.first_task};
      if (choices_[i].users > 0 && record.last_task - record.first_task > 1) {
        users.push_back(record.first_task + 1);
      }
      if (record.last_task != record.first_task) {
        users.push_back(record.last_task);
      }
      made_.constraints.users.Add(users);
    }
  }

  void AddHoles() {
    std::vector<Hole>& holes = made_.constraints.holes;
    for (size_t i = 0; i < samples_.size(); ++i) {
      if (choices_[i].hole == 0) continue;
      const size_t begin = 8 * (choices_[i].hole - 1);
      const ByteRecord& record = made_.records[i];
      Hole hole = {begin, begin + 1 + 2 * i, record.first_task,
                   record.last_task, PoolOfWitness(i)};
      if (parameters_.has_rare_forms && i % 3 == 0) {
        hole.first_task = 0;
        hole.last_task = std::numeric_limits<TaskId>::max();
      }
      holes.push_back(hole);  // all sizes differ
    }
  }

  void AddApart() {
    std::vector<std::vector<size_t>>& sets = made_.constraints.apart;
    for (size_t i = 0; i < samples_.size(); ++i) {
      const uint64_t back = choices_[i].apart;
      if (back == 3 && !sets.empty()) {
        sets.back().push_back(i);
      } else if (back > 0 && back <= i) {
        sets.push_back({i - back, i});
      }
    }
  }

  uint32_t PoolOfWitness(size_t i) const {
    return Has(Feature::kPools) ? static_cast<uint32_t>(choices_[i].pool) : 0;
  }

  bool AreInOneGroup(size_t a, size_t b) const {
    return Has(Feature::kGroups) && choices_[a].group > 0 &&
           choices_[a].group == choices_[b].group;
  }

  bool AreApart(size_t a, size_t b) const {
    const auto has_both = [a, b](const std::vector<size_t>& set) {
      return std::count(set.begin(), set.end(), a) > 0 &&
             std::count(set.begin(), set.end(), b) > 0;
    };
    const auto& apart = made_.constraints.apart;
    return std::any_of(apart.begin(), apart.end(), has_both);
  }

  bool PrecedesAll(size_t a, size_t b) const {
    const Constraints& constraints = made_.constraints;
    for (const TaskId u : constraints.users[a]) {
      for (const TaskId v : constraints.users[b]) {
        if (!constraints.order->Precedes(u, v)) return false;
      }
    }
    return true;
  }

  bool MustNotShare(size_t a, size_t b) const {
    if (AreApart(a, b)) return true;
    if (AreInOneGroup(a, b)) return false;
    if (made_.constraints.order) {
      return !PrecedesAll(a, b) && !PrecedesAll(b, a);
    }
    return Conflict(made_.records[a], made_.records[b]);
  }

  // Returns the end of an obstacle that would share bytes with record `i` at
  // this offset, or nullopt if there is no obstacle.
  optional<size_t> FindObstacle(size_t i, size_t offset) const {
    const ByteRecord& record = made_.records[i];
    const size_t end = offset + record.tensor_size;
    if (end == offset) return nullopt;
    for (size_t j = 0; j < i; ++j) {
      const size_t other = witness_.offsets[j];
      const size_t other_end = other + made_.records[j].tensor_size;
      if (witness_.pools[j] == witness_.pools[i] && other < end &&
          offset < other_end && other < other_end && MustNotShare(i, j)) {
        return other_end;
      }
    }
    for (const Hole& hole : made_.constraints.holes) {
      const bool is_there =
          made_.constraints.order || (hole.first_task <= record.last_task &&
                                      record.first_task <= hole.last_task);
      if (is_there && hole.pool == witness_.pools[i] && hole.begin < end &&
          offset < hole.end) {
        return hole.end;
      }
    }
    return nullopt;
  }

  // Places record `i` at the lowest offset at which it fits. For any further
  // member of a group, the search begins at the offset of the first member or
  // slightly above it.
  void AddToWitness(size_t i) {
    size_t offset = 0;
    witness_.pools.push_back(PoolOfWitness(i));
    for (size_t j = 0; j < i; ++j) {
      if (!AreInOneGroup(i, j)) continue;
      offset = witness_.offsets[j] + 4 * (samples_[i].life % 4);
      witness_.pools[i] = witness_.pools[j];
      break;
    }
    const size_t alignment = made_.alignments[i];
    const auto align = [&](size_t at) {
      return (at + alignment - 1) / alignment * alignment;
    };
    offset = align(offset);
    while (const auto end = FindObstacle(i, offset)) offset = align(*end);
    witness_.offsets.push_back(offset);
  }

  void AddPlaces() {
    const bool has_ranges = Has(Feature::kPlaces);
    if (!has_ranges && !Has(Feature::kGroups)) return;
    const bool has_any =
        std::any_of(choices_.begin(), choices_.end(), [&](const Choices& c) {
          return (has_ranges && c.min + c.max > 0) ||
                 (Has(Feature::kGroups) && c.group > 0);
        });
    if (!has_any) return;
    // A group starts at the lowest offset of its members.
    std::vector<size_t> starts(3, std::numeric_limits<size_t>::max());
    for (size_t i = 0; i < samples_.size(); ++i) {
      size_t& start = starts[choices_[i].group];
      start = std::min(start, witness_.offsets[i]);
    }
    if (parameters_.has_rare_forms) {
      for (size_t& start : starts) start -= std::min<size_t>(start, 4);
    }
    for (size_t i = 0; i < samples_.size(); ++i) {
      const Choices& c = choices_[i];
      const size_t offset = witness_.offsets[i];
      RecordPlace place;
      if (has_ranges && c.min > 0) {
        place.min = offset - std::min<size_t>(offset, 4 * (c.min - 1));
      }
      if (has_ranges && c.max > 0) {
        place.max = offset + made_.records[i].tensor_size + 8 * (c.max - 1);
      }
      if (Has(Feature::kGroups) && c.group > 0) {
        place.group = static_cast<uint32_t>(c.group - 1);
        place.at = offset - starts[c.group];
      }
      made_.constraints.places.push_back(place);
    }
  }

  void AddFixedOffsets() {
    const bool has_any =
        std::any_of(choices_.begin(), choices_.end(),
                    [](const Choices& c) { return c.is_fixed == 1; });
    if (!has_any) return;
    for (size_t i = 0; i < samples_.size(); ++i) {
      made_.fixed_offsets.emplace_back();
      if (choices_[i].is_fixed == 1) {
        made_.fixed_offsets.back() = witness_.offsets[i];
      }
    }
  }

  // Adds two pools. If the last sample has an odd gap, the first pool has a
  // capacity, and the witness uses all of it. The second pool has a capacity
  // only as a rare form.
  void AddPools() {
    if (samples_.empty()) return;
    Constraints& constraints = made_.constraints;
    constraints.pools = {{"fast", nullopt}, {"slow", nullopt}};
    std::vector<size_t> ends(kPoolCount);
    for (size_t i = 0; i < samples_.size(); ++i) {
      const uint32_t pool = witness_.pools[i];
      ends[pool] = std::max(ends[pool],
                            witness_.offsets[i] + made_.records[i].tensor_size);
      constraints.choices.emplace_back();
      if (choices_[i].pools == 0) continue;
      constraints.choices.back() = {{pool, samples_[i].gap}};
      if (choices_[i].pools == 2) {
        constraints.choices.back().push_back({1 - pool, samples_[i].life});
      }
    }
    if (samples_.back().gap % 2 == 1) constraints.pools[0].capacity = ends[0];
    if (parameters_.has_rare_forms && samples_.front().life % 2 == 1) {
      constraints.pools[1].capacity = ends[1];
    }
  }

  // Returns the distance in index between record `i` and the earlier record
  // with which it shares its place. Meaningless unless Shares(i) is true.
  size_t SharedDistance(size_t i) const {
    return 1 + (choices_[i].never + choices_[i].prefer) % 3;
  }
  bool Shares(size_t i) const {
    return parameters_.has_same_or_apart && choices_[i].never > 0 &&
           SharedDistance(i) <= i;
  }

  void AddPairs() {
    Constraints& constraints = made_.constraints;
    for (size_t i = 0; i < samples_.size(); ++i) {
      const uint64_t never = choices_[i].never;
      if (parameters_.has_never && never > 0 && never <= i &&
          !AreApart(i - never, i) && !AreInOneGroup(i - never, i)) {
        constraints.never.emplace_back(i - never, i);
      }
      const uint64_t prefer = choices_[i].prefer;
      if (parameters_.has_prefer_apart && prefer > 0 && prefer <= i) {
        constraints.prefer_apart.push_back(
            {i - prefer, i, 1 + samples_[i].gap});
      }
      if (!Shares(i)) continue;
      const size_t other = i - SharedDistance(i);
      if (!AreApart(other, i) && !AreInOneGroup(other, i)) {
        constraints.same_or_apart.push_back({other, i, samples_[i].life});
      }
    }
  }

  void SumUp() {
    std::vector<size_t> ends(kPoolCount);
    for (size_t i = 0; i < samples_.size(); ++i) {
      size_t& end = ends[witness_.pools[i]];
      end = std::max(end, witness_.offsets[i] + made_.records[i].tensor_size);
    }
    witness_.total_size = ends[0] + ends[1];
    if (made_.constraints.pools.empty()) witness_.pools.clear();
  }

  void Scale() {
    const size_t scale = parameters_.scale;
    if (scale == 1) return;
    for (ByteRecord& record : made_.records) record.tensor_size *= scale;
    for (auto& offset : made_.fixed_offsets) {
      if (offset) *offset *= scale;
    }
    Constraints& constraints = made_.constraints;
    for (RecordPlace& place : constraints.places) {
      place.min *= scale;
      place.at *= scale;
      if (place.max) *place.max *= scale;
    }
    for (Hole& hole : constraints.holes) {
      hole.begin *= scale;
      hole.end *= scale;
    }
    for (MemoryPool& pool : constraints.pools) {
      if (pool.capacity) *pool.capacity *= scale;
    }
    for (size_t& offset : witness_.offsets) offset *= scale;
    witness_.total_size *= scale;
  }

  Span<const Sample> samples_;
  const ProblemParameters& parameters_;
  std::vector<Choices> choices_;
  ProblemSpec made_;
  OffsetsAssignment witness_;
};

}  // namespace

Sample ProblemSampleLimits() { return {33, 3, 4, kKinds, 4}; }

ProblemSpec ProblemFromSamples(Span<const Sample> samples,
                               const ProblemParameters& parameters,
                               OffsetsAssignment* witness) {
  return ProblemMaker(samples, parameters).Make(witness);
}

ProblemSpec RandomProblem(uint64_t seed, size_t size,
                          const ProblemParameters& parameters,
                          OffsetsAssignment* witness) {
  return ProblemFromSamples(SamplesBelow(ProblemSampleLimits(), seed, size),
                            parameters, witness);
}

ProblemSpec NthProblem(size_t n, uint64_t seed, size_t size,
                       const ProblemParameters& parameters) {
  std::vector<FeatureSet> sets;
  for (const Feature feature : kAllFeatures) {
    if (parameters.features.Has(feature)) sets.push_back({feature});
  }
  sets.push_back(parameters.features);
  ProblemParameters some = parameters;
  some.features = sets[n % sets.size()];
  // Half of the problems have small numbers, so that their plans are easy to
  // read. Planners that compute with 8, 16 or 32 bits, or with the 53 bits of a
  // double, fail on one of the others.
  constexpr size_t kScales[] = {
      1, 1, 1, 251, 1, 65521, (size_t{1} << 32) + 15, (size_t{1} << 46) - 21};
  // More records could take more bytes than a plan may have.
  constexpr size_t kMaxScaled = 32;
  const size_t round = n / sets.size();
  if (size <= kMaxScaled) some.scale = kScales[round % std::size(kScales)];
  some.has_rare_forms = round % 2 == 1;
  return RandomProblem(seed, size, some);
}

}  // namespace stowage::testing
