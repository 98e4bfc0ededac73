// SPDX-License-Identifier: Apache-2.0
// Completes a problem at the end of its file, when all names are known: builds
// the order of its tasks, and replaces names by the objects they stand for.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/base/text.h"
#include "src/io/problem_builder.h"
#include "src/io/schema.h"
#include "stowage/constraints.h"
#include "stowage/free_order.h"
#include "stowage/io/problem_file.h"
#include "stowage/task_order.h"

namespace stowage::problem_file {
namespace {

bool IsIn(NodeSet seen, Node node) { return (seen & BitOf(node)) != 0; }

absl::Status BuildError(absl::string_view what, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, "; expected ", expected));
}

// Replaces the number of a name by the index of the object that the name stands
// for. If there is no such object, returns an error; path() returns the
// position of the name in the file for the message.
template <typename Number, typename Path>
absl::Status Resolve(const NameTable& table, absl::string_view what,
                     Number* number, Path path) {
  const size_t meaning = table.MeaningOf(*number);
  if (meaning != NameTable::kNothing) {
    *number = static_cast<Number>(meaning);
    return absl::OkStatus();
  }
  return BuildError(
      absl::StrCat(path(), ": no ", what, " is called ",
                   Quoted(table.names()[*number])),
      absl::StrCat("the ", what == "pool" ? "name" : "id", " of a ", what));
}

}  // namespace

absl::StatusOr<ProblemFile> ProblemBuilder::Build() {
  if (absl::Status s = CheckOrder(); !s.ok()) return s;
  if (absl::Status s = BuildOrder(); !s.ok()) return s;
  if (absl::Status s = CheckOperators(); !s.ok()) return s;
  if (absl::Status s = ResolveIds(); !s.ok()) return s;
  if (absl::Status s = ResolvePools(); !s.ok()) return s;
  const size_t count = problem_.records.size();
  if (!problem_.alignments.empty()) problem_.alignments.resize(count, 1);
  if (!problem_.fixed_offsets.empty()) problem_.fixed_offsets.resize(count);
  if (!problem_.labels.tensors.empty()) problem_.labels.tensors.resize(count);
  while (!problem_.labels.operators.empty() &&
         problem_.labels.operators.back().empty()) {
    problem_.labels.operators.pop_back();
  }
  Constraints& constraints = problem_.constraints;
  if (!constraints.places.empty()) constraints.places.resize(count);
  if (!constraints.choices.empty()) constraints.choices.resize(count);
  problem_.labels.groups = groups_.names();
  return ProblemFile{std::move(problem_), std::move(plan_)};
}

absl::Status ProblemBuilder::CheckOrder() const {
  if (!IsIn(seen_, Node::kOrder)) {
    for (const Node node :
         {Node::kTasks, Node::kEdges, Node::kStreams, Node::kWaits}) {
      if (!IsIn(seen_, node)) continue;
      return BuildError(absl::StrCat(InfoOf(node).key, ": there is no order"),
                        R"("order": "partial")");
    }
    if (IsIn(seen_, Node::kExecutionOrder)) return CheckFreeKeys();
    if (!has_users_) return absl::OkStatus();
    return BuildError(
        "records: they have users, but there is no order",
        R"("order": "partial", or lower and upper in every record)");
  }
  if (!problem_.records.empty() && !has_users_) {
    return BuildError("order: records have lower and upper",
                      "users in every record");
  }
  if (is_free_ || IsIn(seen_, Node::kExecutionOrder)) return CheckFreeKeys();
  const bool has_streams = IsIn(seen_, Node::kStreams);
  if (has_streams == IsIn(seen_, Node::kEdges)) {
    return BuildError(has_streams ? "order: both edges and streams"
                                  : "order: neither edges nor streams",
                      "one of them");
  }
  if (IsIn(seen_, Node::kWaits) && !has_streams) {
    return BuildError("waits: there are no streams", "streams, or edges alone");
  }
  if (!has_streams && !IsIn(seen_, Node::kTasks)) {
    return BuildError("order: edges without tasks", "the number of tasks");
  }
  return absl::OkStatus();
}

// Checks the keys that only a problem with a free order, or a plan for one, may
// have.
absl::Status ProblemBuilder::CheckFreeKeys() const {
  if (!is_free_) {
    return BuildError("execution_order: the order is not free",
                      R"("order": "free")");
  }
  for (const Node node : {Node::kStreams, Node::kWaits}) {
    if (!IsIn(seen_, node)) continue;
    return BuildError(absl::StrCat(InfoOf(node).key, ": the order is free"),
                      R"(edges, or "order": "partial")");
  }
  for (const Node node : {Node::kTasks, Node::kEdges}) {
    if (IsIn(seen_, node)) continue;
    return BuildError(absl::StrCat("order: free without ", InfoOf(node).key),
                      "tasks and edges, of which there may be none");
  }
  return absl::OkStatus();
}

absl::Status ProblemBuilder::CheckUsers(size_t tasks) const {
  for (size_t i = 0; i < problem_.records.size(); ++i) {
    if (problem_.records[i].last_task < tasks) continue;
    return BuildError(absl::StrCat("records[", i, "].users: task ",
                                   problem_.records[i].last_task),
                      absl::StrCat("tasks below ", tasks));
  }
  return absl::OkStatus();
}

absl::Status ProblemBuilder::BuildFreeOrder() {
  if (absl::Status s = CheckUsers(tasks_); !s.ok()) return s;
  problem_.free_order = FreeOrder{tasks_, std::move(edges_),
                                  std::move(problem_.constraints.users)};
  problem_.constraints.users = {};
  const absl::Status s =
      CheckFreeOrder(*problem_.free_order, problem_.records.size());
  return absl::Status(s.code(),
                      s.ok() ? "" : absl::StrCat("edges: ", s.message()));
}

absl::Status ProblemBuilder::BuildOrder() {
  if (!IsIn(seen_, Node::kOrder)) return absl::OkStatus();
  if (is_free_) return BuildFreeOrder();
  const bool has_streams = IsIn(seen_, Node::kStreams);
  absl::StatusOr<TaskOrder> order =
      has_streams ? TaskOrder::FromStreams(std::move(streams_), waits_)
                  : TaskOrder::FromEdges(tasks_, edges_);
  if (!order.ok()) {
    return absl::Status(order.status().code(),
                        absl::StrCat(has_streams ? "streams: " : "edges: ",
                                     order.status().message()));
  }
  if (IsIn(seen_, Node::kTasks) && tasks_ != order->tasks()) {
    return BuildError(absl::StrCat("tasks: is ", tasks_),
                      absl::StrCat(order->tasks(), ", as many as in streams"));
  }
  if (absl::Status s = CheckUsers(order->tasks()); !s.ok()) return s;
  problem_.constraints.order = *std::move(order);
  return absl::OkStatus();
}

// Checks that no more operators have names than the order has tasks. Without an
// order, any number of tasks may follow the records.
absl::Status ProblemBuilder::CheckOperators() const {
  const auto& order = problem_.constraints.order;
  const auto& free_order = problem_.free_order;
  if (!order && !free_order) return absl::OkStatus();
  const size_t tasks = order ? order->tasks() : free_order->tasks;
  if (problem_.labels.operators.size() <= tasks) return absl::OkStatus();
  return BuildError(
      absl::StrCat("operators: ", problem_.labels.operators.size(), " names"),
      absl::StrCat("one for each of ", tasks, " tasks"));
}

absl::Status ProblemBuilder::ResolveIds() {
  Constraints& constraints = problem_.constraints;
  const auto resolve = [&](size_t* record, absl::string_view list, size_t index,
                           const auto& entry) {
    return Resolve(ids_, "record", record, [&] {
      return absl::StrCat(list, "[", index, "]", entry());
    });
  };
  for (size_t k = 0; k < constraints.apart.size(); ++k) {
    std::vector<size_t>& set = constraints.apart[k];
    for (size_t m = 0; m < set.size(); ++m) {
      absl::Status s = resolve(&set[m], "apart", k,
                               [m] { return absl::StrCat("[", m, "]"); });
      if (!s.ok()) return s;
    }
  }
  for (size_t k = 0; k < constraints.never.size(); ++k) {
    auto& [first, second] = constraints.never[k];
    absl::Status s = resolve(&first, "never", k, [] { return "[0]"; });
    if (s.ok()) s = resolve(&second, "never", k, [] { return "[1]"; });
    if (!s.ok()) return s;
  }
  for (size_t k = 0; k < constraints.prefer_apart.size(); ++k) {
    ApartPreference& pair = constraints.prefer_apart[k];
    constexpr absl::string_view kList = "prefer_apart";
    absl::Status s = resolve(&pair.first, kList, k, [] { return ".first"; });
    if (s.ok()) s = resolve(&pair.second, kList, k, [] { return ".second"; });
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status ProblemBuilder::ResolvePools() {
  Constraints& constraints = problem_.constraints;
  const auto resolve = [&](uint32_t* pool, absl::string_view list, size_t index,
                           absl::string_view entry) {
    return Resolve(pools_, "pool", pool,
                   [&] { return absl::StrCat(list, "[", index, "].", entry); });
  };
  for (size_t i = 0; i < constraints.choices.size(); ++i) {
    for (PoolChoice& choice : constraints.choices[i]) {
      absl::Status s = resolve(&choice.pool, "records", i, "pools");
      if (!s.ok()) return s;
    }
  }
  for (size_t i = 0; i < plan_.chosen_pools.size(); ++i) {
    absl::Status s = resolve(&plan_.chosen_pools[i], "records", i, "pool");
    if (!s.ok()) return s;
  }
  for (size_t k = 0; k < constraints.holes.size(); ++k) {
    if (!hole_has_pool_[k] && !constraints.pools.empty()) {
      return BuildError(absl::StrCat("holes[", k, "]: no pool"),
                        "the name of one");
    }
    if (!hole_has_pool_[k]) continue;
    absl::Status s = resolve(&constraints.holes[k].pool, "holes", k, "pool");
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace stowage::problem_file
