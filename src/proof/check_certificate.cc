// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "src/bounds/contradiction.h"
#include "src/proof/chain_bound.h"
#include "src/proof/claim.h"
#include "src/proof/claimed_plan.h"
#include "src/proof/conflict.h"
#include "src/proof/constrained_claim.h"
#include "src/proof/fixed_room.h"
#include "src/proof/irreducible.h"
#include "src/proof/names.h"
#include "src/proof/objects_log.h"
#include "src/proof/search_log.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/certificate.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

using certificate::Claim;
using certificate::Proof;

constexpr char kIdsOnce[] = "ids of the records, each once";
constexpr size_t kLogReadBytes = size_t{1} << 20;

// The maximum size of a document in bytes. A document about a million records
// has about 50 MB.
constexpr size_t kMaxDocument = size_t{1} << 30;

Status OtherRecords(string_view key, string_view expected) {
  return InvalidArgumentError(
      StrCat("not a certificate for these records: key '", key, "'; expected ",
             expected));
}

size_t BytesLiveAt(const Problem& problem, TaskId task) {
  size_t bytes = 0;
  for (const TensorUsageRecord<size_t>& record : problem.records()) {
    if (record.first_task <= task && task <= record.last_task) {
      bytes += record.tensor_size;
    }
  }
  return bytes;
}

class Checker {
 public:
  // The log consists of `log_text`, followed by the text that `read_log`
  // returns.
  Checker(const Problem& problem, const Claim& claim, string_view log_text,
          const ReadText& read_log)
      : problem_(problem),
        claim_(claim),
        log_text_(log_text),
        read_log_(read_log) {
    verdict_.kind = claim.kind;
    verdict_.status = claim.status;
    verdict_.lower_bound = claim.lower_bound;
    verdict_.total_size = claim.total_size;
    verdict_.capacity = claim.capacity;
  }

  StatusOr<CertificateVerdict> Check() {
    if (Status s = CheckRecords(); !s.ok()) return s;
    if (problem_.constraints() != nullptr) {
      if (Status s = CheckConstrained(); !s.ok()) return s;
    } else if (claim_.status == SolutionStatus::kInfeasible) {
      if (Status s = CheckInfeasible(); !s.ok()) return s;
    } else {
      if (Status s = CheckPlan(); !s.ok()) return s;
      if (verdict_.refuted.empty()) CheckBound();
    }
    return std::move(verdict_);
  }

 private:
  Status CheckPlan() {
    return certificate::CheckClaimedPlan(problem_, claim_, &verdict_);
  }

  bool IsOfOffsets() const { return claim_.kind == PlanKind::kOffsets; }

  Status CheckConstrained() {
    if (claim_.status == SolutionStatus::kInfeasible) {
      const auto conflict = ReadRecords("conflict", claim_.conflict, kIdsOnce);
      if (!conflict.ok()) return conflict.status();
      certificate::CheckOverfullClaim(problem_, claim_, *conflict, &verdict_);
      return OkStatus();
    }
    for (const size_t pool : claim_.pools) {
      if (pool < problem_.constraints()->pools.size()) continue;
      return OtherRecords("pools", "the number of a pool for each record");
    }
    if (Status s = CheckPlan(); !s.ok() || !verdict_.refuted.empty()) return s;
    return certificate::CheckConstrainedClaim(problem_, claim_, &verdict_);
  }

  // Returns an error if the certificate does not belong to the records of the
  // problem.
  Status CheckRecords() {
    if (problem_.constraints() == nullptr && claim_.cost) {
      return OtherRecords("cost", "no cost without constraints");
    }
    if (problem_.constraints() == nullptr &&
        claim_.proof.by == Proof::By::kClique) {
      return OtherRecords("proof.by", "no clique without constraints");
    }
    if (claim_.ids != certificate::NamesOf(problem_)) {
      return OtherRecords("ids", "the ids of the records, in order");
    }
    if (Status s = ReadTensors(); !s.ok()) return s;
    if (!IsOfOffsets()) return OkStatus();
    if (claim_.alignments != certificate::AlignmentsOf(problem_)) {
      return OtherRecords("alignments", "the alignments of the records");
    }
    if (claim_.fixed != certificate::FixedOffsetsOf(problem_)) {
      return OtherRecords("fixed", "the fixed offsets of the records");
    }
    return OkStatus();
  }

  // Reads the records of the proof. If the bound is proved by weights, the
  // records must be in order.
  Status ReadTensors() {
    const bool in_order = claim_.proof.by == Proof::By::kChainWeights;
    const char* const expected =
        in_order ? "ids of the records, in order and each once" : kIdsOnce;
    StatusOr<std::vector<size_t>> records =
        ReadRecords("proof.tensors", claim_.proof.tensors, expected);
    if (!records.ok()) return records.status();
    proof_records_ = *std::move(records);
    if (in_order &&
        !std::is_sorted(proof_records_.begin(), proof_records_.end())) {
      return OtherRecords("proof.tensors", expected);
    }
    return OkStatus();
  }

  // Returns the indices of the records with these ids. Errors: InvalidArgument
  // if an id is unknown or occurs twice.
  StatusOr<std::vector<size_t>> ReadRecords(string_view key,
                                            const std::vector<std::string>& ids,
                                            string_view expected) const {
    flat_hash_map<string_view, size_t> index;
    if (ids.empty()) return std::vector<size_t>();
    for (size_t i = 0; i < claim_.ids.size(); ++i) index[claim_.ids[i]] = i;
    std::vector<size_t> records;
    for (const std::string& id : ids) {
      const auto found = index.find(id);
      if (found == index.end()) return OtherRecords(key, expected);
      records.push_back(found->second);
      index.erase(found);
    }
    return records;
  }

  void CheckBound() {
    const size_t bound = claim_.lower_bound;
    const bool is_optimal = claim_.status == SolutionStatus::kOptimal;
    const bool proves =
        is_optimal ? bound == claim_.total_size : bound <= claim_.total_size;
    if (!proves) {
      verdict_.refuted =
          StrCat("a lower bound of ", bound, " bytes proves nothing about ",
                 claim_.total_size, " bytes");
      return;
    }
    CheckProof();
  }

  // Checks the lower bound of the claim. First states the bound that
  // LowerBoundOf proves without the certificate, and then checks the proof in
  // the certificate.
  void CheckProof() {
    const size_t bound = claim_.lower_bound;
    const size_t shown = LowerBoundOf(problem_).bytes;
    verdict_.proved.push_back(StrCat("no plan is smaller than ",
                                     std::min(shown, bound),
                                     " bytes: the records show it"));
    std::vector<size_t> all(problem_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    const optional<size_t> stack = certificate::SizeOfStack(problem_, all);
    if (shown < bound && stack && *stack < bound) {
      verdict_.refuted = StrCat("all tensors one after the other take ", *stack,
                                " bytes, less than the lower bound of ", bound);
      return;
    }
    if (certificate::HasLog(claim_.proof)) {
      CheckSearchLog();
    } else if (claim_.proof.by == Proof::By::kSearch) {
      verdict_.not_checked.push_back(StrCat(
          "no plan is smaller than ", bound, " bytes: proved by a search of '",
          claim_.proof.strategy, "' with seed ", claim_.proof.seed, " and ",
          claim_.proof.nodes, " nodes"));
    } else if (claim_.proof.by == Proof::By::kFixedRecords) {
      CheckFixedRoom();
    } else if (claim_.proof.by == Proof::By::kChainWeights) {
      CheckChainWeights();
    } else if (shown < bound) {
      verdict_.refuted = StrCat("the records show a lower bound of ", shown,
                                " bytes, not of ", bound);
    } else {
      CheckNamedProof();
    }
  }

  void CheckFixedRoom() {
    if (!problem_.has_fixed_offsets()) {
      verdict_.refuted = "no record has a fixed offset";
      return;
    }
    const std::string fact =
        StrCat("no plan is smaller than ", claim_.lower_bound,
               " bytes: the fixed records leave no room for one");
    const optional<size_t> bound = certificate::BoundOfFixedRoom(problem_);
    if (!bound) {
      verdict_.not_checked.push_back(fact);
    } else if (*bound >= claim_.lower_bound) {
      verdict_.proved.push_back(fact);
    } else {
      verdict_.refuted = StrCat("the fixed records show a lower bound of ",
                                *bound, " bytes, not of ", claim_.lower_bound);
    }
  }

  void CheckChainWeights() {
    if (IsOfOffsets()) {
      verdict_.refuted = "chain weights bound shared objects alone";
      return;
    }
    const ChainWeights weights = {proof_records_, claim_.proof.weights,
                                  claim_.proof.scale};
    CompareBound(
        certificate::BoundOfChainWeights(problem_.records(), weights),
        StrCat("the weights of ", proof_records_.size(), " tensors show it"),
        "the weights show");
  }

  void CheckSearchLog() {
    const Proof& proof = claim_.proof;
    CompareBound(IsOfOffsets()
                     ? certificate::BoundOfSearchLog(
                           problem_, {proof_records_, proof.capacity,
                                      proof.unit, log_text_, read_log_})
                     : certificate::BoundOfObjectsLog(
                           problem_.records(), {proof_records_, proof.capacity,
                                                log_text_, read_log_}),
                 "the log of a search shows it", "the log shows");
  }

  // Compares the lower bound of the claim with `bound`, the bound that the
  // proof shows. If checking the proof has resulted in an error, reports that
  // error.
  void CompareBound(const StatusOr<size_t>& bound, string_view reason,
                    string_view shows) {
    const std::string fact = StrCat("no plan is smaller than ",
                                    claim_.lower_bound, " bytes: ", reason);
    if (IsResourceExhausted(bound.status())) {
      verdict_.not_checked.push_back(fact);
    } else if (!bound.ok()) {
      verdict_.refuted = std::string(bound.status().message());
    } else if (*bound >= claim_.lower_bound) {
      verdict_.proved.push_back(fact);
    } else {
      verdict_.refuted = StrCat(shows, " a lower bound of ", *bound,
                                " bytes, not of ", claim_.lower_bound);
    }
  }

  // Returns whether the proof of the bound uses only records of the conflict.
  bool IsProofOf(Span<const size_t> conflict) const {
    std::vector<bool> is_in(problem_.size(), false);
    for (const size_t i : conflict) is_in[i] = true;
    return !proof_records_.empty() &&
           std::all_of(proof_records_.begin(), proof_records_.end(),
                       [&](size_t i) { return is_in[i]; });
  }

  // Checks the reason that the certificate states for a bound. The bound itself
  // is known to hold, because LowerBoundOf proves it.
  void CheckNamedProof() {
    if (claim_.proof.by == Proof::By::kTask) {
      const size_t live = BytesLiveAt(problem_, claim_.proof.task);
      if (IsOfOffsets() && live >= claim_.lower_bound) {
        verdict_.proved.push_back(
            StrCat(live, " bytes are live at task ", claim_.proof.task));
        return;
      }
      verdict_.refuted = StrCat(
          live, " bytes are live at task ", claim_.proof.task,
          ", which does not prove a lower bound of ", claim_.lower_bound);
    } else if (claim_.proof.by == Proof::By::kPositionalMaximums) {
      const size_t sum = ObjectsLowerBound(problem_.records());
      if (!IsOfOffsets() && sum >= claim_.lower_bound) {
        verdict_.proved.push_back(
            StrCat("the positional maximums sum to ", sum, " bytes"));
        return;
      }
      verdict_.refuted = "positional maximums bound shared objects alone";
    }
  }

  Status CheckInfeasible() {
    const StatusOr<std::vector<size_t>> conflict =
        ReadRecords("conflict", claim_.conflict, kIdsOnce);
    if (!conflict.ok()) return conflict.status();
    const StatusOr<Problem> alone =
        certificate::Subproblem(problem_, *conflict);
    if (!alone.ok()) return alone.status();
    if (FindContradiction(*alone)) return CheckContradiction(*conflict);
    if (!claim_.capacity) {
      verdict_.refuted =
          "the conflict does not contradict itself, and has no capacity";
      return OkStatus();
    }
    if (claim_.lower_bound <= *claim_.capacity) {
      verdict_.refuted = StrCat("a lower bound of ", claim_.lower_bound,
                                " bytes proves nothing about a capacity of ",
                                *claim_.capacity);
      return OkStatus();
    }
    CheckProof();
    if (!verdict_.refuted.empty()) return OkStatus();
    return CheckConflict(*conflict, *alone);
  }

  // Checks a conflict in which fixed offsets contradict each other.
  Status CheckContradiction(const std::vector<size_t>& conflict) {
    verdict_.proved.push_back(StrCat("the fixed offsets of the conflict of ",
                                     conflict.size(),
                                     " tensors contradict each other"));
    if (claim_.irreducible) {
      Status status = certificate::CheckIrreducibleContradiction(
          problem_, claim_, conflict, &verdict_);
      if (!status.ok()) return status;
    }
    if (verdict_.refuted.empty()) CheckProof();
    return OkStatus();
  }

  // Checks that the tensors of the conflict do not fit. `alone` is the problem
  // that consists only of these tensors.
  Status CheckConflict(const std::vector<size_t>& conflict,
                       const Problem& alone) {
    if (conflict.empty()) {
      if (claim_.irreducible) {
        verdict_.refuted = "an irreducible conflict is empty";
      }
      return OkStatus();
    }
    const size_t capacity = *claim_.capacity;
    size_t bound = LowerBoundOf(alone).bytes;
    if (alone.has_fixed_offsets()) {
      bound = std::max(bound, certificate::BoundOfFixedRoom(alone).value_or(0));
    }
    if (IsProofOf(conflict) && verdict_.not_checked.empty()) {
      bound = std::max(bound, claim_.lower_bound);
    }
    const std::string subject =
        StrCat("the conflict of ", conflict.size(),
               conflict.size() == 1 ? " tensor " : " tensors ");
    if (bound > capacity) {
      verdict_.proved.push_back(StrCat(subject, "needs ", bound,
                                       " bytes, more than the capacity of ",
                                       capacity));
    } else if (const auto stack = certificate::SizeOfStack(problem_, conflict);
               stack && *stack <= capacity) {
      verdict_.refuted = StrCat(
          subject, "takes ", *stack,
          " bytes one after the other, and fits the capacity of ", capacity);
      return OkStatus();
    } else {
      verdict_.not_checked.push_back(
          StrCat(subject, "does not fit ", capacity, " bytes"));
    }
    if (!claim_.irreducible) return OkStatus();
    return certificate::CheckIrreducible(problem_, claim_, conflict, &verdict_);
  }

  const Problem& problem_;
  const Claim& claim_;
  const string_view log_text_;
  const ReadText& read_log_;
  std::vector<size_t> proof_records_;  // indices of records
  CertificateVerdict verdict_;
};

// Returns whether `text` may be the beginning of a document, which is a JSON
// object.
bool MayBeginDocument(string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first == string_view::npos || text[first] == '{';
}

// Returns the separator of the document and the log. A JSON document cannot
// contain the separator, so the document ends at its first occurrence.
std::string Separator() { return StrCat("\n", certificate::kLogLine); }

// Checks the certificate in `text`. If the certificate has a log that continues
// after `text`, `read` returns the rest of the log.
StatusOr<CertificateVerdict> Check(ProblemSpec spec, string_view text,
                                   const ReadText& read) {
  const size_t end = text.find(Separator());
  const bool has_log = end != string_view::npos;
  if (std::min(end, text.size()) > kMaxDocument) {
    return InvalidArgumentError(
        StrCat("not a certificate: a document of more than ", kMaxDocument,
               " bytes; expected a shorter one"));
  }
  const StatusOr<Claim> claim =
      certificate::ParseClaim(text.substr(0, end), spec.records.size());
  if (!claim.ok()) return claim.status();
  if (has_log && !certificate::HasLog(claim->proof)) {
    return InvalidArgumentError(
        "not a certificate: a log follows; expected key 'proof.tensors' of a "
        "proof by search");
  }
  spec.kind = claim->kind;
  // With constraints, the bound on the cost depends on the capacity of the
  // problem. Without constraints, the Checker uses the capacity of the claim.
  spec.capacity = spec.constraints.empty() ? nullopt : claim->capacity;
  const StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  if (Status s = certificate::CheckIsCertifiable(*problem); !s.ok()) return s;
  text.remove_prefix(has_log ? end + Separator().size() : text.size());
  return Checker(*problem, *claim, text, read).Check();
}

}  // namespace

StatusOr<CertificateVerdict> CheckCertificate(ProblemSpec spec,
                                              string_view text) {
  return Check(std::move(spec), text, nullptr);
}

StatusOr<CertificateVerdict> CheckCertificate(ProblemSpec spec,
                                              const ReadText& read) {
  const std::string separator = Separator();
  std::string text;
  size_t size = 0;
  bool has_log = false;
  while (!has_log && size <= kMaxDocument) {
    text.resize(size + kLogReadBytes);
    const StatusOr<size_t> count = read(MakeSpan(text).subspan(size));
    text.resize(size + count.value_or(0));
    if (!count.ok()) return count.status();
    if (*count == 0) break;
    if (size == 0 && !MayBeginDocument(text)) break;
    // The separator may have begun in the previous piece of the text, so the
    // end of that piece is searched again.
    const size_t from = size - std::min(size, separator.size());
    size = text.size();
    has_log = text.find(separator, from) != std::string::npos;
  }
  // If `read` fails, nothing is refuted, so the error of `read` is returned
  // instead of a verdict.
  Status status;
  const ReadText read_log = [&](Span<char> buffer) {
    StatusOr<size_t> count = read(buffer);
    if (status.ok()) status = count.status();
    return count;
  };
  StatusOr<CertificateVerdict> verdict = Check(std::move(spec), text, read_log);
  if (!status.ok()) return status;
  return verdict;
}

}  // namespace stowage
