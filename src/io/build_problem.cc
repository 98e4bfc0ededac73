// SPDX-License-Identifier: Apache-2.0
// Completes a problem at the end of its file, when all names are known: builds
// the order of its tasks, and replaces each name by the index of the object
// with that name.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/io/problem_builder.h"
#include "src/io/schema.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/free_order.h"
#include "stowage/io/problem_file.h"
#include "stowage/task_order.h"

namespace stowage::problem_file {
namespace {

Status BuildError(string_view what, string_view expected) {
  return InvalidArgumentError(StrCat(what, "; expected ", expected));
}

// Replaces `*number`, the number of a name in `table`, by the index of the
// object with that name. path() must return the position of the name in the
// file. Error: InvalidArgument, with path() in front of its message, if there
// is no such object.
template <typename Number, typename Path>
Status Resolve(const NameTable& table, string_view what, Number* number,
               Path path) {
  const size_t meaning = table.MeaningOf(*number);
  if (meaning != NameTable::kNothing) {
    *number = static_cast<Number>(meaning);
    return OkStatus();
  }
  return BuildError(
      StrCat(path(), ": no ", what, " is called ",
             Quoted(table.names()[*number])),
      StrCat("the ", what == "pool" ? "name" : "id", " of a ", what));
}

}  // namespace

StatusOr<ProblemFile> ProblemBuilder::Build() {
  if (Status s = CheckOrder(); !s.ok()) return s;
  if (Status s = BuildOrder(); !s.ok()) return s;
  if (Status s = CheckOperators(); !s.ok()) return s;
  if (Status s = ResolveIds(); !s.ok()) return s;
  if (Status s = ResolvePools(); !s.ok()) return s;
  const size_t count = problem_.records.size();
  std::vector<size_t>& alignments = problem_.alignments;
  if (!alignments.empty() || default_alignment_ != 1) {
    alignments.resize(count, 0);
    std::replace(alignments.begin(), alignments.end(), size_t{0},
                 default_alignment_);
  }
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

Status ProblemBuilder::CheckOrder() const {
  if (!Has(seen_, Node::kOrder)) {
    for (const Node node :
         {Node::kTasks, Node::kEdges, Node::kStreams, Node::kWaits}) {
      if (!Has(seen_, node)) continue;
      return BuildError(StrCat(InfoOf(node).key, ": there is no order"),
                        R"("order": "partial")");
    }
    if (Has(seen_, Node::kExecutionOrder)) return CheckFreeKeys();
    if (!has_users_) return OkStatus();
    return BuildError(
        "records: they have users, but there is no order",
        R"("order": "partial", or lower and upper in every record)");
  }
  if (!problem_.records.empty() && !has_users_) {
    return BuildError("order: records have lower and upper",
                      "users in every record");
  }
  if (is_free_ || Has(seen_, Node::kExecutionOrder)) return CheckFreeKeys();
  const bool has_streams = Has(seen_, Node::kStreams);
  if (has_streams == Has(seen_, Node::kEdges)) {
    return BuildError(has_streams ? "order: both edges and streams"
                                  : "order: neither edges nor streams",
                      "one of them");
  }
  if (Has(seen_, Node::kWaits) && !has_streams) {
    return BuildError("waits: there are no streams", "streams, or edges alone");
  }
  if (!has_streams && !Has(seen_, Node::kTasks)) {
    return BuildError("order: edges without tasks", "the number of tasks");
  }
  return OkStatus();
}

// Checks the keys of a problem with a free order or with the key
// execution_order, which requires a free order. A free order requires the keys
// tasks and edges, and forbids streams and waits.
Status ProblemBuilder::CheckFreeKeys() const {
  if (!is_free_) {
    return BuildError("execution_order: the order is not free",
                      R"("order": "free")");
  }
  for (const Node node : {Node::kStreams, Node::kWaits}) {
    if (!Has(seen_, node)) continue;
    return BuildError(StrCat(InfoOf(node).key, ": the order is free"),
                      R"(edges, or "order": "partial")");
  }
  for (const Node node : {Node::kTasks, Node::kEdges}) {
    if (Has(seen_, node)) continue;
    return BuildError(StrCat("order: free without ", InfoOf(node).key),
                      "tasks and edges, of which there may be none");
  }
  return OkStatus();
}

Status ProblemBuilder::CheckUsers(size_t tasks) const {
  for (size_t i = 0; i < problem_.records.size(); ++i) {
    if (problem_.records[i].last_task < tasks) continue;
    return BuildError(
        StrCat("records[", i, "].users: task ", problem_.records[i].last_task),
        StrCat("tasks below ", tasks));
  }
  return OkStatus();
}

Status ProblemBuilder::BuildFreeOrder() {
  if (Status s = CheckUsers(tasks_); !s.ok()) return s;
  problem_.free_order = FreeOrder{tasks_, std::move(edges_),
                                  std::move(problem_.constraints.users)};
  problem_.constraints.users = {};
  const Status s =
      CheckFreeOrder(*problem_.free_order, problem_.records.size());
  return Status(s.code(), s.ok() ? "" : StrCat("edges: ", s.message()));
}

Status ProblemBuilder::BuildOrder() {
  if (!Has(seen_, Node::kOrder)) return OkStatus();
  if (is_free_) return BuildFreeOrder();
  const bool has_streams = Has(seen_, Node::kStreams);
  StatusOr<TaskOrder> order =
      has_streams ? TaskOrder::FromStreams(std::move(streams_), waits_)
                  : TaskOrder::FromEdges(tasks_, edges_);
  if (!order.ok()) {
    return Status(order.status().code(),
                  StrCat(has_streams ? "streams: " : "edges: ",
                         order.status().message()));
  }
  if (Has(seen_, Node::kTasks) && tasks_ != order->tasks()) {
    return BuildError(StrCat("tasks: is ", tasks_),
                      StrCat(order->tasks(), ", as many as in streams"));
  }
  if (Status s = CheckUsers(order->tasks()); !s.ok()) return s;
  problem_.constraints.order = *std::move(order);
  return OkStatus();
}

// Checks that the list of operator names is not longer than the number of tasks
// in the order. If the problem has no order, the list may have any length,
// because any number of tasks may follow the last record.
Status ProblemBuilder::CheckOperators() const {
  const auto& order = problem_.constraints.order;
  const auto& free_order = problem_.free_order;
  if (!order && !free_order) return OkStatus();
  const size_t tasks = order ? order->tasks() : free_order->tasks;
  if (problem_.labels.operators.size() <= tasks) return OkStatus();
  return BuildError(
      StrCat("operators: ", problem_.labels.operators.size(), " names"),
      StrCat("one for each of ", tasks, " tasks"));
}

Status ProblemBuilder::ResolveIds() {
  Constraints& constraints = problem_.constraints;
  const auto resolve = [&](size_t* record, string_view list, size_t index,
                           const auto& entry) {
    return Resolve(ids_, "record", record,
                   [&] { return StrCat(list, "[", index, "]", entry()); });
  };
  for (size_t k = 0; k < constraints.apart.size(); ++k) {
    std::vector<size_t>& set = constraints.apart[k];
    for (size_t m = 0; m < set.size(); ++m) {
      Status s =
          resolve(&set[m], "apart", k, [m] { return StrCat("[", m, "]"); });
      if (!s.ok()) return s;
    }
  }
  for (size_t k = 0; k < constraints.never.size(); ++k) {
    auto& [first, second] = constraints.never[k];
    Status s = resolve(&first, "never", k, [] { return "[0]"; });
    if (s.ok()) s = resolve(&second, "never", k, [] { return "[1]"; });
    if (!s.ok()) return s;
  }
  for (size_t k = 0; k < constraints.prefer_apart.size(); ++k) {
    ApartPreference& pair = constraints.prefer_apart[k];
    constexpr string_view kList = "prefer_apart";
    Status s = resolve(&pair.first, kList, k, [] { return ".first"; });
    if (s.ok()) s = resolve(&pair.second, kList, k, [] { return ".second"; });
    if (!s.ok()) return s;
  }
  for (size_t k = 0; k < constraints.same_or_apart.size(); ++k) {
    SharedPlace& pair = constraints.same_or_apart[k];
    constexpr string_view kList = "same_or_apart";
    Status s = resolve(&pair.first, kList, k, [] { return "[0]"; });
    if (s.ok()) s = resolve(&pair.second, kList, k, [] { return "[1]"; });
    if (!s.ok()) return s;
  }
  return OkStatus();
}

Status ProblemBuilder::ResolvePools() {
  Constraints& constraints = problem_.constraints;
  const auto resolve = [&](uint32_t* pool, string_view list, size_t index,
                           string_view entry) {
    return Resolve(pools_, "pool", pool,
                   [&] { return StrCat(list, "[", index, "].", entry); });
  };
  for (size_t i = 0; i < constraints.choices.size(); ++i) {
    for (PoolChoice& choice : constraints.choices[i]) {
      Status s = resolve(&choice.pool, "records", i, "pools");
      if (!s.ok()) return s;
    }
  }
  for (size_t i = 0; i < plan_.chosen_pools.size(); ++i) {
    Status s = resolve(&plan_.chosen_pools[i], "records", i, "pool");
    if (!s.ok()) return s;
  }
  for (size_t k = 0; k < constraints.holes.size(); ++k) {
    if (!hole_has_pool_[k] && !constraints.pools.empty()) {
      return BuildError(StrCat("holes[", k, "]: no pool"), "the name of one");
    }
    if (!hole_has_pool_[k]) continue;
    Status s = resolve(&constraints.holes[k].pool, "holes", k, "pool");
    if (!s.ok()) return s;
  }
  return OkStatus();
}

}  // namespace stowage::problem_file
