// SPDX-License-Identifier: Apache-2.0
// Parses and formats the contents of a certificate. ParseClaim ensures that
// every key has the required type, but not that the claim is true.
// CheckCertificate checks the claim.
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

// The maximum number of tensors of a conflict for which irreducibility is
// written and checked. With this number of tensors, the witnesses already
// consist of a million numbers.
constexpr size_t kMaxInIrreducible = 1000;

// The proof of the lower bound. `by` is the kind of the proof.
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
  // For kChainWeights, the tensors that have weights, in the order of the
  // records. For kSearch, the tensors to which the log of the search refers by
  // number, in any order; empty if there is no log.
  std::vector<std::string> tensors;
  std::vector<size_t> weights;  // each of `tensors` has one weight
  size_t scale = 1;
  // For kSearch, the parameters with which the search can be repeated.
  std::string strategy;
  size_t seed = 0;
  size_t nodes = 0;
  // The log, if there is one, claims that `tensors` do not fit in this number
  // of bytes.
  size_t capacity = 0;
  // The unit of the levels in the log of a search for offsets, in bytes.
  size_t unit = 1;
  // For kClique, the values of the fields of the OverfullClique.
  size_t bytes = 0;
  size_t room = 0;
  size_t shared = 0;
};

// The cost of the plan of a problem with constraints. `by` is the kind of the
// proof of `bound`.
struct CostClaim {
  enum class By {
    kNothing,  // the bound is 0, or no proof is given
    kCliques,  // the cliques in `proofs` prove it
    kSearch,   // a search of `strategy` proves it
  };
  // Clique and Cliques represent a CostProof (solution.h), but refer to tensors
  // by name instead of by index.
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
  // Without a capacity, a claim of infeasibility applies to every capacity.
  optional<size_t> capacity;
  Proof proof;
  std::vector<std::string> ids;
  // `alignments` and `fixed` are used only for plans of offsets. `fixed` is
  // empty if no record has a fixed offset.
  std::vector<size_t> alignments;
  std::vector<optional<size_t>> fixed;
  // The following members are set if the claim has a plan.
  size_t total_size = 0;
  std::vector<size_t> offsets;
  std::vector<size_t> object_ids;
  std::vector<size_t> object_sizes;
  // `cost` is set only for plans of problems with constraints. `pools` has the
  // pool of each record; it is empty if the problem has only one memory.
  optional<CostClaim> cost;
  std::vector<size_t> pools;
  // The following members are set if `status` is kInfeasible.
  std::vector<std::string> conflict;
  bool irreducible = false;
  // The witnesses of irreducibility, one for each tensor of the conflict. The
  // witness of a tensor is a plan of all other tensors of the conflict: their
  // offsets, in the order of the conflict. Witnesses are optional, and there
  // are none for shared objects.
  std::vector<std::vector<size_t>> witnesses;
};

// Parses a document. Errors: InvalidArgument, with the name of the key, if
// `text` is not a certificate: it is not JSON, has another format, has a key
// that is missing, unknown or of the wrong type, or has many more values than a
// certificate for `records` records.
StatusOr<Claim> ParseClaim(string_view text, size_t records);

// Returns whether a certificate with this proof contains the log of a search.
// The log follows the document.
inline bool HasLog(const Proof& proof) {
  return proof.by == Proof::By::kSearch && !proof.tensors.empty();
}

// Formats a claim as one line. ParseClaim parses that line to an equal claim.
// `reason` is only for human readers.
std::string FormatClaim(const Claim& claim, string_view reason);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_CLAIM_H_
