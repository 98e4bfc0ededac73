// SPDX-License-Identifier: Apache-2.0
// Implements RelaxToBoxes (lower_problem.h), which replaces each group by one
// record that contains the group, and a partial order by intervals.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "src/construct/lower_problem.h"
#include "src/model/keep_records.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/error_payload.h"

namespace stowage {
namespace {

// Returns each record with an interval of positions in the sequence of the
// order. The interval extends from the first user of the record to the last
// task that does not follow all users.
std::vector<ByteRecord> RelaxOrder(const Problem& problem) {
  const Constraints& constraints = *problem.constraints();
  const TaskOrder& order = *constraints.order;
  std::vector<TaskId> position(order.tasks());
  for (TaskId p = 0; p < order.tasks(); ++p) position[order.sequence()[p]] = p;
  std::vector<ByteRecord> records;
  for (size_t i = 0; i < problem.size(); ++i) {
    TaskId first = order.tasks();
    TaskId last = 0;
    for (const TaskId user : constraints.users[i]) {
      first = std::min(first, position[user]);
    }
    for (size_t chain = 0; chain < order.chains(); ++chain) {
      // The position on the chain after the last task that does not follow all
      // users.
      uint32_t end = 0;
      for (const TaskId user : constraints.users[i]) {
        end = std::max(end, order.FirstAfter(user, chain));
      }
      if (end > 0) {
        last = std::max(last, position[order.chain(chain)[end - 1]]);
      }
    }
    records.emplace_back(problem.records()[i].tensor_size, first, last);
  }
  return records;
}

// Builds the relaxed problem, in which a bounding box (`box`) represents each
// group.
class BoxRelaxation {
 public:
  explicit BoxRelaxation(const Problem& problem)
      : problem_(problem), constraints_(*problem.constraints()) {}

  StatusOr<LoweredProblem> Relax() {
    const std::vector<ByteRecord> records =
        constraints_.order ? RelaxOrder(problem_)
                           : std::vector<ByteRecord>(problem_.records().begin(),
                                                     problem_.records().end());
    for (uint32_t i = 0; i < problem_.size(); ++i) {
      if (Status s = AddRecord(i, records[i]); !s.ok()) return s;
    }
    AddRelations();
    for (uint32_t i = 0; i < problem_.size(); ++i) {
      JoinPlace(i);
    }
    auto relaxed = Problem::Create(std::move(spec_));
    if (!relaxed.ok()) return relaxed.status();
    return LoweredProblem{*std::move(relaxed),
                          {std::move(record_of_), std::move(at_)}};
  }

 private:
  // Extends the record that represents record `i`, or creates it if `i` is in
  // no group or is the first member of its group.
  Status AddRecord(uint32_t i, const ByteRecord& record) {
    const RecordPlace place =
        constraints_.places.empty() ? RecordPlace() : constraints_.places[i];
    auto target = static_cast<uint32_t>(spec_.records.size());
    if (place.group != kNoGroup) {
      target = record_of_group_.try_emplace(place.group, target).first->second;
    }
    const size_t alignment = problem_.alignments().Of(i);
    const size_t at = place.group == kNoGroup ? 0 : place.at;
    if (at % alignment != 0) {
      return WithRecords(
          UnimplementedError(
              StrCat("record ", i, ": it lies ", at,
                     " bytes into its group, which is not a multiple of its "
                     "alignment ",
                     alignment, "; expected a strategy that supports groups")),
          {i});
    }
    record_of_.push_back(target);
    at_.push_back(at);
    if (target == spec_.records.size()) {
      spec_.records.push_back(record);
      spec_.records.back().tensor_size += at;
      spec_.alignments.push_back(alignment);
      return OkStatus();
    }
    ByteRecord& box = spec_.records[target];
    box.tensor_size = std::max(box.tensor_size, at + record.tensor_size);
    box.first_task = std::min(box.first_task, record.first_task);
    box.last_task = std::max(box.last_task, record.last_task);
    spec_.alignments[target] = std::max(spec_.alignments[target], alignment);
    return OkStatus();
  }

  // Applies the limits of the record to the bounding box.
  void JoinPlace(uint32_t i) {
    const uint32_t target = record_of_[i];
    if (const auto fixed = problem_.fixed_offset(i)) {
      spec_.fixed_offsets.resize(spec_.records.size());
      spec_.fixed_offsets[target] = *fixed - at_[i];
    }
    if (!constraints_.places.empty()) {
      const RecordPlace& from = constraints_.places[i];
      spec_.constraints.places.resize(spec_.records.size());
      RecordPlace& to = spec_.constraints.places[target];
      to.min = std::max(to.min, from.min - std::min(from.min, at_[i]));
      if (from.max) {
        // The bounding box may extend beyond the record, so the end of the box
        // may be above the highest permitted end of the record.
        const size_t max = *from.max - at_[i] -
                           problem_.records()[i].tensor_size +
                           spec_.records[target].tensor_size;
        to.max = std::min(to.max.value_or(max), max);
      }
    }
    if (!constraints_.choices.empty()) {
      spec_.constraints.choices.resize(spec_.records.size());
      std::vector<PoolChoice>& choices = spec_.constraints.choices[target];
      if (choices.empty()) choices = constraints_.choices[i];
    }
  }

  void AddRelations() {
    spec_.capacity = problem_.capacity();
    spec_.constraints.pools = constraints_.pools;
    spec_.constraints.holes = constraints_.order
                                  ? HolesAtAllTasks(constraints_.holes)
                                  : constraints_.holes;
    for (const std::vector<size_t>& set : constraints_.apart) {
      std::vector<size_t> boxes;
      boxes.reserve(set.size());
      for (const size_t i : set) boxes.push_back(record_of_[i]);
      std::sort(boxes.begin(), boxes.end());
      boxes.erase(std::unique(boxes.begin(), boxes.end()), boxes.end());
      if (boxes.size() > 1) {
        spec_.constraints.apart.push_back(std::move(boxes));
      }
    }
    DropRepeatedSets(&spec_.constraints.apart);
  }

  const Problem& problem_;
  const Constraints& constraints_;
  ProblemSpec spec_;
  std::vector<uint32_t> record_of_;
  std::vector<size_t> at_;
  flat_hash_map<uint32_t, uint32_t> record_of_group_;
};

}  // namespace

StatusOr<LoweredProblem> RelaxToBoxes(const Problem& problem) {
  return BoxRelaxation(problem).Relax();
}

}  // namespace stowage
