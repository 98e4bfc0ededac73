// SPDX-License-Identifier: Apache-2.0
#include "stowage/bound_proof.h"

#include <string>

#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"

namespace stowage {
namespace {

// Returns the text "record 3", or `unknown` if the proof refers to no record.
std::string RecordOf(const BoundProof& proof, string_view unknown) {
  return proof.index == BoundProof::kNoRecord ? std::string(unknown)
                                              : StrCat("record ", proof.index);
}

}  // namespace

optional<TaskId> TaskOf(const BoundProof& proof) {
  using Kind = BoundProof::Kind;
  switch (proof.kind) {
    case Kind::kBytesLive:
    case Kind::kBytesHeld:
    case Kind::kBytesLiveAroundHoles:
    case Kind::kBytesHeldAroundHoles:
      return static_cast<TaskId>(proof.index);
    default:
      return nullopt;
  }
}

std::string NameOf(const BoundProof& proof) {
  using Kind = BoundProof::Kind;
  switch (proof.kind) {
    case Kind::kNone:
      return "";
    case Kind::kNoBytes:
      return "no bytes";
    case Kind::kBytesLive:
      return StrCat("bytes live at task ", proof.index);
    case Kind::kBytesHeld:
      return StrCat("bytes held at task ", proof.index);
    case Kind::kBytesLiveAroundHoles:
      return StrCat("bytes live around holes at task ", proof.index);
    case Kind::kBytesHeldAroundHoles:
      return StrCat("bytes held around holes at task ", proof.index);
    case Kind::kPositionalMaximums:
      return "positional maximums";
    case Kind::kLargestRecord:
      return "largest record";
    case Kind::kFixedEnd:
    case Kind::kOnlyPlace:
    case Kind::kRoomAroundFixed:
      return "fixed records";
    case Kind::kLowestPlace:
      return "places";
    case Kind::kApartSet:
      return StrCat("apart set ", proof.index);
    case Kind::kAntichain:
      return "heaviest antichain";
    case Kind::kPools:
      return "pools";
    case Kind::kPoolsOfCost:
      return "pools of that cost";
    case Kind::kChainWeights:
      return "chain weights";
    case Kind::kSearch:
      return "exhaustive search below it";
    case Kind::kAnyOrder:
      return "bytes live in any order";
    case Kind::kAllOrders:
      return "search over orders";
    case Kind::kCostOfSmaller:
      return "cost of smaller plans";
    case Kind::kAllChoices:
      return "search over choices";
  }
  return "";
}

std::string Describe(const BoundProof& proof) {
  using Kind = BoundProof::Kind;
  switch (proof.kind) {
    case Kind::kNone:
      return NameOf(proof);
    case Kind::kNoBytes:
      return "no record needs any bytes";
    case Kind::kPositionalMaximums:
      return "the sum of positional maximums";
    case Kind::kFixedEnd:
      return StrCat("the end of ", RecordOf(proof, "a record"),
                    " at its fixed offset");
    case Kind::kOnlyPlace:
    case Kind::kLowestPlace:
      return StrCat("the lowest end of ",
                    RecordOf(proof, "a record without bytes"), " in its place");
    case Kind::kRoomAroundFixed:
      return "the room around fixed records";
    case Kind::kApartSet:
      return StrCat("the bytes of apart set ", proof.index);
    case Kind::kAntichain:
      return StrCat("the bytes of ", proof.index, " unordered records");
    case Kind::kPools:
      return "the sum of what each pool has to hold";
    default:
      return StrCat("the ", NameOf(proof));
  }
}

std::string ReasonOfOptimum(const BoundProof& proof) {
  const std::string description = Describe(proof);
  return proof.kind == BoundProof::Kind::kNoBytes
             ? description
             : StrCat("the total equals ", description);
}

}  // namespace stowage
