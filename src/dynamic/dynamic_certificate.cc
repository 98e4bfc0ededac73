// SPDX-License-Identifier: Apache-2.0
#include "stowage/dynamic/dynamic_certificate.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/dynamic/compared_values.h"
#include "src/dynamic/largest_height.h"
#include "src/io/line_json.h"
#include "src/io/line_json_reader.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/certificate.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/dynamic/stack_plan.h"
#include "stowage/dynamic/verify_dynamic.h"
#include "stowage/error_payload.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {
namespace {

using Kind = LineJson::Kind;

constexpr string_view kFormat = "stowage certificate for all values 1";
constexpr JsonKey kKeys[] = {
    {"format", Kind::kText, true},        {"status", Kind::kText, true},
    {"reserve", Kind::kNumber, true},     {"rule", Kind::kText, true},
    {"lower_bound", Kind::kNumber, true}, {"bound_at", Kind::kText, true},
    {"ids", Kind::kList, true},           {"stack", Kind::kList, true}};

// The name of the first part in messages.
constexpr string_view kFirstPart = "part 1";

constexpr size_t kLineReadBytes = size_t{1} << 16;
// The maximum length of the first line in bytes.
constexpr size_t kMaxLine = size_t{1} << 30;

std::vector<std::string> IdsOf(const DynamicProblem& problem) {
  std::vector<std::string> ids = problem.spec().problem.names;
  for (size_t i = ids.size(); i < problem.size(); ++i) ids.push_back(StrCat(i));
  return ids;
}

// Returns the problem at a value, without its capacity, because a plan for all
// values may exceed the capacity.
StatusOr<ProblemSpec> UnlimitedSpecAt(const DynamicProblem& problem,
                                      const ParameterValues& values) {
  StatusOr<ProblemSpec> spec = problem.SpecAt(values);
  if (spec.ok()) spec->capacity.reset();
  return spec;
}

// Returns a solution at the value that needs the most bytes, with a proof of
// the lower bound. If the records alone prove the bound, the solution is the
// stack. Otherwise searches for a plan, and returns the result of the search if
// it proves the bound, or the stack if it does not.
StatusOr<Solution> SolutionAtBound(const DynamicProblem& problem,
                                   const DynamicPlan& plan,
                                   const Problem& at_bound) {
  const LowerBound& bound = LowerBoundOf(at_bound);
  if (bound.bytes < plan.reserve_bound) {
    StatusOr<Solution> found = SearchPlan(at_bound);
    if (found.ok() && found->lower_bound >= plan.reserve_bound &&
        found->has_plan()) {
      return found;
    }
  }
  const StatusOr<std::vector<size_t>> sizes = problem.SizesAt(plan.bound_at);
  if (!sizes.ok()) return sizes.status();
  OffsetsAssignment offsets;
  offsets.offsets.resize(problem.size());
  const StatusOr<size_t> height =
      plan.stack.Offsets(*sizes, MakeSpan(offsets.offsets));
  if (!height.ok()) return height.status();
  offsets.total_size = *height;
  Solution solution(std::move(offsets));
  solution.total_size = *height;
  solution.lower_bound = bound.bytes;
  solution.bound_proof = bound.proof;
  if (*height == bound.bytes) solution.status = SolutionStatus::kOptimal;
  return solution;
}

// The contents of the first part of a certificate.
struct DynamicClaim {
  bool is_optimal = false;
  size_t reserve = 0;
  LargestRule rule = LargestRule::kAllValues;
  size_t lower_bound = 0;
  ParameterValues bound_at;
  std::vector<size_t> order;
};

// Reads the first line of a certificate.
class ClaimReader : private LineJsonReader {
 public:
  ClaimReader(const DynamicProblem& problem, const LineJson& document)
      : LineJsonReader(kFirstPart, "certificate"),
        problem_(problem),
        document_(document) {}

  StatusOr<DynamicClaim> Read() {
    if (CheckFormat() && CheckKeys(document_, root_, kKeys) && ReadWords() &&
        ReadBound() && ReadOrder()) {
      return std::move(claim_);
    }
    return status();
  }

 private:
  bool FailAt(const char* key, string_view message) {
    return Fail(*document_.Find(key), JsonPath(&root_, key), message);
  }
  bool CheckFormat();
  bool ReadWords();
  bool ReadBound();
  bool ReadOrder();

  const DynamicProblem& problem_;
  const LineJson& document_;
  const JsonPath root_;
  DynamicClaim claim_;
};

// Checks the format before all other keys, so that the certificate for a single
// value is refused because of its format and not because of an unknown key.
bool ClaimReader::CheckFormat() {
  const LineJson* const format = document_.Find("format");
  if (format == nullptr || format->kind != Kind::kText ||
      format->text == kFormat) {
    return true;
  }
  return FailAt("format", StrCat("is ", Quoted(format->text), "; expected ",
                                 Quoted(kFormat)));
}

bool ClaimReader::ReadWords() {
  const std::string& status = document_.Find("status")->text;
  claim_.is_optimal = status == SolutionStatusName(SolutionStatus::kOptimal);
  if (!claim_.is_optimal &&
      status != SolutionStatusName(SolutionStatus::kFeasible)) {
    return FailAt("status", "expected optimal or feasible");
  }
  const std::string& rule = document_.Find("rule")->text;
  std::string names;
  for (const LargestRule each :
       {LargestRule::kRising, LargestRule::kCorner, LargestRule::kAllValues,
        LargestRule::kUnion}) {
    claim_.rule = each;
    if (rule == LargestRuleName(each)) return true;
    StrAppend(&names, names.empty() ? "" : ", ", LargestRuleName(each));
  }
  return FailAt("rule", StrCat("expected one of ", names));
}

bool ClaimReader::ReadBound() {
  claim_.reserve = document_.Find("reserve")->number;
  claim_.lower_bound = document_.Find("lower_bound")->number;
  const StatusOr<ParameterValues> values =
      problem_.ParseValues(document_.Find("bound_at")->text);
  if (!values.ok()) return FailAt("bound_at", values.status().message());
  claim_.bound_at = *values;
  return true;
}

bool ClaimReader::ReadOrder() {
  const std::vector<std::string> ids = IdsOf(problem_);
  const std::vector<LineJson>& given = document_.Find("ids")->entries;
  const auto is_id = [](const LineJson& entry, const std::string& id) {
    return entry.kind == Kind::kText && entry.text == id;
  };
  if (!std::equal(given.begin(), given.end(), ids.begin(), ids.end(), is_id)) {
    return FailAt("ids", "expected the ids of the problem, in its order");
  }
  std::vector<size_t> positions;
  if (!ReadNumbers(document_, root_, "stack", &positions)) return false;
  std::vector<bool> is_taken(ids.size(), false);
  claim_.order.resize(ids.size());
  bool is_order = positions.size() == ids.size();
  for (size_t i = 0; is_order && i < positions.size(); ++i) {
    is_order = positions[i] < ids.size() && !is_taken[positions[i]];
    if (!is_order) break;
    is_taken[positions[i]] = true;
    claim_.order[positions[i]] = i;
  }
  if (is_order) return true;
  return FailAt("stack", StrCat("expected the positions of ", ids.size(),
                                " records from 0 on, each once"));
}

// Checks that no height of the order exceeds the claimed reserve, by the rule
// that the certificate names.
void CheckReserve(const DynamicProblem& problem, const DynamicClaim& claim,
                  const StackPlan& stack, CertificateVerdict* verdict) {
  verdict->checked.push_back(
      StrCat("no overlap at any value: ", SafetyOfOrders(problem)));
  const optional<LargestHeight> largest =
      LargestHeightBy(claim.rule, problem, stack);
  if (!largest) {
    verdict->refuted = StrCat("the rule ", Quoted(LargestRuleName(claim.rule)),
                              " does not apply to the sizes of this problem");
    return;
  }
  if (largest->height > claim.reserve) {
    verdict->refuted =
        StrCat("the order takes ", largest->height,
               largest->values.empty()
                   ? std::string(" bytes with the largest sizes")
                   : StrCat(" bytes at ", problem.Describe(largest->values)),
               ", more than the reserve of ", claim.reserve);
    return;
  }
  verdict->checked.push_back(StrCat(
      claim.reserve, " bytes suffice for every value: ",
      DescribeLargest(problem, claim.rule, largest->values, largest->count)));
}

// Adds the facts of `at_value` to `verdict`, and checks that the bound proved
// by `at_value` equals the claimed bound. `at_value` is the verdict on part 2,
// the certificate for the single value with the largest lower bound.
void AddBound(const DynamicProblem& problem, const DynamicClaim& claim,
              const CertificateVerdict& at_value, CertificateVerdict* verdict) {
  const std::string at = StrCat("at ", problem.Describe(claim.bound_at), ": ");
  const auto add = [&](const std::vector<std::string>& facts,
                       std::vector<std::string>* all) {
    for (const std::string& fact : facts) all->push_back(StrCat(at, fact));
  };
  add(at_value.checked, &verdict->checked);
  add(at_value.proved, &verdict->proved);
  add(at_value.not_checked, &verdict->not_checked);
  verdict->lower_bound = claim.lower_bound;
  if (!at_value.refuted.empty()) {
    verdict->refuted = StrCat(at, at_value.refuted);
  } else if (at_value.lower_bound != claim.lower_bound) {
    verdict->refuted =
        StrCat(at, "the proof is of a lower bound of ", at_value.lower_bound,
               " bytes, not of ", claim.lower_bound);
  } else if (claim.is_optimal ? claim.reserve != claim.lower_bound
                              : claim.reserve < claim.lower_bound) {
    verdict->refuted =
        StrCat("a lower bound of ", claim.lower_bound,
               " bytes proves nothing about a reserve of ", claim.reserve);
  }
}

// A text that has been read up to and including its first line.
struct SplitText {
  std::string line;
  std::string rest;  // the text that was read after this line
};

StatusOr<SplitText> ReadLine(const ReadText& read) {
  SplitText split;
  size_t searched = 0;
  for (;;) {
    const size_t end = split.line.find('\n', searched);
    if (end != std::string::npos) {
      split.rest = split.line.substr(end + 1);
      split.line.resize(end);
      return split;
    }
    searched = split.line.size();
    if (searched > kMaxLine) {
      return InvalidArgumentError(
          StrCat(kFirstPart, ": more than ", kMaxLine,
                 " bytes; expected the certificate of a plan for all values"));
    }
    split.line.resize(searched + kLineReadBytes);
    const StatusOr<size_t> count = read(MakeSpan(split.line).subspan(searched));
    split.line.resize(searched + count.value_or(0));
    if (!count.ok()) return count.status();
    if (*count == 0) return split;
    if (searched == 0 && split.line.find('{') == std::string::npos) {
      return InvalidArgumentError(StrCat(
          kFirstPart,
          ": not JSON; expected the certificate of a plan for all values"));
    }
  }
}

// Returns a function that reads `rest` first, and then the text that `read`
// returns. `rest` and `read` must outlive the returned function.
ReadText ReaderAfter(string_view rest, const ReadText& read) {
  return [rest, &read](Span<char> buffer) mutable -> StatusOr<size_t> {
    if (rest.empty()) return read(buffer);
    const size_t count = std::min(rest.size(), buffer.size());
    std::copy_n(rest.begin(), count, buffer.begin());
    rest.remove_prefix(count);
    return count;
  };
}

}  // namespace

StatusOr<std::string> FormatDynamicCertificate(const DynamicProblem& problem,
                                               const DynamicPlan& plan) {
  StatusOr<ProblemSpec> spec = UnlimitedSpecAt(problem, plan.bound_at);
  if (!spec.ok()) return spec.status();
  const StatusOr<Problem> at_bound = Problem::Create(*std::move(spec));
  if (!at_bound.ok()) return at_bound.status();
  const StatusOr<Solution> solution = SolutionAtBound(problem, plan, *at_bound);
  if (!solution.ok()) return solution.status();
  const StatusOr<std::string> proof = FormatCertificate(*at_bound, *solution);
  if (!proof.ok()) return proof.status();
  std::vector<size_t> positions(problem.size());
  for (size_t k = 0; k < positions.size(); ++k) {
    positions[plan.stack.order()[k]] = k;
  }
  const bool is_optimal = plan.reserve == solution->lower_bound;
  nlohmann::ordered_json claim;
  claim["format"] = std::string(kFormat);
  claim["status"] = std::string(SolutionStatusName(
      is_optimal ? SolutionStatus::kOptimal : SolutionStatus::kFeasible));
  claim["reserve"] = plan.reserve;
  claim["rule"] = std::string(LargestRuleName(plan.rule));
  claim["lower_bound"] = solution->lower_bound;
  claim["bound_at"] = problem.Describe(plan.bound_at);
  claim["ids"] = IdsOf(problem);
  claim["stack"] = positions;
  return StrCat(claim.dump(-1, ' ', false,
                           nlohmann::ordered_json::error_handler_t::replace),
                "\n", *proof);
}

StatusOr<CertificateVerdict> CheckDynamicCertificate(
    const DynamicProblem& problem, const ReadText& read) {
  const StatusOr<SplitText> split = ReadLine(read);
  if (!split.ok()) return split.status();
  const StatusOr<LineJson> document =
      ParseLineJson(split->line, kFirstPart, "certificate");
  if (!document.ok()) return document.status();
  const StatusOr<DynamicClaim> claim = ClaimReader(problem, *document).Read();
  if (!claim.ok()) return claim.status();
  const StatusOr<StackPlan> stack =
      StackPlan::Create(problem.spec().problem, claim->order);
  if (!stack.ok()) return stack.status();
  CertificateVerdict verdict;
  CheckReserve(problem, *claim, *stack, &verdict);
  if (!verdict.refuted.empty()) return verdict;
  StatusOr<ProblemSpec> at_bound = UnlimitedSpecAt(problem, claim->bound_at);
  if (!at_bound.ok()) return at_bound.status();
  const StatusOr<CertificateVerdict> at_value =
      CheckCertificate(*std::move(at_bound), ReaderAfter(split->rest, read));
  if (!at_value.ok()) return AtPlace("part 2", at_value.status());
  // Part 2, the certificate for one value, must give a lower bound on plans of
  // offsets. A bound on shared objects is not enough, because shared objects
  // may need more bytes than offsets. The certificate of an infeasible problem
  // is refused because it has no plan.
  if (at_value->kind != PlanKind::kOffsets ||
      at_value->status == SolutionStatus::kInfeasible) {
    return InvalidArgumentError(
        "part 2: not about a plan of offsets; expected the certificate of one");
  }
  AddBound(problem, *claim, *at_value, &verdict);
  return verdict;
}

StatusOr<CertificateVerdict> CheckDynamicCertificate(
    const DynamicProblem& problem, string_view text) {
  const ReadText nothing = [](Span<char> /*buffer*/) -> StatusOr<size_t> {
    return size_t{0};
  };
  return CheckDynamicCertificate(problem, ReaderAfter(text, nothing));
}

}  // namespace stowage
