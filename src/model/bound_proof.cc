// SPDX-License-Identifier: Apache-2.0
#include "stowage/bound_proof.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace stowage {
namespace {

// Returns "record 3", or `unknown` if the proof names no record.
std::string RecordOf(const BoundProof& proof, absl::string_view unknown) {
  return proof.index == BoundProof::kNoRecord
             ? std::string(unknown)
             : absl::StrCat("record ", proof.index);
}

}  // namespace

absl::optional<TaskId> TaskOf(const BoundProof& proof) {
  using Kind = BoundProof::Kind;
  switch (proof.kind) {
    case Kind::kBytesLive:
    case Kind::kBytesHeld:
    case Kind::kBytesLiveAroundHoles:
    case Kind::kBytesHeldAroundHoles:
      return static_cast<TaskId>(proof.index);
    default:
      return absl::nullopt;
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
      return absl::StrCat("bytes live at task ", proof.index);
    case Kind::kBytesHeld:
      return absl::StrCat("bytes held at task ", proof.index);
    case Kind::kBytesLiveAroundHoles:
      return absl::StrCat("bytes live around holes at task ", proof.index);
    case Kind::kBytesHeldAroundHoles:
      return absl::StrCat("bytes held around holes at task ", proof.index);
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
      return absl::StrCat("apart set ", proof.index);
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
      return absl::StrCat("the end of ", RecordOf(proof, "a record"),
                          " at its fixed offset");
    case Kind::kOnlyPlace:
    case Kind::kLowestPlace:
      return absl::StrCat("the lowest end of ",
                          RecordOf(proof, "a record without bytes"),
                          " in its place");
    case Kind::kRoomAroundFixed:
      return "the room around fixed records";
    case Kind::kApartSet:
      return absl::StrCat("the bytes of apart set ", proof.index);
    case Kind::kAntichain:
      return absl::StrCat("the bytes of ", proof.index, " unordered records");
    case Kind::kPools:
      return "the sum of what each pool has to hold";
    default:
      return absl::StrCat("the ", NameOf(proof));
  }
}

}  // namespace stowage
