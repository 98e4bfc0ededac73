// SPDX-License-Identifier: Apache-2.0
#include "src/io/schema.h"

#include <cstddef>
#include <string>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"

namespace stowage::problem_file {
namespace {

// The nodes, in the order of the enumerators of Node. The keys of an object are
// in the order in which messages list them.
constexpr NodeInfo kNodes[] = {
    {Node::kProblem, Node::kProblem, "", NodeType::kObject, false},
    {Node::kRecords, Node::kProblem, "records", NodeType::kList, true},
    {Node::kRecord, Node::kRecords, "", NodeType::kObject, false},
    {Node::kId, Node::kRecord, "id", NodeType::kText, true},
    {Node::kSize, Node::kRecord, "size", NodeType::kNumber, true},
    {Node::kLower, Node::kRecord, "lower", NodeType::kNumber, false},
    {Node::kUpper, Node::kRecord, "upper", NodeType::kNumber, false},
    {Node::kUsers, Node::kRecord, "users", NodeType::kList, false},
    {Node::kUser, Node::kUsers, "", NodeType::kNumber, false},
    {Node::kAlignment, Node::kRecord, "alignment", NodeType::kNumber, false},
    {Node::kFixed, Node::kRecord, "fixed", NodeType::kNumber, false},
    {Node::kMin, Node::kRecord, "min", NodeType::kNumber, false},
    {Node::kMax, Node::kRecord, "max", NodeType::kNumber, false},
    {Node::kGroup, Node::kRecord, "group", NodeType::kText, false},
    {Node::kAt, Node::kRecord, "at", NodeType::kNumber, false},
    {Node::kChoices, Node::kRecord, "pools", NodeType::kList, false},
    {Node::kChoice, Node::kChoices, "", NodeType::kObject, false},
    {Node::kChoiceName, Node::kChoice, "name", NodeType::kText, true},
    {Node::kChoiceCost, Node::kChoice, "cost", NodeType::kNumber, false},
    {Node::kOffset, Node::kRecord, "offset", NodeType::kNumber, false},
    {Node::kObject, Node::kRecord, "object", NodeType::kNumber, false},
    {Node::kChosenPool, Node::kRecord, "pool", NodeType::kText, false},
    {Node::kName, Node::kRecord, "name", NodeType::kText, false},
    {Node::kType, Node::kRecord, "type", NodeType::kText, false},
    {Node::kShape, Node::kRecord, "shape", NodeType::kText, false},
    {Node::kProducer, Node::kRecord, "producer", NodeType::kNumber, false},
    {Node::kConsumers, Node::kRecord, "consumers", NodeType::kList, false},
    {Node::kConsumer, Node::kConsumers, "", NodeType::kNumber, false},
    {Node::kDefaultAlignment, Node::kProblem, "alignment", NodeType::kNumber,
     false},
    {Node::kHoles, Node::kProblem, "holes", NodeType::kList, false},
    {Node::kHole, Node::kHoles, "", NodeType::kObject, false},
    {Node::kHoleBegin, Node::kHole, "begin", NodeType::kNumber, true},
    {Node::kHoleEnd, Node::kHole, "end", NodeType::kNumber, true},
    {Node::kHoleLower, Node::kHole, "lower", NodeType::kNumber, false},
    {Node::kHoleUpper, Node::kHole, "upper", NodeType::kNumber, false},
    {Node::kHolePool, Node::kHole, "pool", NodeType::kText, false},
    {Node::kApart, Node::kProblem, "apart", NodeType::kList, false},
    {Node::kApartSet, Node::kApart, "", NodeType::kList, false},
    {Node::kApartId, Node::kApartSet, "", NodeType::kText, false},
    {Node::kNever, Node::kProblem, "never", NodeType::kList, false},
    {Node::kNeverPair, Node::kNever, "", NodeType::kList, false},
    {Node::kNeverId, Node::kNeverPair, "", NodeType::kText, false},
    {Node::kPreferences, Node::kProblem, "prefer_apart", NodeType::kList,
     false},
    {Node::kPreference, Node::kPreferences, "", NodeType::kObject, false},
    {Node::kPreferenceFirst, Node::kPreference, "first", NodeType::kText, true},
    {Node::kPreferenceSecond, Node::kPreference, "second", NodeType::kText,
     true},
    {Node::kPreferenceCost, Node::kPreference, "cost", NodeType::kNumber, true},
    {Node::kSharedPlaces, Node::kProblem, "same_or_apart", NodeType::kList,
     false},
    {Node::kSharedPlace, Node::kSharedPlaces, "", NodeType::kList, false},
    {Node::kSharedPlaceId, Node::kSharedPlace, "", NodeType::kText, false},
    {Node::kSharedPlaceBytes, Node::kSharedPlace, "", NodeType::kNumber, false},
    {Node::kTasks, Node::kProblem, "tasks", NodeType::kNumber, false},
    {Node::kEdges, Node::kProblem, "edges", NodeType::kList, false},
    {Node::kEdge, Node::kEdges, "", NodeType::kList, false},
    {Node::kEdgeTask, Node::kEdge, "", NodeType::kNumber, false},
    {Node::kStreams, Node::kProblem, "streams", NodeType::kList, false},
    {Node::kStream, Node::kStreams, "", NodeType::kList, false},
    {Node::kStreamTask, Node::kStream, "", NodeType::kNumber, false},
    {Node::kWaits, Node::kProblem, "waits", NodeType::kList, false},
    {Node::kWait, Node::kWaits, "", NodeType::kList, false},
    {Node::kWaitTask, Node::kWait, "", NodeType::kNumber, false},
    {Node::kOrder, Node::kProblem, "order", NodeType::kText, false},
    {Node::kExecutionOrder, Node::kProblem, "execution_order", NodeType::kList,
     false},
    {Node::kExecutionTask, Node::kExecutionOrder, "", NodeType::kNumber, false},
    {Node::kCapacity, Node::kProblem, "capacity", NodeType::kNumber, false},
    {Node::kPools, Node::kProblem, "pools", NodeType::kList, false},
    {Node::kPool, Node::kPools, "", NodeType::kObject, false},
    {Node::kPoolName, Node::kPool, "name", NodeType::kText, true},
    {Node::kPoolCapacity, Node::kPool, "capacity", NodeType::kNumber, false},
    {Node::kOperators, Node::kProblem, "operators", NodeType::kList, false},
    {Node::kOperator, Node::kOperators, "", NodeType::kText, false},
};

constexpr bool IsInOrder() {
  size_t index = 0;
  for (const NodeInfo& info : kNodes) {
    if (static_cast<size_t>(info.node) != index++) return false;
  }
  return index <= kMaxNodes;
}
static_assert(IsInOrder(), "nodes by number");

// Returns whether the node is a key of `object`. The root is its own parent but
// has no key.
bool IsKeyOf(const NodeInfo& info, Node object) {
  return info.parent == object && !info.key.empty();
}

}  // namespace

const NodeInfo& InfoOf(Node node) { return kNodes[static_cast<size_t>(node)]; }

const NodeInfo* FindKey(Node object, string_view key) {
  for (const NodeInfo& info : kNodes) {
    if (IsKeyOf(info, object) && info.key == key) return &info;
  }
  return nullptr;
}

// In kNodes, the node for the entries of a list comes immediately after the
// node of the list.
const NodeInfo& EntryOf(Node list, size_t index) {
  if (list == Node::kSharedPlace && index >= 2) {
    return InfoOf(Node::kSharedPlaceBytes);
  }
  return kNodes[static_cast<size_t>(list) + 1];
}

const NodeInfo* FindMissing(Node object, NodeSet seen) {
  for (const NodeInfo& info : kNodes) {
    if (IsKeyOf(info, object) && info.is_required &&
        (seen & BitOf(info.node)) == 0) {
      return &info;
    }
  }
  return nullptr;
}

std::string KeysOf(Node object) {
  std::vector<string_view> keys;
  for (const NodeInfo& info : kNodes) {
    if (IsKeyOf(info, object)) keys.push_back(info.key);
  }
  const string_view last = keys.back();
  keys.pop_back();
  return keys.empty() ? std::string(last)
                      : StrCat(StrJoin(keys, ", "), " or ", last);
}

string_view Expected(NodeType type) {
  switch (type) {
    case NodeType::kObject:
      return "an object";
    case NodeType::kList:
      return "a list";
    case NodeType::kNumber:
      return "a whole number from 0 to 18446744073709551615";
    case NodeType::kText:
      return "a string";
    case NodeType::kNone:
      break;
  }
  return "";
}

}  // namespace stowage::problem_file
