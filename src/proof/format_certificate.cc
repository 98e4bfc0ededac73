// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/str_cat.h"
#include "src/proof/claim.h"
#include "src/proof/claimed_plan.h"
#include "src/proof/clique_bound.h"
#include "src/proof/names.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/certificate.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

using certificate::Claim;
using certificate::CostClaim;
using certificate::OverfullClique;
using certificate::Proof;

std::vector<std::string> NamesOf(const Problem& problem,
                                 Span<const size_t> records) {
  const std::vector<std::string> all = certificate::NamesOf(problem);
  std::vector<std::string> names;
  names.reserve(records.size());
  for (const size_t i : records) names.push_back(all[i]);
  return names;
}

// Returns the proof of the lower bound. A bound above LowerBoundOf was proved
// by a search, by chain weights, or by the space between fixed records.
Proof ProofOf(const Problem& problem, const Solution& solution) {
  Proof proof;
  if (solution.bound_proof.kind == BoundProof::Kind::kSearch) {
    proof.by = Proof::By::kSearch;
    proof.strategy = solution.strategy;
    proof.seed = solution.seed;
    proof.nodes = solution.nodes;
    const SearchProof& search = solution.search_proof;
    if (!search.records.empty()) {
      proof.tensors = NamesOf(problem, search.records);
      proof.capacity = search.capacity;
      proof.unit = search.unit;
    }
  } else if (problem.constraints() != nullptr) {
    if (solution.lower_bound <= LowerBoundOf(problem).bytes) return proof;
    proof.by = Proof::By::kSearch;
    proof.strategy = solution.strategy;
    proof.seed = solution.seed;
    proof.nodes = solution.nodes;
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
  } else if (const auto task = TaskOf(LowerBoundOf(problem).proof)) {
    proof.by = Proof::By::kTask;
    proof.task = *task;
  }
  return proof;
}

// Returns the statements of the certificate about the cost. The bound of the
// cost is proved by the cliques or, if the cliques do not prove exactly that
// bound, by the search.
CostClaim CostOf(const Problem& problem, const Solution& solution) {
  CostClaim cost;
  cost.cost = solution.cost;
  cost.bound = solution.cost_bound;
  const StatusOr<uint64_t> shown =
      certificate::BoundOfCliques(problem, solution.cost_proofs);
  if (!shown.ok() || *shown != solution.cost_bound) {
    cost.by = CostClaim::By::kSearch;
    cost.strategy = solution.strategy;
    cost.seed = solution.seed;
    cost.nodes = solution.nodes;
    return cost;
  }
  if (solution.cost_proofs.empty()) return cost;
  cost.by = CostClaim::By::kCliques;
  const std::vector<std::string> names = certificate::NamesOf(problem);
  for (const CostProof& proof : solution.cost_proofs) {
    CostClaim::Cliques& cliques = cost.proofs.emplace_back();
    cliques.scale = proof.scale;
    for (const CostProof::Clique& clique : proof.cliques) {
      CostClaim::Clique& named = cliques.cliques.emplace_back();
      for (const size_t i : clique.records) named.tensors.push_back(names[i]);
      named.weight = clique.weight;
      cliques.sum += clique.weight;
    }
  }
  return cost;
}

void SetPlan(const Problem& problem, const Solution& solution, Claim* claim) {
  claim->total_size = solution.total_size;
  if (claim->kind == PlanKind::kOffsets) {
    if (!FindViolation(problem, *solution.offsets())) {
      claim->total_size = certificate::BytesTaken(problem, *solution.offsets());
    }
    claim->offsets = solution.offsets()->offsets;
  } else {
    claim->object_ids = solution.objects()->object_ids;
    claim->object_sizes = solution.objects()->object_sizes;
  }
}

// Sets the claim that a problem with constraints has no plan because the
// conflict does not fit. The claim makes no statement about irreducibility.
void SetClique(const Problem& problem, const OverfullClique& clique,
               Claim* claim) {
  claim->lower_bound = LowerBoundOf(problem).bytes;
  claim->irreducible = false;
  claim->witnesses.clear();
  claim->proof = Proof();
  claim->proof.by = Proof::By::kClique;
  claim->proof.bytes = clique.bytes;
  claim->proof.room = clique.room;
  claim->proof.shared = clique.shared;
}

Claim ClaimOf(const Problem& problem, const Solution& solution) {
  Claim claim;
  claim.kind = problem.kind();
  claim.status = solution.status;
  claim.lower_bound = solution.lower_bound;
  claim.capacity = problem.capacity();
  claim.proof = ProofOf(problem, solution);
  claim.ids = certificate::NamesOf(problem);
  if (claim.kind == PlanKind::kOffsets) {
    claim.alignments = certificate::AlignmentsOf(problem);
    claim.fixed = certificate::FixedOffsetsOf(problem);
  }
  if (claim.status == SolutionStatus::kInfeasible) {
    claim.conflict = NamesOf(problem, solution.conflict);
    claim.irreducible = solution.conflict_is_irreducible;
    if (claim.irreducible &&
        claim.conflict.size() <= certificate::kMaxInIrreducible) {
      claim.witnesses = solution.conflict_witnesses;
    }
  } else {
    SetPlan(problem, solution, &claim);
    if (problem.constraints() != nullptr) {
      claim.cost = CostOf(problem, solution);
      const std::vector<uint32_t>& pools = solution.offsets()->pools;
      claim.pools.assign(pools.begin(), pools.end());
      // The status `optimal` claims the least cost. A plan that is optimal
      // under a cost limit need not have the least cost.
      if (claim.cost->bound < claim.cost->cost) {
        claim.status = SolutionStatus::kFeasible;
      }
    }
  }
  return claim;
}

}  // namespace

Status WriteCertificate(const Problem& problem, const Solution& solution,
                        const WriteText& write) {
  if (Status s = certificate::CheckIsCertifiable(problem); !s.ok()) {
    return s;
  }
  if (solution.status == SolutionStatus::kOverCapacity) {
    return FailedPreconditionError(
        "certificate: the plan exceeds the capacity, which proves nothing; "
        "expected a plan or a proof that there is none");
  }
  if (solution.status == SolutionStatus::kTimeLimit) {
    return FailedPreconditionError(
        "certificate: the search ended at its limits and proved nothing; "
        "expected a plan or a proof that there is none");
  }
  Claim claim = ClaimOf(problem, solution);
  if (problem.constraints() != nullptr && !solution.has_plan()) {
    const StatusOr<OverfullClique> clique =
        certificate::CheckOverfull(problem, solution.conflict);
    if (!clique.ok()) {
      return UnimplementedError(
          "certificate: a proof that no plan keeps the constraints needs "
          "tensors that may not share bytes at no cost and have no room; "
          "expected such a conflict, or a plan");
    }
    SetClique(problem, *clique, &claim);
  }
  const std::string document = FormatClaim(claim, solution.reason);
  if (Status s = write(document); !s.ok()) return s;
  if (!certificate::HasLog(claim.proof)) return OkStatus();
  if (Status s = write(certificate::kLogLine); !s.ok()) return s;
  return WriteSearchLog(problem, solution, write);
}

StatusOr<std::string> FormatCertificate(const Problem& problem,
                                        const Solution& solution) {
  std::string text;
  Status written =
      WriteCertificate(problem, solution, [&text](string_view piece) {
        StrAppend(&text, piece);
        return OkStatus();
      });
  if (!written.ok()) return written;
  return text;
}

}  // namespace stowage
