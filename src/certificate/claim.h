// SPDX-License-Identifier: Apache-2.0
// What a certificate says, each key of the type that it must have.
#ifndef STOWAGE_SRC_CERTIFICATE_CLAIM_H_
#define STOWAGE_SRC_CERTIFICATE_CLAIM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::certificate {

constexpr absl::string_view kFormat = "stowage certificate 1";

// Between the document and the log of a search.
constexpr absl::string_view kLogLine = "log\n";

// Above it whether a conflict is irreducible is neither written nor checked: of
// so many tensors the rests are a million numbers.
constexpr size_t kMostInIrreducible = 1000;

// What proves the lower bound.
struct Proof {
  enum class By {
    kNothing,             // the certificate does not say
    kTask,                // the bytes live at `task`
    kPositionalMaximums,  // their sum
    kFixedRecords,        // the room that fixed records leave
    kChainWeights,        // ChainWeights (solution.h) on `tensors`
    kSearch,              // a complete search below the bound
  };
  By by = By::kNothing;
  size_t task = 0;
  // That have weights, in their order; or that the log of a search numbers, in
  // any: without a log there are none.
  std::vector<std::string> tensors;
  std::vector<size_t> weights;  // of each of `tensors`
  size_t scale = 1;
  std::string strategy;  // with seed and nodes: what repeats the search
  size_t seed = 0;
  size_t nodes = 0;
  size_t capacity = 0;  // of the log: bytes that do not suffice for `tensors`
  size_t unit = 1;      // of the log, of offsets: bytes of a level
};

struct Claim {
  PlanKind kind = PlanKind::kOffsets;
  SolutionStatus status = SolutionStatus::kFeasible;  // never kTimeLimit
  size_t lower_bound = 0;
  absl::optional<size_t> capacity;  // none: infeasible whatever it is
  Proof proof;
  std::vector<std::string> ids;
  // Of offsets; the second empty if no record has a fixed offset.
  std::vector<size_t> alignments;
  std::vector<absl::optional<size_t>> fixed;
  // Of a plan.
  size_t total_size = 0;
  std::vector<size_t> offsets;
  std::vector<size_t> object_ids;
  std::vector<size_t> object_sizes;
  // Of kInfeasible.
  std::vector<std::string> conflict;
  bool irreducible = false;
  // Of offsets, if it is irreducible; may be empty. For each tensor of the
  // conflict, offsets of the others, in their order, without it.
  std::vector<std::vector<size_t>> rests;
};

// Error: InvalidArgument, naming the key, if `text` is not such a document: not
// JSON, another format, a key that is missing, unknown or of the wrong type, or
// many more values than a certificate of so many records has.
absl::StatusOr<Claim> ParseClaim(absl::string_view text, size_t records);

// Whether a log follows the document.
inline bool HasLog(const Proof& proof) {
  return proof.by == Proof::By::kSearch && !proof.tensors.empty();
}

// One line. ParseClaim reads it again as the same claim. `reason` is for
// readers.
std::string FormatClaim(const Claim& claim, absl::string_view reason);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_CERTIFICATE_CLAIM_H_
