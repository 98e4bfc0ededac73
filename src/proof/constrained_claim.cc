// SPDX-License-Identifier: Apache-2.0
#include "src/proof/constrained_claim.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/proof/clique_bound.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"

namespace stowage::certificate {
namespace {

Status WrongKey(string_view key, string_view expected) {
  return InvalidArgumentError(
      StrCat("not a certificate for these records: key '", key, "'; expected ",
             expected));
}

std::string BySearch(string_view strategy, size_t seed, size_t nodes) {
  return StrCat("proved by a search of '", strategy, "' with seed ", seed,
                " and ", nodes, " nodes");
}

// Returns the cost of the plan of the claim.
uint64_t CostOfClaim(const Problem& problem, const Claim& claim) {
  const Constraints& constraints = *problem.constraints();
  uint64_t cost = 0;
  for (size_t i = 0; i < constraints.choices.size(); ++i) {
    for (const PoolChoice& choice : constraints.choices[i]) {
      if (i < claim.pools.size() && choice.pool == claim.pools[i]) {
        cost += choice.cost;
      }
    }
  }
  for (const ApartPreference& wish : constraints.prefer_apart) {
    const auto [first, second] =
        std::minmax(wish.first, wish.second, [&](size_t a, size_t b) {
          return claim.offsets[a] < claim.offsets[b];
        });
    const size_t distance = claim.offsets[second] - claim.offsets[first];
    if (distance < problem.records()[first].tensor_size &&
        problem.records()[second].tensor_size > 0 &&
        (claim.pools.empty() || claim.pools[first] == claim.pools[second])) {
      cost += wish.cost;
    }
  }
  return cost;
}

// Returns the proofs of the claim, with tensor names replaced by record
// indices.
StatusOr<std::vector<CostProof>> ReadProofs(const Claim& claim) {
  std::map<string_view, size_t> index;
  for (size_t i = 0; i < claim.ids.size(); ++i) index[claim.ids[i]] = i;
  std::vector<CostProof> proofs;
  for (const CostClaim::Cliques& cliques : claim.cost->proofs) {
    CostProof& proof = proofs.emplace_back();
    proof.scale = cliques.scale;
    for (const CostClaim::Clique& clique : cliques.cliques) {
      CostProof::Clique& read = proof.cliques.emplace_back();
      read.weight = clique.weight;
      for (const std::string& tensor : clique.tensors) {
        const auto found = index.find(tensor);
        const bool is_next =
            found != index.end() &&
            (read.records.empty() || read.records.back() < found->second);
        if (!is_next) {
          return WrongKey("cost_proof.proofs.cliques.tensors",
                          "ids of the records, in order and each once");
        }
        read.records.push_back(found->second);
      }
    }
  }
  return proofs;
}

// Returns whether the stated sum of each proof is the sum of its weights. The
// sum detects a weight that was changed by accident, even if the proof still
// proves the same bound.
bool HaveSums(const CostClaim& cost) {
  return std::all_of(cost.proofs.begin(), cost.proofs.end(),
                     [](const CostClaim::Cliques& proof) {
                       size_t sum = proof.sum;
                       for (const CostClaim::Clique& clique : proof.cliques) {
                         if (clique.weight > sum) return false;
                         sum -= clique.weight;
                       }
                       return sum == 0;
                     });
}

// Checks the lower bound of the cost. The caller has already compared the bound
// with the cost of the plan.
Status CheckCostBound(const Problem& problem, const Claim& claim,
                      CertificateVerdict* verdict) {
  const CostClaim& cost = *claim.cost;
  const StatusOr<std::vector<CostProof>> proofs = ReadProofs(claim);
  if (!proofs.ok()) return proofs.status();
  const std::string capacity =
      problem.constraints()->pools.empty() && claim.capacity
          ? StrCat(" within ", *claim.capacity, " bytes")
          : "";
  const std::string fact =
      StrCat("no plan", capacity, " costs less than ", cost.bound, ": ");
  const StatusOr<uint64_t> shown = BoundOfCliques(problem, *proofs);
  if (cost.by == CostClaim::By::kSearch) {
    verdict->not_checked.push_back(
        StrCat(fact, BySearch(cost.strategy, cost.seed, cost.nodes)));
  } else if (IsResourceExhausted(shown.status())) {
    verdict->not_checked.push_back(StrCat(fact, "cliques show it"));
  } else if (!shown.ok()) {
    verdict->refuted = std::string(shown.status().message());
  } else if (!HaveSums(cost)) {
    verdict->refuted = "a sum of the weights of cliques is wrong";
  } else if (*shown != cost.bound) {
    verdict->refuted = StrCat(
        "the cost proofs show that no plan costs less "
        "than ",
        *shown, ", not ", cost.bound);
  } else {
    size_t cliques = 0;
    for (const CostProof& proof : *proofs) cliques += proof.cliques.size();
    verdict->proved.push_back(
        StrCat(fact, cliques == 0
                         ? "the constraints show it"
                         : StrCat(cliques, cliques == 1 ? " clique shows it"
                                                        : " cliques show it")));
  }
  return OkStatus();
}

// Checks the lower bound of the total size.
void CheckTotalBound(const Problem& problem, const Claim& claim,
                     CertificateVerdict* verdict) {
  const size_t bound = claim.lower_bound;
  const size_t shown = LowerBoundOf(problem).bytes;
  if (bound > claim.total_size ||
      (claim.status == SolutionStatus::kOptimal && bound != claim.total_size)) {
    verdict->refuted =
        StrCat("a lower bound of ", bound, " bytes proves nothing about ",
               claim.total_size, " bytes");
    return;
  }
  if (claim.proof.by != Proof::By::kNothing &&
      claim.proof.by != Proof::By::kSearch) {
    verdict->refuted = "with constraints only a search is a proof of the bound";
    return;
  }
  verdict->proved.push_back(StrCat("no plan is smaller than ",
                                   std::min(shown, bound),
                                   " bytes: the constraints show it"));
  if (shown >= bound) return;
  if (claim.proof.by == Proof::By::kNothing) {
    verdict->refuted = StrCat("the constraints show a lower bound of ", shown,
                              " bytes, not of ", bound);
    return;
  }
  verdict->not_checked.push_back(StrCat(
      "no plan of least cost is smaller than ", bound, " bytes: ",
      BySearch(claim.proof.strategy, claim.proof.seed, claim.proof.nodes)));
}

}  // namespace

void CheckOverfullClaim(const Problem& problem, const Claim& claim,
                        const std::vector<size_t>& conflict,
                        CertificateVerdict* verdict) {
  const size_t bound = LowerBoundOf(problem).bytes;
  if (claim.lower_bound != bound) {
    verdict->refuted = StrCat("the constraints show a lower bound of ", bound,
                              " bytes, not of ", claim.lower_bound);
    return;
  }
  if (claim.proof.by != Proof::By::kClique) {
    verdict->refuted =
        "with constraints only a clique is a proof that there is no plan";
    return;
  }
  if (claim.irreducible) {
    verdict->refuted = "that a clique is irreducible is not proved";
    return;
  }
  const StatusOr<OverfullClique> clique = CheckOverfull(problem, conflict);
  const std::string subject =
      StrCat("the conflict of ", conflict.size(),
             conflict.size() == 1 ? " tensor" : " tensors");
  const std::string no_plan =
      claim.capacity
          ? StrCat("no plan exists within ", *claim.capacity, " bytes: ")
          : "no plan exists: ";
  if (IsResourceExhausted(clique.status())) {
    verdict->not_checked.push_back(StrCat(subject, " has no room"));
  } else if (!clique.ok()) {
    verdict->refuted =
        StrCat(subject, ": ", std::string(clique.status().message()));
  } else if (claim.proof.bytes != clique->bytes ||
             claim.proof.room != clique->room ||
             claim.proof.shared != clique->shared) {
    verdict->refuted =
        StrCat(subject, " takes ", clique->bytes, " bytes in ", clique->room,
               ", of which pairs can share ", clique->shared, ", not ",
               claim.proof.bytes, " in ", claim.proof.room, " and ",
               claim.proof.shared);
  } else if (clique->room == 0) {
    verdict->proved.push_back(StrCat(no_plan, subject, " takes ", clique->bytes,
                                     " bytes and has no room at all"));
  } else {
    verdict->proved.push_back(StrCat(
        no_plan, subject, " takes ", clique->bytes, " bytes and has room in ",
        clique->room,
        clique->shared == 0
            ? ", and no two share a byte"
            : StrCat(", and pairs can share no more than ", clique->shared)));
  }
}

Status CheckConstrainedClaim(const Problem& problem, const Claim& claim,
                             CertificateVerdict* verdict) {
  if (!claim.cost) return WrongKey("cost", "the cost of the plan");
  const uint64_t cost = CostOfClaim(problem, claim);
  if (cost != claim.cost->cost) {
    verdict->refuted =
        StrCat("the plan costs ", cost, ", not ", claim.cost->cost);
    return OkStatus();
  }
  verdict->checked.push_back(StrCat("the plan costs ", cost));
  if (claim.cost->bound > cost ||
      (claim.status == SolutionStatus::kOptimal && claim.cost->bound != cost)) {
    verdict->refuted = StrCat("a lower bound of ", claim.cost->bound,
                              " proves nothing about a cost of ", cost);
    return OkStatus();
  }
  if (Status s = CheckCostBound(problem, claim, verdict); !s.ok()) return s;
  if (verdict->refuted.empty()) CheckTotalBound(problem, claim, verdict);
  return OkStatus();
}

}  // namespace stowage::certificate
