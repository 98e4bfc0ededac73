// SPDX-License-Identifier: Apache-2.0
#include "src/io/problem_builder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/io/schema.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/labels.h"
#include "stowage/task_order.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage::problem_file {
namespace {

// The last task of a hole for which the file contains no end.
constexpr TaskId kLastTask = std::numeric_limits<TaskId>::max();

Status Error(string_view what, string_view expected) {
  return InvalidArgumentError(StrCat(what, "; expected ", expected));
}

// Adds the entry of `record` to a list with one entry for each record. Earlier
// records without an entry get default entries.
template <typename T>
void SetEntry(std::vector<T>* list, size_t record, T entry) {
  list->resize(record);
  list->push_back(std::move(entry));
}

}  // namespace

void ProblemBuilder::Begin(Node node) {
  switch (node) {
    case Node::kRecord:
      row_ = Row();
      numbers_.clear();
      break;
    case Node::kUsers:
    case Node::kApartSet:
    case Node::kNeverPair:
    case Node::kSharedPlace:
    case Node::kEdge:
    case Node::kStream:
    case Node::kWait:
    case Node::kExecutionOrder:
      numbers_.clear();
      break;
    case Node::kHole:
      hole_ = {0, 0, 0, kLastTask, 0};
      break;
    case Node::kChoice:
      choice_ = PoolChoice();
      break;
    case Node::kPool:
      pool_ = MemoryPool();
      break;
    default:
      break;
  }
}

Status ProblemBuilder::End(Node node, NodeSet seen) {
  Constraints& constraints = problem_.constraints;
  switch (node) {
    case Node::kProblem:
      seen_ = seen;
      return OkStatus();
    case Node::kRecord:
      return EndRecord(seen);
    case Node::kUsers:
      if (numbers_.empty()) return Error("no task", "at least one");
      return OkStatus();
    case Node::kChoice:
      row_.choices.push_back(choice_);
      return OkStatus();
    case Node::kHole:
      return EndHole(seen);
    case Node::kApartSet:
      constraints.apart.push_back(numbers_);
      return OkStatus();
    case Node::kNeverPair:
      if (numbers_.size() != 2) {
        return Error(StrCat(numbers_.size(), " ids"), "two");
      }
      constraints.never.emplace_back(numbers_[0], numbers_[1]);
      return OkStatus();
    case Node::kPreference:
      constraints.prefer_apart.push_back(preference_);
      return OkStatus();
    case Node::kSharedPlace:
      return EndSharedPlace();
    case Node::kEdge:
      return AddPair(&edges_);
    case Node::kWait:
      return AddPair(&waits_);
    case Node::kStream:
      streams_.push_back(numbers_);
      return OkStatus();
    case Node::kExecutionOrder:
      plan_.execution_order = numbers_;
      return OkStatus();
    case Node::kPool:
      return EndPool();
    default:
      return OkStatus();
  }
}

// Adds a pair of same_or_apart. The file contains two ids, optionally followed
// by the number of bytes that need not be copied.
Status ProblemBuilder::EndSharedPlace() {
  if (numbers_.size() != 2 && numbers_.size() != 3) {
    return Error(StrCat(numbers_.size(), " entries"),
                 "two ids, and the bytes that need not be copied or nothing");
  }
  const uint64_t copied = numbers_.size() == 3 ? numbers_[2] : 0;
  problem_.constraints.same_or_apart.push_back(
      {numbers_[0], numbers_[1], copied});
  return OkStatus();
}

Status ProblemBuilder::AddPair(std::vector<TaskEdge>* edges) {
  if (numbers_.size() != 2) {
    return Error(StrCat(numbers_.size(), " tasks"),
                 "the one before and the one after");
  }
  edges->push_back({numbers_[0], numbers_[1]});
  return OkStatus();
}

Status ProblemBuilder::AddNumber(Node node, uint64_t number) {
  switch (node) {
    case Node::kUser:
    case Node::kEdgeTask:
    case Node::kStreamTask:
    case Node::kWaitTask:
    case Node::kExecutionTask:
    case Node::kSharedPlaceBytes:
      numbers_.push_back(number);
      break;
    case Node::kChoiceCost:
      choice_.cost = number;
      break;
    case Node::kHoleBegin:
      hole_.begin = number;
      break;
    case Node::kHoleEnd:
      hole_.end = number;
      break;
    case Node::kHoleLower:
      hole_.first_task = number;
      break;
    case Node::kHoleUpper:
      if (number == 0) return Error("is 0", "one past the last task");
      hole_.last_task = number - 1;
      break;
    case Node::kPreferenceCost:
      preference_.cost = number;
      break;
    case Node::kDefaultAlignment:
      if (!IsValidAlignment(number)) {
        return Error(StrCat("is ", number), "a power of two");
      }
      default_alignment_ = number;
      break;
    case Node::kTasks:
      tasks_ = number;
      break;
    case Node::kCapacity:
      problem_.capacity = number;
      break;
    case Node::kPoolCapacity:
      pool_.capacity = number;
      break;
    default:
      return SetRecordNumber(node, number);
  }
  return OkStatus();
}

Status ProblemBuilder::SetRecordNumber(Node node, uint64_t number) {
  switch (node) {
    case Node::kSize:
      row_.size = number;
      break;
    case Node::kLower:
      row_.lower = number;
      break;
    case Node::kUpper:
      row_.upper = number;
      break;
    case Node::kAlignment:
      if (!IsValidAlignment(number)) {
        return Error(StrCat("is ", number), "a power of two");
      }
      row_.alignment = number;
      break;
    case Node::kFixed:
      row_.fixed = number;
      break;
    case Node::kMin:
      row_.place.min = number;
      break;
    case Node::kMax:
      row_.place.max = number;
      break;
    case Node::kAt:
      row_.place.at = number;
      break;
    case Node::kOffset:
      row_.offset = number;
      break;
    case Node::kObject:
      row_.object = number;
      break;
    case Node::kProducer:
      row_.info.producer = number;
      break;
    case Node::kConsumer:
      return AddConsumer(number);
    default:
      break;
  }
  return OkStatus();
}

Status ProblemBuilder::AddConsumer(uint64_t task) {
  std::vector<size_t>& consumers = row_.info.consumers;
  if (!consumers.empty() && task <= consumers.back()) {
    return Error(StrCat("is ", task), "rising tasks, each once");
  }
  consumers.push_back(task);
  return OkStatus();
}

// Adds a text that describes a tensor or names an operator.
Status ProblemBuilder::AddInfoText(Node node, string_view text) {
  if (!IsFileText(text)) {
    return Error(StrCat("is ", Quoted(text)),
                 "text without control characters");
  }
  switch (node) {
    case Node::kName:
      row_.info.name = std::string(text);
      break;
    case Node::kType:
      row_.info.type = std::string(text);
      break;
    case Node::kShape:
      row_.info.shape = std::string(text);
      break;
    default:
      problem_.labels.operators.emplace_back(text);
      break;
  }
  return OkStatus();
}

Status ProblemBuilder::AddText(Node node, string_view text) {
  switch (node) {
    case Node::kId:
      row_.id = ids_.NumberOf(text);
      break;
    case Node::kGroup:
      row_.place.group = groups_.NumberOf(text);
      break;
    case Node::kChoiceName:
      choice_.pool = pools_.NumberOf(text);
      break;
    case Node::kChosenPool:
      row_.chosen_pool = pools_.NumberOf(text);
      break;
    case Node::kHolePool:
      hole_.pool = pools_.NumberOf(text);
      break;
    case Node::kApartId:
    case Node::kNeverId:
    case Node::kSharedPlaceId:
      numbers_.push_back(ids_.NumberOf(text));
      break;
    case Node::kPreferenceFirst:
      preference_.first = ids_.NumberOf(text);
      break;
    case Node::kPreferenceSecond:
      preference_.second = ids_.NumberOf(text);
      break;
    case Node::kOrder:
      return AddOrder(text);
    case Node::kName:
    case Node::kType:
    case Node::kShape:
    case Node::kOperator:
      return AddInfoText(node, text);
    case Node::kPoolName:
      pool_.name = std::string(text);
      pool_name_ = pools_.NumberOf(text);
      break;
    default:
      break;
  }
  return OkStatus();
}

Status ProblemBuilder::AddOrder(string_view text) {
  is_free_ = text == "free";
  if (is_free_ || text == "partial") return OkStatus();
  return Error(StrCat("is ", Quoted(text)), R"("partial" or "free")");
}

Status ProblemBuilder::EndRecord(NodeSet seen) {
  const size_t record = problem_.records.size();
  const size_t repeated = ids_.MeaningOf(row_.id);
  const std::string& id = ids_.names()[row_.id];
  if (repeated != NameTable::kNothing) {
    return Error(StrCat("id ", Quoted(id), " repeats records[", repeated, "]"),
                 "a unique id");
  }
  if (Status s = AddInterval(seen); !s.ok()) return s;
  if (Has(seen, Node::kAt) && !Has(seen, Node::kGroup)) {
    return Error("at without a group", "both");
  }
  if (Status s = CheckChoices(); !s.ok()) return s;
  if (Status s = AddPlan(seen); !s.ok()) return s;
  AddRequests(seen);
  ids_.SetMeaning(row_.id, record);
  problem_.names.push_back(id);
  return OkStatus();
}

Status ProblemBuilder::CheckChoices() const {
  std::vector<uint32_t> named;
  named.reserve(row_.choices.size());
  for (const PoolChoice& choice : row_.choices) named.push_back(choice.pool);
  std::sort(named.begin(), named.end());
  const auto twice = std::adjacent_find(named.begin(), named.end());
  if (twice == named.end()) return OkStatus();
  return Error(
      StrCat("pool ", Quoted(pools_.names()[*twice]), " twice in pools"),
      "each once");
}

// Adds the interval or the users of a record. Either all records or none must
// have users.
Status ProblemBuilder::AddInterval(NodeSet seen) {
  const bool has_users = Has(seen, Node::kUsers);
  const bool has_lower = Has(seen, Node::kLower);
  const bool has_upper = Has(seen, Node::kUpper);
  if (problem_.records.empty()) has_users_ = has_users;
  if (has_users_ && (!has_users || has_lower || has_upper)) {
    return Error(has_users ? "an interval beside users" : "no users",
                 "users in every record, without lower and upper");
  }
  if (!has_users_ && (has_users || !has_lower || !has_upper)) {
    return Error(has_users    ? "users beside intervals"
                 : !has_lower ? "no lower"
                              : "no upper",
                 "lower and upper in every record, without users");
  }
  if (has_users_) {
    const auto [first, last] =
        std::minmax_element(numbers_.begin(), numbers_.end());
    problem_.records.emplace_back(row_.size, *first, *last);
    problem_.constraints.users.Add(numbers_);
    return OkStatus();
  }
  if (row_.upper <= row_.lower) {
    return Error(StrCat("upper is ", row_.upper),
                 StrCat("more than lower, which is ", row_.lower,
                        ": upper is one past the last task"));
  }
  problem_.records.emplace_back(row_.size, row_.lower, row_.upper - 1);
  return OkStatus();
}

// Adds the place of a record in the plan. Either all records or none must have
// a place.
Status ProblemBuilder::AddPlan(NodeSet seen) {
  const bool is_first = problem_.records.size() == 1;
  for (const Node node : {Node::kOffset, Node::kObject, Node::kChosenPool}) {
    const bool is_there = Has(seen, node);
    const bool was_there = node == Node::kOffset ? !plan_.offsets.empty()
                           : node == Node::kObject
                               ? !plan_.objects.empty()
                               : !plan_.chosen_pools.empty();
    if (is_first || is_there == was_there) continue;
    return Error(StrCat(is_there ? "" : "no ", InfoOf(node).key),
                 "it in every record, or in none");
  }
  if (Has(seen, Node::kOffset) && Has(seen, Node::kObject)) {
    return Error("both offset and object", "one of them");
  }
  if (Has(seen, Node::kChosenPool) && !Has(seen, Node::kOffset)) {
    return Error("pool without offset",
                 "both, or the pools that may be used in pools");
  }
  if (Has(seen, Node::kOffset)) plan_.offsets.push_back(row_.offset);
  if (Has(seen, Node::kObject)) plan_.objects.push_back(row_.object);
  if (Has(seen, Node::kChosenPool)) {
    plan_.chosen_pools.push_back(static_cast<uint32_t>(row_.chosen_pool));
  }
  return OkStatus();
}

void ProblemBuilder::AddRequests(NodeSet seen) {
  const size_t record = problem_.records.size() - 1;
  if (Has(seen, Node::kAlignment)) {
    problem_.alignments.resize(record, 0);
    problem_.alignments.push_back(row_.alignment);
  }
  if (Has(seen, Node::kFixed)) {
    SetEntry(&problem_.fixed_offsets, record, make_optional(row_.fixed));
  }
  const RecordPlace& place = row_.place;
  if (place.min > 0 || place.max || place.group != kNoGroup) {
    SetEntry(&problem_.constraints.places, record, place);
  }
  const TensorInfo& info = row_.info;
  if (!info.name.empty() || !info.type.empty() || !info.shape.empty() ||
      info.producer || !info.consumers.empty()) {
    SetEntry(&problem_.labels.tensors, record, std::move(row_.info));
  }
  if (!row_.choices.empty()) {
    SetEntry(&problem_.constraints.choices, record, std::move(row_.choices));
  }
}

Status ProblemBuilder::EndHole(NodeSet seen) {
  if (hole_.end <= hole_.begin) {
    return Error(StrCat("end is ", hole_.end),
                 StrCat("more than begin, which is ", hole_.begin));
  }
  if (hole_.last_task < hole_.first_task) {
    return Error(StrCat("upper is ", hole_.last_task + 1),
                 StrCat("more than lower, which is ", hole_.first_task));
  }
  problem_.constraints.holes.push_back(hole_);
  hole_has_pool_.push_back(Has(seen, Node::kHolePool));
  return OkStatus();
}

Status ProblemBuilder::EndPool() {
  std::vector<MemoryPool>& pools = problem_.constraints.pools;
  const size_t repeated = pools_.MeaningOf(pool_name_);
  if (repeated != NameTable::kNothing) {
    return Error(
        StrCat("name ", Quoted(pool_.name), " repeats pools[", repeated, "]"),
        "a unique name");
  }
  pools_.SetMeaning(pool_name_, pools.size());
  pools.push_back(std::move(pool_));
  return OkStatus();
}

}  // namespace stowage::problem_file
