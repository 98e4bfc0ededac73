// SPDX-License-Identifier: Apache-2.0
#include "stowage/task_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"

namespace stowage {
namespace {

constexpr uint32_t kNoNumber = std::numeric_limits<uint32_t>::max();
// The number at which counting of chains stops. It is larger than kMaxChains,
// so the error message for an order that is too wide can usually state the
// number of chains.
constexpr size_t kMaxChainsCounted = 1024;

Status CheckTaskCount(size_t tasks) {
  if (tasks < kNoNumber) return OkStatus();
  return ResourceExhaustedError(
      StrCat("task order: ", tasks, " tasks; expected fewer than ", kNoNumber));
}

Status CheckEdge(string_view what, size_t index, const TaskEdge& edge,
                 size_t tasks) {
  for (const TaskId task : {edge.before, edge.after}) {
    if (task < tasks) continue;
    return InvalidArgumentError(StrCat("task order: ", what, " ", index,
                                       " names task ", task,
                                       "; expected a task below ", tasks));
  }
  if (edge.before != edge.after) return OkStatus();
  return InvalidArgumentError(StrCat("task order: ", what, " ", index,
                                     " makes task ", edge.before,
                                     " precede itself; expected no cycle"));
}

Status CheckEdges(string_view what, Span<const TaskEdge> edges, size_t tasks) {
  for (size_t i = 0; i < edges.size(); ++i) {
    if (Status s = CheckEdge(what, i, edges[i], tasks); !s.ok()) return s;
  }
  return OkStatus();
}

Status TooManyChains(size_t chains) {
  return ResourceExhaustedError(StrCat(
      "task order: it takes ", chains > kMaxChainsCounted ? "more than " : "",
      std::min(chains, kMaxChainsCounted), " chains; expected ",
      TaskOrder::kMaxChains,
      " at most (edges between tasks that need not run at once make fewer)"));
}

}  // namespace

StatusOr<TaskOrder> TaskOrder::FromEdges(size_t tasks,
                                         Span<const TaskEdge> edges) {
  if (Status s = CheckTaskCount(tasks); !s.ok()) return s;
  if (Status s = CheckEdges("edge", edges, tasks); !s.ok()) return s;
  // Each edge joins at most two chains into one, so the number of chains is at
  // least the number of tasks minus the number of edges. An order with too many
  // chains is rejected here, before any memory is allocated for it.
  if (tasks > kMaxChainsCounted + edges.size()) {
    return TooManyChains(tasks - edges.size());
  }
  TaskOrder order;
  order.edges_.assign(edges.begin(), edges.end());
  order.chain_of_.assign(tasks, kNoNumber);
  order.position_of_.assign(tasks, 0);
  if (Status s = order.Sort(edges); !s.ok()) return s;
  if (Status s = order.CoverWithChains(); !s.ok()) return s;
  order.CountAll();
  return order;
}

StatusOr<TaskOrder> TaskOrder::FromStreams(
    std::vector<std::vector<TaskId>> streams, Span<const TaskEdge> waits) {
  const size_t tasks = std::accumulate(
      streams.begin(), streams.end(), size_t{0},
      [](size_t sum, const auto& stream) { return sum + stream.size(); });
  if (Status s = CheckTaskCount(tasks); !s.ok()) return s;
  if (streams.size() > kMaxChains) return TooManyChains(streams.size());
  TaskOrder order;
  order.is_of_streams_ = true;
  order.edges_.assign(waits.begin(), waits.end());
  order.chain_of_.assign(tasks, kNoNumber);
  order.position_of_.assign(tasks, 0);
  std::vector<TaskEdge> all(waits.begin(), waits.end());
  for (size_t s = 0; s < streams.size(); ++s) {
    for (size_t p = 0; p < streams[s].size(); ++p) {
      const TaskId task = streams[s][p];
      if (task >= tasks || order.chain_of_[task] != kNoNumber) {
        return InvalidArgumentError(StrCat(
            "task order: stream ", s, " has task ", task,
            task >= tasks
                ? StrCat("; expected the tasks 0 to ", tasks - 1, ", each once")
                : StrCat(", which stream ", order.chain_of_[task],
                         " has; expected each task once")));
      }
      order.chain_of_[task] = static_cast<uint32_t>(s);
      order.position_of_[task] = static_cast<uint32_t>(p);
      if (p > 0) all.push_back({streams[s][p - 1], task});
    }
  }
  if (Status s = CheckEdges("wait", waits, tasks); !s.ok()) return s;
  order.chains_ = std::move(streams);
  if (Status s = order.Sort(all); !s.ok()) return s;
  order.CountAll();
  return order;
}

// Sorts the tasks topologically with Kahn's algorithm. Whenever several tasks
// are ready, the ready task with the lowest number comes first.
Status TaskOrder::Sort(Span<const TaskEdge> all_edges) {
  first_edge_.assign(tasks() + 1, 0);
  std::vector<uint32_t> awaited(tasks(), 0);
  for (const TaskEdge& edge : all_edges) {
    ++first_edge_[edge.before + 1];
    ++awaited[edge.after];
  }
  std::partial_sum(first_edge_.begin(), first_edge_.end(), first_edge_.begin());
  followers_.resize(all_edges.size());
  std::vector<size_t> next(first_edge_.begin(), first_edge_.end() - 1);
  for (const TaskEdge& edge : all_edges) {
    followers_[next[edge.before]++] = static_cast<uint32_t>(edge.after);
  }
  std::priority_queue<TaskId, std::vector<TaskId>, std::greater<>> ready;
  for (TaskId t = 0; t < tasks(); ++t) {
    if (awaited[t] == 0) ready.push(t);
  }
  sequence_.reserve(tasks());
  while (!ready.empty()) {
    const TaskId task = ready.top();
    ready.pop();
    sequence_.push_back(task);
    for (size_t e = first_edge_[task]; e < first_edge_[task + 1]; ++e) {
      if (--awaited[followers_[e]] == 0) ready.push(followers_[e]);
    }
  }
  if (sequence_.size() == tasks()) return OkStatus();
  const auto stuck = std::find_if(awaited.begin(), awaited.end(),
                                  [](uint32_t count) { return count > 0; });
  return InvalidArgumentError(
      StrCat("task order: task ", stuck - awaited.begin(), " and ",
             tasks() - sequence_.size() - 1,
             " more wait for each other in a cycle; expected an order"));
}

namespace {

// Builds the chains of tasks.
class ChainCover {
 public:
  explicit ChainCover(size_t tasks)
      : before_(tasks), claimed_by_(tasks, kNoNumber) {}

  // Appends the task to a chain and returns the chain. If a predecessor has
  // reserved a chain for the task, uses that chain. Otherwise uses a chain that
  // is not reserved and contains only tasks that precede the task. If there is
  // no such chain, begins a new chain. Requires that the followers of the task
  // are appended later.
  uint32_t Append(TaskId task, Span<const uint32_t> followers) {
    uint32_t chain = claimed_by_[task];
    if (chain == kNoNumber) chain = FindFree(before_[task]);
    ++lengths_[chain];
    is_kept_[chain] = false;
    std::vector<uint32_t> row = std::move(before_[task]);
    row.resize(std::max<size_t>(row.size(), chain + 1), 0);
    row[chain] = lengths_[chain];
    for (const uint32_t follower : followers) {
      std::vector<uint32_t>& there = before_[follower];
      there.resize(std::max(there.size(), row.size()), 0);
      for (size_t c = 0; c < row.size(); ++c) {
        there[c] = std::max(there[c], row[c]);
      }
      if (is_kept_[chain] || claimed_by_[follower] != kNoNumber) continue;
      claimed_by_[follower] = chain;
      is_kept_[chain] = true;
    }
    return chain;
  }

  size_t size() const { return lengths_.size(); }

 private:
  uint32_t FindFree(Span<const uint32_t> before) {
    for (uint32_t c = 0; c < before.size(); ++c) {
      if (before[c] == lengths_[c] && !is_kept_[c]) return c;
    }
    lengths_.push_back(0);
    is_kept_.push_back(false);
    return static_cast<uint32_t>(lengths_.size() - 1);
  }

  std::vector<uint32_t> lengths_;
  // For each chain, whether it is reserved for a follower of its last task.
  std::vector<bool> is_kept_;
  // For each task that is not yet appended, the number of tasks of each chain
  // that precede it.
  std::vector<std::vector<uint32_t>> before_;
  std::vector<uint32_t> claimed_by_;
};

}  // namespace

Status TaskOrder::CoverWithChains() {
  ChainCover cover(tasks());
  for (const TaskId task : sequence_) {
    chain_of_[task] = cover.Append(
        task, MakeConstSpan(followers_)
                  .subspan(first_edge_[task],
                           first_edge_[task + 1] - first_edge_[task]));
    if (cover.size() > kMaxChainsCounted) break;
  }
  if (cover.size() > kMaxChains) return TooManyChains(cover.size());
  chains_.resize(cover.size());
  for (const TaskId task : sequence_) {
    std::vector<TaskId>& chain = chains_[chain_of_[task]];
    position_of_[task] = static_cast<uint32_t>(chain.size());
    chain.push_back(task);
  }
  return OkStatus();
}

void TaskOrder::CountAll() {
  const size_t k = chains();
  before_.assign(tasks() * k, 0);
  after_.assign(tasks() * k, 0);
  for (const TaskId task : sequence_) {
    // Every predecessor of `task` also precedes the followers of `task`.
    for (size_t e = first_edge_[task]; e < first_edge_[task + 1]; ++e) {
      uint32_t* const follower = &before_[followers_[e] * k];
      for (size_t c = 0; c < k; ++c) {
        follower[c] = std::max(follower[c], before_[task * k + c]);
      }
      uint32_t& own = follower[chain_of_[task]];
      own = std::max(own, position_of_[task] + 1);
    }
  }
  for (auto task = sequence_.rbegin(); task != sequence_.rend(); ++task) {
    uint32_t* const own = &after_[*task * k];
    for (size_t c = 0; c < k; ++c) {
      own[c] = static_cast<uint32_t>(chains_[c].size());
    }
    for (size_t e = first_edge_[*task]; e < first_edge_[*task + 1]; ++e) {
      const uint32_t follower = followers_[e];
      for (size_t c = 0; c < k; ++c) {
        own[c] = std::min(own[c], after_[follower * k + c]);
      }
      uint32_t& there = own[chain_of_[follower]];
      there = std::min(there, position_of_[follower]);
    }
  }
  first_edge_ = {};
  followers_ = {};
}

}  // namespace stowage
