// SPDX-License-Identifier: Apache-2.0
#include "optimal/objects/class_log.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "optimal/log_buffer.h"
#include "optimal/objects/chain_weights.h"
#include "optimal/objects/class_model.h"
#include "optimal/objects/class_observer.h"
#include "optimal/objects/class_search.h"
#include "optimal/objects/kernel_limits.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/linear_program.h"
#include "stowage/assignment.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"

namespace stowage::optimal {
namespace {

// Writes one or more lines for each call (docs/certificates.md).
class ClassLogWriter final : public ClassObserver {
 public:
  ClassLogWriter(const ClassModel& model, const WriteText& write)
      : model_(model), log_(write), weights_(model.lives.size(), 0) {}

  void OnCounts(uint32_t first, size_t count, bool is_fewer_first) override {
    log_.AddLine(is_fewer_first ? "l" : "m", model_.sizes[first], " ", count);
  }

  void OnClasses(uint32_t item, uint32_t k) override {
    log_.AddLine("t", item, " ", model_.sizes[k]);
  }

  void OnBound(const ClassNode& node, const ChainBound& bound) override {
    for (size_t i = 0; i < weights_.size(); ++i) {
      if (weights_[i] == bound.weights[i]) continue;
      weights_[i] = bound.weights[i];
      log_.AddLine("w", i, " ", weights_[i]);
    }
    for (size_t c = 0; c < bound.counts.size(); ++c) {
      const size_t size = model_.sizes[node.counts[c].first];
      const int64_t price = bound.counts[c];
      if (price > 0) log_.AddLine("n", size, " ", price);
      if (price < 0) log_.AddLine("x", size, " ", -price);
    }
    log_.AddLine("b", bound.scale);
  }

  Status Relieve() { return log_.Relieve(); }
  Status Finish() { return log_.Finish(); }

 private:
  const ClassModel& model_;
  LogBuffer log_;
  // The weight of each item, as last written to the log.
  std::vector<uint64_t> weights_;
};

}  // namespace

SearchProof MakeClassProof(const CompleteSearch& search) {
  SearchProof proof;
  proof.records = search.records;
  proof.capacity = search.last_limit - 1;
  proof.first_capacity = search.limit - 1;
  return proof;
}

Status WriteObjectsLog(const Problem& problem, const SearchProof& proof,
                       const WriteText& write) {
  std::unique_ptr<LinearProgram> program = CreateLinearProgram();
  if (program == nullptr) {
    return InternalError("the solver of the search is not linked");
  }
  CompleteSearch search;
  search.records = proof.records;
  search.limit = proof.first_capacity + 1;
  search.last_limit = proof.capacity + 1;
  for (const size_t i : proof.records) {
    search.items.push_back(
        {problem.records()[i].tensor_size, RanksOf(problem).intervals[i]});
  }
  return WriteClassLog(search, std::move(program), write);
}

Status WriteClassLog(const CompleteSearch& search,
                     std::unique_ptr<LinearProgram> program,
                     const WriteText& write) {
  std::vector<uint32_t> all(search.items.size());
  std::iota(all.begin(), all.end(), uint32_t{0});
  const ClassModel model = BuildClassModel(search.items, all);
  ClassLogWriter writer(model, write);
  Status status;
  const std::function<bool()> is_unwanted = [&] {
    if (status.ok()) status = writer.Relieve();
    return !status.ok();
  };
  StopSignal stop;
  stop.is_unwanted = &is_unwanted;
  uint64_t nodes = std::numeric_limits<uint64_t>::max();
  KernelLimits limits;
  limits.limit = search.limit;
  limits.stop = &stop;
  limits.nodes_left = &nodes;
  limits.on_plan = [](const ObjectsAssignment<size_t>& /*plan*/,
                      size_t /*total*/,
                      string_view /*found_by*/) { return false; };
  ClassSearch again(model, std::move(program), std::move(limits),
                    [](const ChainBound& /*bound*/) {});
  again.Observe(&writer);
  const bool is_complete = again.Run();
  if (!status.ok()) return status;
  if (is_complete) return writer.Finish();
  return InternalError("a search ended otherwise than before");
}

}  // namespace stowage::optimal
