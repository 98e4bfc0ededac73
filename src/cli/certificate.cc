#include "src/cli/certificate.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/cli/json.h"
#include "stowage/assignment.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/trace.h"
#include "stowage/verify.h"

namespace stowage::cli {
namespace {

constexpr char kFormat[] = "stowage certificate 1";

absl::Status NoCertificate(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("no certificate for this trace: expected ", what));
}

// The bound of what lives at one task, or of positional maximums, is one that
// the trace shows; any other is one of a search.
Json ProofOf(const Problem& problem, absl::string_view strategy,
             const SolveOptions& options, const Solution& result) {
  if (result.bound_is_searched) {
    return {{"by", "search"},
            {"strategy", std::string(strategy)},
            {"seed", options.seed},
            {"nodes", result.nodes}};
  }
  if (problem.kind() == PlanKind::kObjects) {
    return {{"by", "positional maximums"}};
  }
  return {{"by", "task"}, {"task", problem.lower_bound().task.value_or(0)}};
}

Json IdsOf(const Trace& trace, const std::vector<size_t>& indices) {
  Json ids = Json::array();
  for (const size_t i : indices) ids.push_back(trace.ids[i]);
  return ids;
}

Json AlignmentsOf(const Trace& trace, const Alignments& alignments) {
  Json list = Json::array();
  for (size_t i = 0; i < trace.records.size(); ++i) {
    list.push_back(alignments.Of(i));
  }
  return list;
}

// Reads members whose types nobody has checked.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  std::string Text(const char* name) const {
    const auto found = json_.find(name);
    return found != json_.end() && found->is_string()
               ? found->get<std::string>()
               : std::string();
  }

  absl::StatusOr<size_t> Number(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end() || !found->is_number_unsigned()) {
      return NoCertificate(absl::StrCat("a number '", name, "'"));
    }
    return found->get<size_t>();
  }

  absl::StatusOr<std::vector<size_t>> Numbers(const char* name) const {
    std::vector<size_t> numbers;
    const auto found = json_.find(name);
    if (found == json_.end() || !found->is_array()) {
      return NoCertificate(absl::StrCat("a list '", name, "'"));
    }
    for (const Json& entry : *found) {
      if (!entry.is_number_unsigned()) {
        return NoCertificate(absl::StrCat("numbers in '", name, "'"));
      }
      numbers.push_back(entry.get<size_t>());
    }
    return numbers;
  }

  Json Member(const char* name) const {
    const auto found = json_.find(name);
    return found != json_.end() ? *found : Json();
  }

 private:
  const Json& json_;
};

class Checker {
 public:
  Checker(const Trace& trace, const Alignments& alignments,
          const Json& document)
      : trace_(trace),
        alignments_(alignments),
        document_(document),
        read_(document) {}

  absl::StatusOr<CertificateVerdict> Check() {
    if (!document_.is_object() || read_.Text("format") != kFormat) {
      return NoCertificate(absl::StrCat("the format '", kFormat, "'"));
    }
    if (read_.Member("ids") != Json(trace_.ids)) {
      return NoCertificate("the ids of its rows, in order");
    }
    if (read_.Text("kind") != "offsets" && read_.Text("kind") != "objects") {
      return NoCertificate("a kind: offsets or objects");
    }
    if (IsOfOffsets() &&
        read_.Member("alignments") != AlignmentsOf(trace_, alignments_)) {
      return NoCertificate(
          "the alignments of its rows, or of --alignment where the plan was "
          "made with it");
    }
    const std::string status = read_.Text("status");
    absl::Status done;
    if (status == "optimal" || status == "feasible") {
      done = CheckPlan();
      if (done.ok() && verdict_.refuted.empty()) {
        done = CheckBound(/*is_optimal=*/status == "optimal");
      }
    } else if (status == "infeasible") {
      done = CheckConflict();
    } else {
      return NoCertificate("a claim: optimal, feasible or infeasible");
    }
    if (!done.ok()) return done;
    return verdict_;
  }

 private:
  bool IsOfOffsets() const { return read_.Text("kind") == "offsets"; }

  absl::Status CheckPlan() {
    const absl::StatusOr<size_t> total = read_.Number("total_size");
    if (!total.ok()) return total.status();
    absl::optional<Violation> violation;
    if (IsOfOffsets()) {
      const auto places = read_.Numbers("offsets");
      if (!places.ok()) return places.status();
      violation = FindViolation(trace_.records, {*places, *total}, alignments_);
    } else {
      const auto ids = read_.Numbers("object_ids");
      const auto sizes = read_.Numbers("object_sizes");
      if (!ids.ok()) return ids.status();
      if (!sizes.ok()) return sizes.status();
      const ObjectsAssignment<size_t> plan = {*ids, *sizes};
      const absl::StatusOr<size_t> sum = TotalSize(plan);
      if (!sum.ok()) return sum.status();
      violation = FindViolation(trace_.records, plan);
      if (*sum != *total) {
        verdict_.refuted =
            absl::StrCat("the objects have ", *sum, " bytes, not ", *total);
        return absl::OkStatus();
      }
    }
    if (violation) {
      verdict_.refuted = Describe(*violation, trace_.ids);
    } else {
      verdict_.checked.push_back(
          absl::StrCat("the plan is safe and has ", *total, " bytes"));
    }
    return absl::OkStatus();
  }

  size_t BoundOfTrace() const {
    return IsOfOffsets() ? OffsetsLowerBound(trace_.records)
                         : ObjectsLowerBound(trace_.records);
  }

  // What these take one after the other, which is a plan; nothing if more than
  // can be counted.
  absl::optional<size_t> SizeOfStack(const std::vector<size_t>& indices) const {
    size_t top = 0;
    for (const size_t i : indices) {
      const size_t size = trace_.records[i].tensor_size;
      if (size == 0) continue;
      const auto offset =
          CheckedAlignUp(top, IsOfOffsets() ? alignments_.Of(i) : 1);
      const auto end = offset ? CheckedAdd(*offset, size) : absl::nullopt;
      if (!end) return absl::nullopt;
      top = *end;
    }
    return top;
  }

  absl::Status CheckBound(bool is_optimal) {
    const absl::StatusOr<size_t> total = read_.Number("total_size");
    const absl::StatusOr<size_t> bound = read_.Number("lower_bound");
    if (!total.ok()) return total.status();
    if (!bound.ok()) return bound.status();
    if (*bound > *total || (is_optimal && *bound != *total)) {
      verdict_.refuted = absl::StrCat(
          "a bound of ", *bound, " proves nothing about ", *total, " bytes");
      return absl::OkStatus();
    }
    NameBound(*bound);
    return absl::OkStatus();
  }

  // Says who can know that no plan is smaller than the bound.
  void NameBound(size_t bound) {
    const size_t known = BoundOfTrace();
    if (known >= bound) {
      verdict_.checked.push_back(
          absl::StrCat("no plan is smaller than ", bound,
                       " bytes: the trace itself shows it"));
      return;
    }
    verdict_.checked.push_back(
        absl::StrCat("no plan is smaller than ", known, " bytes"));
    std::vector<size_t> all(trace_.records.size());
    std::iota(all.begin(), all.end(), size_t{0});
    if (const auto stack = SizeOfStack(all); stack && *stack < bound) {
      verdict_.refuted = absl::StrCat("all tensors one after the other take ",
                                      *stack, " bytes, fewer than ", bound);
      return;
    }
    const Json proof = read_.Member("proof");
    if (proof.is_object() && Reader(proof).Text("by") == "search") {
      verdict_.not_checked.push_back(
          absl::StrCat("no plan is smaller than ", bound,
                       " bytes: a complete search says so"));
    } else {
      verdict_.refuted = absl::StrCat("the trace shows a bound of ", known,
                                      " bytes, not of ", bound);
    }
  }

  // The rows that are said not to fit together.
  absl::StatusOr<std::vector<size_t>> ReadConflict() const {
    absl::flat_hash_map<absl::string_view, size_t> index;
    for (size_t i = 0; i < trace_.ids.size(); ++i) index[trace_.ids[i]] = i;
    std::vector<size_t> conflict;
    for (const Json& id : read_.Member("conflict")) {
      const auto found =
          id.is_string() ? index.find(id.get<std::string>()) : index.end();
      if (found == index.end()) {
        return NoCertificate("a conflict of its rows, each of them once");
      }
      conflict.push_back(found->second);
      index.erase(found);
    }
    return conflict;
  }

  absl::Status CheckConflict() {
    const absl::StatusOr<size_t> capacity = read_.Number("capacity");
    if (!capacity.ok()) return capacity.status();
    const absl::StatusOr<size_t> bound = read_.Number("lower_bound");
    if (!bound.ok()) return bound.status();
    const absl::StatusOr<std::vector<size_t>> conflict = ReadConflict();
    if (!conflict.ok()) return conflict.status();
    if (*bound <= *capacity) {
      verdict_.refuted =
          absl::StrCat("a bound of ", *bound,
                       " bytes proves nothing about a capacity of ", *capacity);
      return absl::OkStatus();
    }
    NameBound(*bound);
    if (verdict_.refuted.empty() && !conflict->empty()) {
      NameConflict(*conflict, *capacity);
    }
    return absl::OkStatus();
  }

  // Says who can know that these do not fit the capacity together.
  void NameConflict(const std::vector<size_t>& conflict, size_t capacity) {
    std::vector<ByteRecord> records;
    records.reserve(conflict.size());
    for (const size_t i : conflict) records.push_back(trace_.records[i]);
    const size_t alone =
        IsOfOffsets() ? OffsetsLowerBound(records) : ObjectsLowerBound(records);
    const std::string who =
        absl::StrCat("the ", conflict.size(), " tensors of the conflict ");
    if (alone > capacity) {
      verdict_.checked.push_back(absl::StrCat(
          who, "need ", alone, " bytes, more than the capacity of ", capacity));
      return;
    }
    if (const auto stack = SizeOfStack(conflict); stack && *stack <= capacity) {
      verdict_.refuted = absl::StrCat(who, "take ", *stack,
                                      " bytes one after the other, and fit");
      return;
    }
    verdict_.not_checked.push_back(
        absl::StrCat(who, "do not fit ", capacity, " bytes"));
  }

  const Trace& trace_;
  const Alignments& alignments_;
  const Json& document_;
  Reader read_;
  CertificateVerdict verdict_;
};

}  // namespace

std::string CertificateOf(const Trace& trace, const Problem& problem,
                          absl::string_view strategy,
                          const SolveOptions& options, const Solution& result) {
  Json document = {{"format", kFormat},
                   {"kind", std::string(PlanKindName(problem.kind()))},
                   {"status", std::string(SolutionStatusName(result.status))},
                   {"reason", result.reason},
                   {"lower_bound", result.lower_bound},
                   {"proof", ProofOf(problem, strategy, options, result)}};
  if (problem.capacity()) document["capacity"] = *problem.capacity();
  document["ids"] = trace.ids;
  if (problem.kind() == PlanKind::kOffsets) {
    document["alignments"] = AlignmentsOf(trace, problem.alignments());
  }
  if (result.status == SolutionStatus::kInfeasible) {
    document["conflict"] = IdsOf(trace, result.conflict);
    document["irreducible"] = result.conflict_is_irreducible;
  } else if (result.status != SolutionStatus::kTimeLimit) {
    document["total_size"] = result.total_size;
    if (problem.kind() == PlanKind::kOffsets) {
      document["offsets"] = result.offsets()->offsets;
    } else {
      document["object_ids"] = result.objects()->object_ids;
      document["object_sizes"] = result.objects()->object_sizes;
    }
  }
  return Dump(document);
}

absl::StatusOr<CertificateVerdict> CheckCertificate(
    const Trace& trace, const Alignments& alignments, absl::string_view text) {
  const Json document = Json::parse(text.begin(), text.end(), nullptr,
                                    /*allow_exceptions=*/false);
  return Checker(trace, alignments, document).Check();
}

}  // namespace stowage::cli
