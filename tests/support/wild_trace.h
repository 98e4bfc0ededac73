// SPDX-License-Identifier: Apache-2.0
// Generates traces with all kinds of constraints and with unusual names, for
// RapidCheck tests that write a trace and read it back. A trace does not have
// to have a plan.
#ifndef STOWAGE_TESTS_SUPPORT_WILD_TRACE_H_
#define STOWAGE_TESTS_SUPPORT_WILD_TRACE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "rapidcheck.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/io/problem_file.h"
#include "stowage/labels.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"
#include "tests/support/same_trace.h"

namespace stowage::support {

inline void AppendUtf8(uint32_t point, std::string* text) {
  const auto byte = [text](uint32_t value) {
    text->push_back(static_cast<char>(value));
  };
  if (point < 0x80) return byte(point);
  if (point < 0x800) {
    byte(0xC0 | (point >> 6));
  } else {
    if (point < 0x10000) {
      byte(0xE0 | (point >> 12));
    } else {
      byte(0xF0 | (point >> 18));
      byte(0x80 | ((point >> 12) & 0x3F));
    }
    byte(0x80 | ((point >> 6) & 0x3F));
  }
  byte(0x80 | (point & 0x3F));
}

// Generates a name of arbitrary characters. Characters with a special meaning
// in files are frequent.
inline rc::Gen<std::string> WildId() {
  const auto point =
      rc::gen::oneOf(rc::gen::element<uint32_t>(',', '"', '\r', '\n', ' ', '\t',
                                                '#', '\\', 0xFEFF),
                     rc::gen::inRange<uint32_t>(1, 0x80),
                     rc::gen::inRange<uint32_t>(0x80, 0xD800),
                     rc::gen::inRange<uint32_t>(0xE000, 0x110000));
  return rc::gen::map(
      rc::gen::nonEmpty(rc::gen::container<std::vector<uint32_t>>(point)),
      [](const std::vector<uint32_t>& points) {
        std::string id;
        for (const uint32_t p : points) AppendUtf8(p, &id);
        return id;
      });
}

// Returns random text without control characters, for the information about a
// tensor.
inline std::string WildText() { return FileText(*WildId()); }

// Generates one random trace. Requires that it is used inside a RapidCheck
// property.
class WildTraceMaker {
 public:
  // Selects whether the trace contains only what CSV can express, or also
  // everything else that JSON can express.
  enum class Extent { kCsv, kJson };

  explicit WildTraceMaker(Extent extent) : is_csv_(extent == Extent::kCsv) {}

  ProblemFile Make() {
    trace_.problem.names =
        *rc::gen::unique<std::vector<std::string>>(WildId()).as("the ids");
    count_ = trace_.problem.names.size();
    if (!is_csv_ && Flip()) AddOrder();
    AddRecords();
    AddPlan();
    if (Flip()) AddPlaces();
    if (Flip()) AddPools();
    if (Flip()) AddInfos();
    if (is_csv_ || count_ == 0) return std::move(trace_);
    AddPairs();
    AddHoles();
    if (Flip()) trace_.problem.capacity = Any();
    return std::move(trace_);
  }

 private:
  static bool Flip() { return *rc::gen::arbitrary<bool>(); }
  static size_t Any() {
    return *rc::gen::oneOf(rc::gen::inRange<size_t>(0, 64),
                           rc::gen::arbitrary<size_t>(),
                           rc::gen::just(std::numeric_limits<size_t>::max()));
  }
  static size_t Below(size_t end) { return *rc::gen::inRange<size_t>(0, end); }

  void AddRecords() {
    constexpr size_t kMax = std::numeric_limits<size_t>::max();
    for (size_t i = 0; i < count_; ++i) {
      size_t last = Below(kMax);
      size_t first = Below(last + 1);
      if (trace_.problem.constraints.order) {
        std::vector<TaskId> users = {Below(tasks_)};
        while (Flip()) users.push_back(Below(tasks_));
        first = *std::min_element(users.begin(), users.end());
        last = *std::max_element(users.begin(), users.end());
        trace_.problem.constraints.users.Add(users);
      }
      trace_.problem.records.emplace_back(Any(), first, last);
      trace_.problem.alignments.push_back(size_t{1}
                                          << *rc::gen::inRange(0, 64));
      trace_.problem.fixed_offsets.push_back(Flip() ? absl::make_optional(Any())
                                                    : absl::nullopt);
    }
    const bool is_aligned =
        is_csv_ || std::any_of(trace_.problem.alignments.begin(),
                               trace_.problem.alignments.end(),
                               [](size_t alignment) { return alignment > 1; });
    if (!is_aligned || Flip()) trace_.problem.alignments.clear();
    if (Flip() || (!is_csv_ && !HasFixedOffsets(trace_.problem))) {
      trace_.problem.fixed_offsets.clear();
    }
  }

  void AddPlan() {
    const bool is_offsets = Flip();
    if (Flip()) return;
    for (size_t i = 0; i < count_; ++i) {
      (is_offsets ? trace_.plan.offsets : trace_.plan.objects).push_back(Any());
    }
  }

  // Adds ranges and groups. Groups are numbered in the order of their first
  // records, as in the reader of files.
  void AddPlaces() {
    std::vector<RecordPlace>& places = trace_.problem.constraints.places;
    std::set<std::string> names;
    bool has_any = false;
    for (size_t i = 0; i < count_; ++i) {
      RecordPlace& place = places.emplace_back();
      if (Flip()) place.min = Any();
      if (Flip()) place.max = Any();
      if (Flip()) {
        const size_t group = Below(trace_.problem.labels.groups.size() + 1);
        if (group == trace_.problem.labels.groups.size()) {
          std::string name = *WildId();
          if (!names.insert(name).second) continue;
          trace_.problem.labels.groups.push_back(std::move(name));
        }
        place.group = static_cast<uint32_t>(group);
        place.at = Any();
      }
      has_any =
          has_any || place.min > 0 || place.max || place.group != kNoGroup;
    }
    if (!has_any) places.clear();
  }

  // Adds pools and choices. CSV has no list of pools, so a trace for CSV has
  // only pools that a record names.
  void AddPools() {
    if (count_ == 0) return;
    std::vector<MemoryPool>& pools = trace_.problem.constraints.pools;
    const auto new_pool = [&] {
      pools.emplace_back();
      pools.back().name =
          absl::StrCat(is_csv_ ? "sram, " : *WildId(), pools.size());
      if (!is_csv_ && Flip()) pools.back().capacity = Any();
    };
    if (!is_csv_) {
      for (size_t left = Below(4) + 1; left > 0; --left) new_pool();
    }
    const auto any_pool = [&] {
      const size_t pool = Below(pools.size() + (is_csv_ ? 1 : 0));
      if (pool == pools.size()) new_pool();
      return static_cast<uint32_t>(pool);
    };
    const bool has_chosen = !trace_.plan.offsets.empty() && Flip();
    bool has_any = false;
    for (size_t i = 0; i < count_; ++i) {
      std::vector<PoolChoice>& choices =
          trace_.problem.constraints.choices.emplace_back();
      std::set<uint32_t> named;
      while (Flip()) {
        const uint32_t pool = any_pool();
        if (named.insert(pool).second) choices.push_back({pool, Any()});
      }
      has_any = has_any || !choices.empty();
      if (has_chosen) trace_.plan.chosen_pools.push_back(any_pool());
    }
    if (!has_any) trace_.problem.constraints.choices.clear();
  }

  // Adds information about tensors. Only operators that write or read a tensor
  // have a name, because files store the names of operators in the rows of
  // tensors.
  void AddInfos() {
    constexpr size_t kTasks = 8;
    std::vector<std::string> names;
    for (size_t task = 0; task < kTasks; ++task) {
      std::string name = Flip() ? WildText() : "";
      // In a cell of a file, bars separate names, and readers strip blanks from
      // the ends of names. Names must therefore contain neither bars nor
      // blanks.
      std::replace(name.begin(), name.end(), '|', '_');
      std::replace(name.begin(), name.end(), ' ', '_');
      names.push_back(std::move(name));
    }
    std::vector<std::string>& operators = trace_.problem.labels.operators;
    const auto use = [&](size_t task) {
      if (task >= kTasks || names[task].empty()) return task;
      if (operators.size() <= task) operators.resize(task + 1);
      operators[task] = names[task];
      return task;
    };
    bool has_any = false;
    for (size_t i = 0; i < count_; ++i) {
      TensorInfo& info = trace_.problem.labels.tensors.emplace_back();
      if (Flip()) info.name = WildText();
      if (Flip()) info.type = WildText();
      if (Flip()) info.shape = WildText();
      if (Flip()) info.producer = use(Flip() ? Below(kTasks) : Any());
      for (size_t task = Below(kTasks); task < kTasks && Flip(); ++task) {
        info.consumers.push_back(use(task));
      }
      has_any = has_any || !IsSameInfo(info, TensorInfo());
    }
    if (!has_any) trace_.problem.labels.tensors.clear();
    if (!trace_.problem.constraints.order) return;
    operators.resize(std::min(operators.size(), tasks_));
    while (!operators.empty() && operators.back().empty()) {
      operators.pop_back();
    }
  }

  void AddPairs() {
    Constraints& constraints = trace_.problem.constraints;
    while (Flip()) {
      std::vector<size_t>& set = constraints.apart.emplace_back();
      do {
        set.push_back(Below(count_));
      } while (Flip());
    }
    while (Flip()) {
      constraints.never.emplace_back(Below(count_), Below(count_));
    }
    while (Flip()) {
      constraints.prefer_apart.push_back({Below(count_), Below(count_), Any()});
    }
    while (Flip()) {
      constraints.same_or_apart.push_back(
          {Below(count_), Below(count_), Any()});
    }
  }

  void AddHoles() {
    Constraints& constraints = trace_.problem.constraints;
    while (Flip()) {
      Hole hole;
      hole.end = std::max<size_t>(Any(), 1);
      hole.begin = Below(hole.end);
      hole.last_task = Any();
      hole.first_task = Flip() ? 0 : Below(hole.last_task) / 2;
      if (!constraints.pools.empty()) {
        hole.pool = static_cast<uint32_t>(Below(constraints.pools.size()));
      }
      constraints.holes.push_back(hole);
    }
  }

  // Adds an order of edges or of streams. Every edge leads to a later task.
  void AddOrder() {
    tasks_ = Below(8) + 1;
    std::vector<TaskEdge> edges;
    while (Flip()) {
      const size_t after = Below(tasks_);
      if (after > 0) edges.push_back({Below(after), after});
    }
    if (Flip()) {
      trace_.problem.constraints.order =
          TaskOrder::FromEdges(tasks_, edges).value();
      return;
    }
    std::vector<std::vector<TaskId>> streams(Below(3) + 1);
    for (TaskId task = 0; task < tasks_; ++task) {
      streams[Below(streams.size())].push_back(task);
    }
    trace_.problem.constraints.order =
        TaskOrder::FromStreams(streams, edges).value();
  }

  bool is_csv_;
  size_t count_ = 0;
  size_t tasks_ = 0;
  ProblemFile trace_;
};

inline ProblemFile WildTrace(WildTraceMaker::Extent extent) {
  return WildTraceMaker(extent).Make();
}

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_WILD_TRACE_H_
