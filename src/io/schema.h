// SPDX-License-Identifier: Apache-2.0
// What a problem file may have where: every value of the format, with its type.
#ifndef STOWAGE_SRC_IO_SCHEMA_H_
#define STOWAGE_SRC_IO_SCHEMA_H_

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

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

// kNone is the type of values that no problem has.
enum class NodeType : uint8_t { kObject, kList, kNumber, kText, kNone };

struct NodeInfo {
  Node node;
  Node parent;
  absl::string_view key;  // in its parent; empty for an entry of a list
  NodeType type;
  bool is_required;  // in its parent, which is an object
};

// Nodes as a set of bits, by number.
constexpr size_t kMostNodes = 128;
using NodeSet = std::bitset<kMostNodes>;
inline NodeSet BitOf(Node node) {
  return NodeSet().set(static_cast<size_t>(node));
}

const NodeInfo& InfoOf(Node node);
// Null for a key that the object cannot have.
const NodeInfo* FindKey(Node object, absl::string_view key);
const NodeInfo& EntryOf(Node list);
// The first required key of an object that is not in `seen`; null if none is
// missing.
const NodeInfo* FindMissing(Node object, NodeSet seen);
// "id, size or lower".
std::string KeysOf(Node object);

// "a string", for messages.
absl::string_view Expected(NodeType type);

}  // namespace stowage::problem_file

#endif  // STOWAGE_SRC_IO_SCHEMA_H_
