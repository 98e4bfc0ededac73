// SPDX-License-Identifier: Apache-2.0
#include "optimal/exact/search_log.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/components.h"
#include "optimal/exact/search_observer.h"
#include "optimal/log_buffer.h"
#include "src/base/work_limit.h"
#include "stowage/base/status.h"
#include "stowage/profile.h"

namespace stowage::optimal {
namespace {

// The number of nodes between two calls of the writer, each of which can stop
// the log with an error. Searching this number of nodes takes a few
// milliseconds.
constexpr uint64_t kNodesAtOnce = 256;

// All data needed to repeat a search.
struct Repetition {
  Packing packing;
  ExhaustedSearch search;
  // The index of each record in SearchProof::records.
  std::vector<size_t> numbers;
  // For each step, a task at which all items of the step are live.
  std::vector<TaskId> tasks;
};

// Writes one line for each call (docs/certificates.md).
class LogWriter final : public SearchObserver {
 public:
  LogWriter(const Repetition& repetition, const WriteText& write)
      : repetition_(repetition), log_(write) {}

  void OnPlaced(uint32_t record) override {
    ++depth_;
    log_.AddLine("p", NumberOf(record));
  }

  void OnExhausted() override {
    log_.AddLine("u");
    CloseNode();
  }

  void OnPart(uint32_t record, uint32_t split) override {
    while (!parts_.empty() && parts_.back().split >= split) AbandonPart();
    parts_.push_back({split, depth_, log_.size()});
    log_.AddLine("c", NumberOf(record));
  }

  void OnFull(uint32_t step, Level level) override {
    log_.AddLine("f", repetition_.tasks[step], " ", level);
    CloseNode();
  }

  void OnStuck(uint32_t record) override {
    log_.AddLine("s", NumberOf(record));
    CloseNode();
  }

  Status Relieve() { return log_.Relieve(); }
  Status Finish() { return log_.Finish(); }

 private:
  struct Part {
    uint32_t split;
    size_t depth;  // the number of records placed above the part
    size_t begin;  // the size of the log before the part
  };

  size_t NumberOf(uint32_t record) const { return repetition_.numbers[record]; }

  // Closes the open node, which was given up. If this node is a part of a split
  // node, the split node is given up as well. The open node is then the node in
  // which the innermost record was placed.
  void CloseNode() {
    while (!parts_.empty() && parts_.back().depth == depth_) parts_.pop_back();
    if (depth_ > 0) --depth_;
  }

  // Drops the lines of the innermost part, because nothing was proved about it.
  void AbandonPart() {
    const Part part = parts_.back();
    parts_.pop_back();
    depth_ = part.depth;
    if (!log_.TruncateTo(part.begin)) log_.AddLine("a");
  }

  const Repetition& repetition_;
  LogBuffer log_;
  std::vector<Part> parts_;  // the open parts, with the innermost last
  size_t depth_ = 0;         // the number of records placed above the open node
};

Status WriteLog(const Repetition& repetition, const WriteText& write) {
  LogWriter writer(repetition, write);
  PackingSearch search(repetition.packing, repetition.search.order,
                       repetition.search.capacity);
  search.Observe(&writer);
  WorkLimit unlimited(WorkLimit::kUnlimited);
  while (search.state() == PackingSearch::State::kOpen) {
    search.Run(kNodesAtOnce, &unlimited);
    if (Status s = writer.Relieve(); !s.ok()) return s;
  }
  if (search.state() == PackingSearch::State::kExhausted) {
    return writer.Finish();
  }
  return InternalError("a search ended otherwise than before");
}

// Returns one task for each step, at which all items of the step are live: the
// last of the first tasks of these items.
std::vector<TaskId> TasksOf(const Problem& problem, const Packing& packing) {
  std::vector<TaskId> tasks(packing.steps, 0);
  for (const Item& item : packing.items) {
    const TaskId first = problem.records()[item.record].first_task;
    for (uint32_t s = item.begin; s < item.end; ++s) {
      tasks[s] = std::max(tasks[s], first);
    }
  }
  return tasks;
}

}  // namespace

SearchProof MakeSearchProof(const Packing& packing, size_t unit,
                            const ExhaustedSearch& search) {
  SearchProof proof;
  for (const uint32_t i : search.order.items) {
    proof.records.push_back(packing.items[i].record);
  }
  for (const Item& item : packing.items) {
    if (item.is_fixed()) proof.records.push_back(item.record);
  }
  proof.capacity = static_cast<size_t>(search.capacity) * unit;
  proof.unit = unit;
  proof.by_load = search.order.by_load;
  return proof;
}

Status WriteOffsetsLog(const Problem& problem, const SearchProof& proof,
                       const WriteText& write) {
  Repetition repetition;
  repetition.numbers.assign(problem.size(), 0);
  std::vector<uint32_t> records;
  for (size_t k = 0; k < proof.records.size(); ++k) {
    repetition.numbers[proof.records[k]] = k;
    records.push_back(static_cast<uint32_t>(proof.records[k]));
  }
  repetition.packing = PackingOf(problem, proof.unit, records);
  repetition.tasks = TasksOf(problem, repetition.packing);
  ExhaustedSearch& search = repetition.search;
  search.capacity = static_cast<Level>(proof.capacity / proof.unit);
  search.order.by_load = proof.by_load;
  search.order.items = MovableItems(repetition.packing);
  return WriteLog(repetition, write);
}

}  // namespace stowage::optimal
