// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/error_payload.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

Status CheckIndices(const UsageGraph& deps) {
  for (size_t x = 0; x < deps.size(); ++x) {
    for (const size_t y : deps[x]) {
      if (y >= deps.size()) {
        return WithRecords(InvalidArgumentError(StrCat(
                               "dependency graph: tensor ", x, " lists tensor ",
                               y, "; expected a tensor below ", deps.size())),
                           {x});
      }
    }
  }
  return OkStatus();
}

// Checks that the dependencies form no cycle. Repeatedly removes a tensor that
// depends on no remaining tensor. Every tensor that cannot be removed is on a
// cycle or depends, directly or indirectly, on a tensor that is on a cycle.
Status CheckAcyclic(const UsageGraph& deps) {
  std::vector<size_t> incoming(deps.size(), 0);
  for (const std::vector<size_t>& children : deps) {
    for (const size_t child : children) ++incoming[child];
  }
  std::vector<size_t> ready;
  for (size_t x = 0; x < deps.size(); ++x) {
    if (incoming[x] == 0) ready.push_back(x);
  }
  for (size_t next = 0; next < ready.size(); ++next) {
    for (const size_t child : deps[ready[next]]) {
      if (--incoming[child] == 0) ready.push_back(child);
    }
  }
  if (ready.size() == deps.size()) return OkStatus();
  for (size_t x = 0;; ++x) {
    if (incoming[x] != 0) {
      return WithRecords(
          InvalidArgumentError(StrCat(
              "dependency graph: tensor ", x,
              " is on or behind a cycle of dependencies; expected none")),
          {x});
    }
  }
}

std::vector<size_t> SortedUnique(std::vector<size_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Counts, for each tensor x, how many children of one given tensor reach x. A
// child does not reach itself.
class ReachCounter {
 public:
  explicit ReachCounter(const UsageGraph& deps)
      : deps_(deps), counts_(deps.size(), 0), visit_(deps.size(), 0) {}

  // Returns the tensors that can be reached from every one of `children`, in
  // unspecified order.
  std::vector<size_t> ReachedByAll(const std::vector<size_t>& children) {
    std::vector<size_t> touched;
    for (const size_t child : children) CountFrom(child, &touched);
    std::vector<size_t> reached;
    for (const size_t x : touched) {
      if (counts_[x] == children.size()) reached.push_back(x);
      counts_[x] = 0;
    }
    return reached;
  }

 private:
  void CountFrom(size_t child, std::vector<size_t>* touched) {
    ++round_;
    queue_.assign(1, child);
    visit_[child] = round_;
    for (size_t next = 0; next < queue_.size(); ++next) {
      for (const size_t x : deps_[queue_[next]]) {
        if (visit_[x] == round_) continue;
        visit_[x] = round_;
        queue_.push_back(x);
        if (counts_[x]++ == 0) touched->push_back(x);
      }
    }
  }

  const UsageGraph& deps_;
  std::vector<size_t> counts_;
  std::vector<size_t> visit_;  // the last round that reached each tensor
  std::vector<size_t> queue_;
  size_t round_ = 0;
};

}  // namespace

StatusOr<UsageGraph> BuildReallocationGraph(const UsageGraph& deps) {
  if (Status status = CheckIndices(deps); !status.ok()) return status;
  if (Status status = CheckAcyclic(deps); !status.ok()) return status;
  UsageGraph graph(deps.size());
  ReachCounter counter(deps);
  for (size_t root = 0; root < deps.size(); ++root) {
    const std::vector<size_t> children = SortedUnique(deps[root]);
    if (children.empty()) continue;
    for (const size_t x : counter.ReachedByAll(children)) {
      graph[root].push_back(x);
      graph[x].push_back(root);
    }
  }
  for (std::vector<size_t>& list : graph) list = SortedUnique(std::move(list));
  return graph;
}

}  // namespace stowage
