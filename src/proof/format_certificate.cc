// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/proof/claim.h"
#include "src/proof/names.h"
#include "stowage/certificate.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {
namespace {

using certificate::Claim;
using certificate::Proof;

std::vector<std::string> NamesOf(const Problem& problem,
                                 absl::Span<const size_t> records) {
  const std::vector<std::string> all = certificate::NamesOf(problem);
  std::vector<std::string> names;
  names.reserve(records.size());
  for (const size_t i : records) names.push_back(all[i]);
  return names;
}

// Returns the proof of the bound. A bound above that of the problem comes from
// a search, from chain weights, or from the room that fixed records leave free.
Proof ProofOf(const Problem& problem, const Solution& solution,
              absl::string_view strategy, uint64_t seed) {
  Proof proof;
  if (solution.bound_is_searched) {
    proof.by = Proof::By::kSearch;
    proof.strategy = std::string(strategy);
    proof.seed = seed;
    proof.nodes = solution.nodes;
    const SearchProof& search = solution.search_proof;
    if (search.write_log) {
      proof.tensors = NamesOf(problem, search.records);
      proof.capacity = search.capacity;
      proof.unit = search.unit;
    }
  } else if (!solution.chain_weights.records.empty()) {
    const ChainWeights& weights = solution.chain_weights;
    proof.by = Proof::By::kChainWeights;
    proof.scale = weights.scale;
    proof.weights = weights.weights;
    proof.tensors = NamesOf(problem, weights.records);
  } else if (solution.lower_bound > LowerBoundOf(problem).bytes) {
    proof.by = Proof::By::kFixedRecords;
  } else if (problem.kind() == PlanKind::kObjects) {
    proof.by = Proof::By::kPositionalMaximums;
  } else if (LowerBoundOf(problem).task) {
    proof.by = Proof::By::kTask;
    proof.task = *LowerBoundOf(problem).task;
  }
  return proof;
}

void SetPlan(const Solution& solution, Claim* claim) {
  claim->total_size = solution.total_size;
  if (claim->kind == PlanKind::kOffsets) {
    claim->offsets = solution.offsets()->offsets;
  } else {
    claim->object_ids = solution.objects()->object_ids;
    claim->object_sizes = solution.objects()->object_sizes;
  }
}

Claim ClaimOf(const Problem& problem, const Solution& solution,
              absl::string_view strategy, uint64_t seed) {
  Claim claim;
  claim.kind = problem.kind();
  claim.status = solution.status;
  claim.lower_bound = solution.lower_bound;
  claim.capacity = problem.capacity();
  claim.proof = ProofOf(problem, solution, strategy, seed);
  claim.ids = certificate::NamesOf(problem);
  if (claim.kind == PlanKind::kOffsets) {
    claim.alignments = certificate::AlignmentsOf(problem);
    claim.fixed = certificate::FixedOffsetsOf(problem);
  }
  if (claim.status == SolutionStatus::kInfeasible) {
    claim.conflict = NamesOf(problem, solution.conflict);
    claim.irreducible = solution.conflict_is_irreducible;
    if (claim.irreducible &&
        claim.conflict.size() <= certificate::kMostInIrreducible) {
      claim.rests = solution.conflict_rests;
    }
  } else {
    SetPlan(solution, &claim);
  }
  return claim;
}

}  // namespace

absl::Status WriteCertificate(const Problem& problem, const Solution& solution,
                              absl::string_view strategy, uint64_t seed,
                              const SearchProof::Write& write) {
  if (absl::Status s = certificate::CheckIsCertifiable(problem); !s.ok()) {
    return s;
  }
  if (solution.status == SolutionStatus::kTimeLimit) {
    return absl::FailedPreconditionError(
        "certificate: the search ended at its limits and proved nothing; "
        "expected a plan or a proof that there is none");
  }
  const Claim claim = ClaimOf(problem, solution, strategy, seed);
  const std::string document = FormatClaim(claim, solution.reason);
  if (absl::Status s = write(document); !s.ok()) return s;
  if (!certificate::HasLog(claim.proof)) return absl::OkStatus();
  if (absl::Status s = write(certificate::kLogLine); !s.ok()) return s;
  return solution.search_proof.write_log(write);
}

absl::StatusOr<std::string> FormatCertificate(const Problem& problem,
                                              const Solution& solution,
                                              absl::string_view strategy,
                                              uint64_t seed) {
  std::string text;
  absl::Status written = WriteCertificate(problem, solution, strategy, seed,
                                          [&text](absl::string_view piece) {
                                            absl::StrAppend(&text, piece);
                                            return absl::OkStatus();
                                          });
  if (!written.ok()) return written;
  return text;
}

}  // namespace stowage
