// SPDX-License-Identifier: Apache-2.0
#include "tests/testing/mutants_parallel.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "stowage/assignment.h"
#include "stowage/testing/graphs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

// Stores, for each pair of tensors, whether one depends on the other, directly
// or through other tensors. Requires that each tensor comes after the tensors
// from which it is computed.
class Dependencies {
 public:
  explicit Dependencies(const GraphInstance& graph)
      : graph_(graph),
        after_(graph.records.size(),
               std::vector<bool>(graph.records.size(), false)) {
    for (size_t from = graph.records.size(); from-- > 0;) {
      for (const size_t child : graph.dependencies[from]) {
        after_[from][child] = true;
        for (size_t to = child; to < after_.size(); ++to) {
          if (after_[child][to]) after_[from][to] = true;
        }
      }
    }
  }

  // Returns whether `later` is computed from `earlier`, directly or through
  // other tensors.
  bool IsAfter(size_t later, size_t earlier) const {
    return after_[earlier][later];
  }
  const std::vector<size_t>& Readers(size_t tensor) const {
    return graph_.dependencies[tensor];
  }
  const GraphInstance& graph() const { return graph_; }

 private:
  const GraphInstance& graph_;
  std::vector<std::vector<bool>> after_;
};

// Returns whether `tensor` may use the object that `tenant` used before.
using FollowsFn = bool (*)(const Dependencies&, size_t tensor, size_t tenant);

bool Follows(const Dependencies& all, size_t tensor, size_t tenant) {
  return !all.Readers(tenant).empty() &&
         absl::c_all_of(all.Readers(tenant), [&](size_t reader) {
           return all.IsAfter(tensor, reader);
         });
}

ObjectsAssignment<size_t> PlanWith(const GraphInstance& graph,
                                   FollowsFn follows) {
  const Dependencies dependencies(graph);
  ObjectsAssignment<size_t> plan;
  std::vector<std::vector<size_t>> tenants;
  for (size_t i = 0; i < graph.records.size(); ++i) {
    const auto is_free = [&](const std::vector<size_t>& object) {
      return absl::c_all_of(object, [&](size_t tenant) {
        return follows(dependencies, i, tenant);
      });
    };
    const auto found = absl::c_find_if(tenants, is_free);
    const auto object = static_cast<size_t>(found - tenants.begin());
    if (found == tenants.end()) {
      tenants.emplace_back();
      plan.object_sizes.push_back(0);
    }
    tenants[object].push_back(i);
    plan.object_ids.push_back(object);
    plan.object_sizes[object] =
        std::max(plan.object_sizes[object], graph.records[i].tensor_size);
  }
  return plan;
}

ParallelMutant Following(std::string name, std::string bug, FollowsFn follows) {
  return {std::move(name), std::move(bug),
          [follows](const GraphInstance& g) { return PlanWith(g, follows); }};
}

}  // namespace

ObjectsAssignment<size_t> PlanParallel(const GraphInstance& graph) {
  return PlanWith(graph, Follows);
}

std::vector<ParallelMutant> ParallelMutants() {
  return {
      Following("branches_in_one_order",
                "plans for one order of execution, though branches run at once",
                [](const Dependencies& all, size_t tensor, size_t tenant) {
                  const auto& records = all.graph().records;
                  return records[tenant].last_task < records[tensor].first_task;
                }),
      Following("one_reader_is_enough",
                "hands an object on when one of its readers has run",
                [](const Dependencies& all, size_t tensor, size_t tenant) {
                  return absl::c_any_of(all.Readers(tenant),
                                        [&](size_t reader) {
                                          return all.IsAfter(tensor, reader);
                                        });
                }),
      Following("follows_its_writer",
                "hands an object on to whatever depends on the tensor in it, "
                "readers or not",
                [](const Dependencies& all, size_t tensor, size_t tenant) {
                  return all.IsAfter(tensor, tenant);
                }),
      Following(
          "last_reader_itself", "lets the reader of an object write into it",
          [](const Dependencies& all, size_t tensor, size_t tenant) {
            return !all.Readers(tenant).empty() &&
                   absl::c_all_of(all.Readers(tenant), [&](size_t reader) {
                     return reader == tensor || all.IsAfter(tensor, reader);
                   });
          }),
      Following("unread_is_over",
                "takes a tensor that is never read for over, though it may be "
                "written any time",
                [](const Dependencies& all, size_t tensor, size_t tenant) {
                  return absl::c_all_of(all.Readers(tenant),
                                        [&](size_t reader) {
                                          return all.IsAfter(tensor, reader);
                                        });
                }),
  };
}

}  // namespace stowage::testing
