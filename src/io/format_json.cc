// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/io/check_file.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/free_order.h"
#include "stowage/io/problem_file.h"
#include "stowage/io/record_json.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// Keeps keys in the order in which they are added.
using Json = nlohmann::ordered_json;

// Checks that the interval of each record is the bounding interval of its
// users, because the file contains only the users.
Status CheckUsers(const ProblemSpec& problem, const UserLists& lists) {
  for (size_t i = 0; i < problem.records.size(); ++i) {
    if (i >= lists.size() || lists[i].empty()) {
      return RecordError(i, "it has no users; expected those of its order");
    }
    const Span<const TaskId> users = lists[i];
    const auto [first, last] = std::minmax_element(users.begin(), users.end());
    if (problem.records[i].first_task != *first ||
        problem.records[i].last_task != *last) {
      return RecordError(i, StrCat("its users are of tasks ", *first, " to ",
                                   *last, "; expected those of its interval"));
    }
  }
  return OkStatus();
}

// Returns the users of all records if the problem has a free or a partial
// order, otherwise null.
const UserLists* UsersOf(const ProblemSpec& problem) {
  if (problem.free_order) return &problem.free_order->users;
  const Constraints& constraints = problem.constraints;
  return constraints.order ? &constraints.users : nullptr;
}

Status CheckOrders(const ProblemFile& file) {
  const ProblemSpec& problem = file.problem;
  const Constraints& constraints = problem.constraints;
  if (problem.free_order && constraints.order) {
    return InvalidArgumentError(
        "both a partial and a free order; expected one of them");
  }
  if (!problem.free_order && !file.plan.execution_order.empty()) {
    return InvalidArgumentError(
        "an execution order where the order is not free; expected none");
  }
  const UserLists* const users = UsersOf(problem);
  if (users != nullptr) return CheckUsers(problem, *users);
  if (constraints.users.empty()) return OkStatus();
  return InvalidArgumentError(
      "users of records without an order; expected both");
}

void AddPlace(const ProblemSpec& problem, const RecordPlace& place,
              Json* record) {
  if (place.min > 0) (*record)["min"] = place.min;
  if (place.max) (*record)["max"] = *place.max;
  if (place.group == kNoGroup) return;
  (*record)["group"] = GroupName(problem, place.group);
  (*record)["at"] = place.at;
}

void AddInfo(const TensorInfo& info, Json* record) {
  if (!info.name.empty()) (*record)["name"] = FileText(info.name);
  if (!info.type.empty()) (*record)["type"] = FileText(info.type);
  if (!info.shape.empty()) (*record)["shape"] = FileText(info.shape);
  if (info.producer) (*record)["producer"] = *info.producer;
  if (!info.consumers.empty()) (*record)["consumers"] = info.consumers;
}

Json HoleJson(const Constraints& constraints, const Hole& hole) {
  Json json = {{"begin", hole.begin}, {"end", hole.end}};
  if (hole.first_task > 0) json["lower"] = hole.first_task;
  if (hole.last_task != std::numeric_limits<TaskId>::max()) {
    if (hole.first_task == 0) json["lower"] = 0;
    json["upper"] = hole.last_task + 1;
  }
  if (!constraints.pools.empty()) {
    json["pool"] = constraints.pools[hole.pool].name;
  }
  return json;
}

Json EdgesJson(Span<const TaskEdge> edges) {
  Json json = Json::array();
  for (const TaskEdge& edge : edges) json.push_back({edge.before, edge.after});
  return json;
}

// A JSON object under construction: the keys and values of a problem, in the
// order in which they are added.
class Document {
 public:
  void Add(string_view key, const Json& value) { AddText(key, value.dump()); }

  // Adds a list with each entry on its own line. entry_of(k) must return entry
  // k.
  template <typename EntryOf>
  void AddList(string_view key, size_t size, EntryOf entry_of) {
    std::string text = "[";
    for (size_t k = 0; k < size; ++k) {
      StrAppend(&text, k == 0 ? "\n" : ",\n", Json(entry_of(k)).dump());
    }
    AddText(key, StrCat(text, "]"));
  }

  // Does the same as AddList, unless the list is empty.
  template <typename EntryOf>
  void AddListIfAny(string_view key, size_t size, EntryOf entry_of) {
    if (size > 0) AddList(key, size, entry_of);
  }

  std::string text() const { return StrCat(text_, "}\n"); }

 private:
  void AddText(string_view key, string_view value) {
    StrAppend(&text_, text_.empty() ? "{" : ",\n", "\"", key, "\":", value);
  }

  std::string text_;
};

void AddConstraints(const ProblemSpec& problem, Document* document) {
  const Constraints& constraints = problem.constraints;
  const auto& ids = problem.names;
  document->AddListIfAny("holes", constraints.holes.size(), [&](size_t k) {
    return HoleJson(constraints, constraints.holes[k]);
  });
  document->AddListIfAny("apart", constraints.apart.size(), [&](size_t k) {
    Json set = Json::array();
    for (const size_t i : constraints.apart[k]) set.push_back(ids[i]);
    return set;
  });
  document->AddListIfAny("never", constraints.never.size(), [&](size_t k) {
    const auto& [first, second] = constraints.never[k];
    return Json::array({ids[first], ids[second]});
  });
  document->AddListIfAny(
      "prefer_apart", constraints.prefer_apart.size(), [&](size_t k) {
        const ApartPreference& pair = constraints.prefer_apart[k];
        return Json({{"first", ids[pair.first]},
                     {"second", ids[pair.second]},
                     {"cost", pair.cost}});
      });
  document->AddListIfAny(
      "same_or_apart", constraints.same_or_apart.size(), [&](size_t k) {
        const SharedPlace& pair = constraints.same_or_apart[k];
        Json json = Json::array({ids[pair.first], ids[pair.second]});
        if (pair.copied > 0) json.push_back(pair.copied);
        return json;
      });
  document->AddListIfAny("pools", constraints.pools.size(), [&](size_t p) {
    const MemoryPool& pool = constraints.pools[p];
    Json json = {{"name", pool.name}};
    if (pool.capacity) json["capacity"] = *pool.capacity;
    return json;
  });
}

void AddOrder(const TaskOrder& order, Document* document) {
  document->Add("tasks", order.tasks());
  if (order.is_of_streams()) {
    document->AddList("streams", order.chains(), [&](size_t chain) {
      return std::vector<TaskId>(order.chain(chain).begin(),
                                 order.chain(chain).end());
    });
    document->Add("waits", EdgesJson(order.edges()));
  } else {
    document->Add("edges", EdgesJson(order.edges()));
  }
  document->Add("order", "partial");
}

void AddFreeOrder(const ProblemFile& file, Document* document) {
  document->Add("tasks", file.problem.free_order->tasks);
  document->Add("edges", EdgesJson(file.problem.free_order->edges));
  document->Add("order", "free");
  if (file.plan.execution_order.empty()) return;
  document->Add("execution_order", file.plan.execution_order);
}

// Returns the number of tasks that may have operator names.
size_t MaxNames(const ProblemSpec& problem) {
  const auto& order = problem.constraints.order;
  if (problem.free_order) return problem.free_order->tasks;
  return order ? order->tasks() : std::numeric_limits<size_t>::max();
}

Json RecordJson(const ProblemFile& file, size_t i) {
  const ProblemSpec& problem = file.problem;
  const FilePlan& plan = file.plan;
  const Constraints& constraints = problem.constraints;
  const TensorUsageRecord<size_t>& record = problem.records[i];
  Json json = {{"id", problem.names[i]}, {"size", record.tensor_size}};
  if (const UserLists* const users = UsersOf(problem); users != nullptr) {
    json["users"] = std::vector<TaskId>((*users)[i].begin(), (*users)[i].end());
  } else {
    json["lower"] = record.first_task;
    json["upper"] = record.last_task + 1;
  }
  const size_t alignment = AlignmentsOf(problem).Of(i);
  if (alignment != 1) json["alignment"] = alignment;
  if (!problem.fixed_offsets.empty() && problem.fixed_offsets[i]) {
    json["fixed"] = *problem.fixed_offsets[i];
  }
  if (!constraints.places.empty()) {
    AddPlace(problem, constraints.places[i], &json);
  }
  if (!constraints.choices.empty() && !constraints.choices[i].empty()) {
    Json& choices = json["pools"] = Json::array();
    for (const PoolChoice& choice : constraints.choices[i]) {
      choices.push_back({{"name", constraints.pools[choice.pool].name},
                         {"cost", choice.cost}});
    }
  }
  if (!plan.offsets.empty()) json["offset"] = plan.offsets[i];
  if (!plan.objects.empty()) json["object"] = plan.objects[i];
  if (!plan.chosen_pools.empty()) {
    json["pool"] = constraints.pools[plan.chosen_pools[i]].name;
  }
  if (!problem.labels.tensors.empty()) {
    AddInfo(problem.labels.tensors[i], &json);
  }
  return json;
}

}  // namespace

std::string FormatRecordJson(const ProblemFile& file, size_t record) {
  // Invalid UTF-8 is replaced, because names that come from models may contain
  // it.
  return RecordJson(file, record)
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

StatusOr<std::string> FormatProblemJson(const ProblemFile& file) {
  const ProblemSpec& problem = file.problem;
  if (Status s = CheckFile(file); !s.ok()) return s;
  if (Status s = CheckOrders(file); !s.ok()) return s;
  Document document;
  document.AddList("records", problem.records.size(),
                   [&](size_t i) { return RecordJson(file, i); });
  AddConstraints(problem, &document);
  if (problem.constraints.order) {
    AddOrder(*problem.constraints.order, &document);
  }
  if (problem.free_order) AddFreeOrder(file, &document);
  if (problem.capacity) document.Add("capacity", *problem.capacity);
  const size_t named =
      std::min(MaxNames(problem), problem.labels.operators.size());
  document.AddListIfAny("operators", named, [&](size_t task) {
    return FileText(problem.labels.operators[task]);
  });
  return document.text();
}

}  // namespace stowage
