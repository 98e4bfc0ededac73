// SPDX-License-Identifier: Apache-2.0
// Defines the schema of problem files: every value of the format, its type, and
// the object or list that contains it.
#ifndef STOWAGE_SRC_IO_SCHEMA_H_
#define STOWAGE_SRC_IO_SCHEMA_H_

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>

#include "stowage/base/string_view.h"

namespace stowage::problem_file {

enum class Node : uint8_t {
  kProblem,
  kRecords,
  kRecord,
  kId,
  kSize,
  kLower,
  kUpper,
  kUsers,
  kUser,
  kAlignment,
  kFixed,
  kMin,
  kMax,
  kGroup,
  kAt,
  kChoices,
  kChoice,
  kChoiceName,
  kChoiceCost,
  kOffset,
  kObject,
  kChosenPool,
  kName,
  kType,
  kShape,
  kProducer,
  kConsumers,
  kConsumer,
  kDefaultAlignment,
  kHoles,
  kHole,
  kHoleBegin,
  kHoleEnd,
  kHoleLower,
  kHoleUpper,
  kHolePool,
  kApart,
  kApartSet,
  kApartId,
  kNever,
  kNeverPair,
  kNeverId,
  kPreferences,
  kPreference,
  kPreferenceFirst,
  kPreferenceSecond,
  kPreferenceCost,
  kSharedPlaces,
  kSharedPlace,
  kSharedPlaceId,
  kSharedPlaceBytes,
  kTasks,
  kEdges,
  kEdge,
  kEdgeTask,
  kStreams,
  kStream,
  kStreamTask,
  kWaits,
  kWait,
  kWaitTask,
  kOrder,
  kExecutionOrder,
  kExecutionTask,
  kCapacity,
  kPools,
  kPool,
  kPoolName,
  kPoolCapacity,
  kOperators,
  kOperator,
};

// The types of values. No value of a problem has the type kNone.
enum class NodeType : uint8_t { kObject, kList, kNumber, kText, kNone };

struct NodeInfo {
  Node node;
  Node parent;
  string_view key;  // the key in the parent, or empty if the parent is a list
  NodeType type;
  bool is_required;  // says whether the parent, an object, must have the key
};

// A set of nodes, in which bit k represents node number k.
constexpr size_t kMaxNodes = 128;
using NodeSet = std::bitset<kMaxNodes>;
inline NodeSet BitOf(Node node) {
  return NodeSet().set(static_cast<size_t>(node));
}
inline bool Has(NodeSet set, Node node) { return (set & BitOf(node)) != 0; }

const NodeInfo& InfoOf(Node node);
// Returns the node of a key of an object, or null if the object cannot have
// this key.
const NodeInfo* FindKey(Node object, string_view key);
// Returns the node of entry `index` of a list, counted from 0. All entries of a
// list have the same node, except in lists that consist of two ids and a
// number.
const NodeInfo& EntryOf(Node list, size_t index);
// Returns the first required key of an object that is not in `seen`, or null if
// none is missing.
const NodeInfo* FindMissing(Node object, NodeSet seen);
// Returns the keys of the object as text for messages: "id, size or lower".
std::string KeysOf(Node object);

// Returns the type as text for messages: "a string".
string_view Expected(NodeType type);

}  // namespace stowage::problem_file

#endif  // STOWAGE_SRC_IO_SCHEMA_H_
