// SPDX-License-Identifier: Apache-2.0
// Parses and formats the contents of a certificate. ParseClaim makes sure that
// every key has the required type; whether the claim is true is checked by
// CheckCertificate.
#ifndef STOWAGE_SRC_PROOF_CLAIM_H_
#define STOWAGE_SRC_PROOF_CLAIM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::certificate {

constexpr string_view kFormat = "stowage certificate 1";

// The line between the document and the log of a search.
constexpr string_view kLogLine = "log\n";

// The irreducibility of a conflict is written and checked for at most this
// number of tensors. For this number of tensors, the witnesses already consist
// of a million numbers.
constexpr size_t kMaxInIrreducible = 1000;

// The proof of the lower bound. `by` says what proves the bound.
struct Proof {
  enum class By {
    kNothing,             // the certificate names no proof
    kTask,                // the bytes that are live at `task` prove it
    kPositionalMaximums,  // the sum of the positional maximums proves it
    kFixedRecords,        // the room between the fixed records proves it
    kChainWeights,        // ChainWeights (solution.h) on `tensors` prove it
    kSearch,              // a complete search below the bound proves it
    // The constraints leave too little room for the tensors of the conflict
    // (OverfullClique, clique_bound.h).
    kClique,
  };
  By by = By::kNothing;
  size_t task = 0;
  // If `by` is kChainWeights, these are the tensors that have weights, in the
  // order of the records. If `by` is kSearch, these are the tensors to which
  // the log of the search refers by number, in any order. The list is empty if
  // there is no log.
  std::vector<std::string> tensors;
  std::vector<size_t> weights;  // each of `tensors` has one weight
  size_t scale = 1;
  // If `by` is kSearch, `strategy`, `seed` and `nodes` suffice to repeat the
  // search.
  std::string strategy;
  size_t seed = 0;
  size_t nodes = 0;
  // If there is a log, it claims that `tensors` do not fit this number of
  // bytes.
  size_t capacity = 0;
  // The log of a search for offsets states levels in multiples of this number
  // of bytes.
  size_t unit = 1;
  // If `by` is kClique, the following fields have the values of the
  // OverfullClique.
  size_t bytes = 0;
  size_t room = 0;
  size_t shared = 0;
};

// The cost of the plan of a problem with constraints. `by` says what proves the
// bound of the cost.
struct CostClaim {
  enum class By {
    kNothing,  // the bound is 0, or no proof is given
    kCliques,  // the cliques in `proofs` prove it
    kSearch,   // a search of `strategy` proves it
  };
  // Clique and Cliques represent a CostProof (solution.h), with names of
  // tensors instead of indices.
  struct Clique {
    std::vector<std::string> tensors;
    size_t weight = 0;
  };
  struct Cliques {
    size_t scale = 1;
    size_t sum = 0;  // the sum of the weights
    std::vector<Clique> cliques;
  };

  size_t cost = 0;
  size_t bound = 0;
  By by = By::kNothing;
  std::vector<Cliques> proofs;
  std::string strategy;
  size_t seed = 0;
  size_t nodes = 0;
};

struct Claim {
  PlanKind kind = PlanKind::kOffsets;
  // The status is never kTimeLimit.
  SolutionStatus status = SolutionStatus::kFeasible;
  size_t lower_bound = 0;
  // If there is no capacity, a claim of infeasibility holds for every capacity.
  optional<size_t> capacity;
  Proof proof;
  std::vector<std::string> ids;
  // Only plans of offsets have `alignments` and `fixed`. `fixed` is empty if no
  // record has a fixed offset.
  std::vector<size_t> alignments;
  std::vector<optional<size_t>> fixed;
  // The following members are set if the claim has a plan.
  size_t total_size = 0;
  std::vector<size_t> offsets;
  std::vector<size_t> object_ids;
  std::vector<size_t> object_sizes;
  // Only the plans of problems with constraints have a cost. `pools` has the
  // pool of each record, or is empty if the problem has one memory.
  optional<CostClaim> cost;
  std::vector<size_t> pools;
  // The following members are set if `status` is kInfeasible.
  std::vector<std::string> conflict;
  bool irreducible = false;
  // The witnesses of irreducibility, one for each tensor of the conflict. The
  // witness of a tensor is a plan of all other tensors of the conflict: their
  // offsets, in the order of the conflict. There may be no witnesses, and there
  // are none for shared objects.
  std::vector<std::vector<size_t>> witnesses;
};

// Parses a document. Error: InvalidArgument, naming the key, if `text` is not a
// certificate. This is the case if `text` is not JSON, has another format, has
// a key that is missing, unknown or of the wrong type, or has many more values
// than a certificate for this number of records.
StatusOr<Claim> ParseClaim(string_view text, size_t records);

// Returns whether a certificate with this proof contains the log of a search.
// The log follows the document.
inline bool HasLog(const Proof& proof) {
  return proof.by == Proof::By::kSearch && !proof.tensors.empty();
}

// Formats a claim as one line, from which ParseClaim reads an equal claim.
// `reason` is only for human readers.
std::string FormatClaim(const Claim& claim, string_view reason);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_CLAIM_H_
