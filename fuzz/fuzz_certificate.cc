// SPDX-License-Identifier: Apache-2.0
// Checks any text as a certificate for any trace. The checker must refuse or
// refute the text, or the claims of the text must hold for all plans of this
// library.
//
// The input is a trace or a problem in JSON, followed by a certificate. The
// certificate begins at the first line that starts with '{', except the first
// line of the input.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/two_texts.h"
#include "nlohmann/json.hpp"
#include "stowage/certificate.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

using Json = nlohmann::ordered_json;

// The maximum number of records. More records would only slow the fuzzer down.
constexpr size_t kMaxRecords = 64;

// The claim that the witnesses of irreducibility in a certificate prove.
constexpr absl::string_view kIrreducible =
    "the conflict fits without any one of its tensors";

constexpr const char* kStrategies[] = {"greedy_best", "optimal"};

ProblemSpec SpecOf(const ProblemFile& trace, PlanKind kind) {
  ProblemSpec spec = trace.problem;
  spec.kind = kind;
  if (spec.constraints.empty()) spec.capacity.reset();
  return spec;
}

SolveOptions OptionsOf() {
  SolveOptions options;
  options.node_budget = 200;  // no clock, so that results can be reproduced
  options.threads = 1;
  return options;
}

bool IsProved(const CertificateVerdict& verdict) {
  return verdict.refuted.empty() && verdict.not_checked.empty();
}

// Checks that the certificate of a plan of this library is true.
void CheckOwn(const ProblemSpec& spec, const char* strategy) {
  const absl::StatusOr<Problem> problem = Problem::Create(spec);
  if (!problem.ok()) return;
  const SolveOptions options = OptionsOf();
  const absl::StatusOr<Solution> plan = Solve(*problem, strategy, options);
  if (!plan.ok()) return;
  if (plan->status == SolutionStatus::kTimeLimit ||
      plan->status == SolutionStatus::kOverCapacity) {
    return;
  }
  const absl::StatusOr<std::string> text = FormatCertificate(*problem, *plan);
  if (absl::IsUnimplemented(text.status())) return;
  const absl::StatusOr<CertificateVerdict> verdict =
      CheckCertificate(spec, text.value());
  Check(verdict.ok(), verdict.status().ToString());
  Check(verdict->refuted.empty(), verdict->refuted);
  Check(!verdict->checked.empty() || !verdict->proved.empty(),
        "a certificate of nothing");
  Check(plan->conflict_witnesses.empty() ||
            absl::c_linear_search(verdict->checked, kIrreducible),
        "rests that do not show that a conflict is irreducible");
}

// Checks that no plan is smaller than the bound that a certificate proves.
void CheckAgainst(const Json& document, const Solution& plan) {
  const std::string status = document.value("status", "");
  if (document.contains("cost")) {
    Check(
        !plan.has_plan() || plan.cost >= document["cost_bound"].get<uint64_t>(),
        "a cost is proved, and there is a plan that costs less");
  } else if (status == "infeasible") {
    Check(plan.total_size > document["capacity"].get<size_t>(),
          "no plan within the capacity is proved, and there is one");
  } else if (status == "optimal") {
    Check(plan.total_size >= document["total_size"].get<size_t>(),
          "an optimum is proved, and there is a smaller plan");
  }
}

void CheckForeign(const ProblemFile& trace, absl::string_view text) {
  const absl::StatusOr<CertificateVerdict> verdict =
      CheckCertificate(SpecOf(trace, PlanKind::kOffsets), text);
  if (!verdict.ok()) {
    Check(absl::IsInvalidArgument(verdict.status()) ||
              absl::IsOutOfRange(verdict.status()) ||
              absl::IsUnimplemented(verdict.status()),
          verdict.status().ToString());
    return;
  }
  if (!IsProved(*verdict)) return;
  text = text.substr(0, text.find("\nlog\n"));
  const Json document = Json::parse(text.begin(), text.end());
  const PlanKind kind = document.value("kind", "") == "offsets"
                            ? PlanKind::kOffsets
                            : PlanKind::kObjects;
  for (const char* strategy : kStrategies) {
    ProblemSpec spec = SpecOf(trace, kind);
    if (document.contains("cost") && document.contains("capacity")) {
      spec.capacity = document["capacity"].get<size_t>();
    }
    const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
    if (!problem.ok()) continue;
    const absl::StatusOr<Solution> plan =
        Solve(*problem, strategy, OptionsOf());
    if (plan.ok()) CheckAgainst(document, *plan);
  }
}

void Fuzz(absl::string_view text) {
  const TwoTexts texts = SplitBeforeBrace(text);
  const bool is_json = !texts.first.empty() && texts.first.front() == '{';
  const absl::StatusOr<ProblemFile> trace =
      is_json ? ParseProblemJson(texts.first, "fuzz.json")
              : ParseProblemCsv(texts.first, "fuzz.csv");
  if (!trace.ok() || trace->problem.records.size() > kMaxRecords ||
      !CheckUsageRecords(trace->problem.records).ok()) {
    return;
  }
  CheckForeign(*trace, texts.second);
  for (const char* strategy : kStrategies) {
    for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
      ProblemSpec spec = SpecOf(*trace, kind);
      CheckOwn(spec, strategy);
      spec.capacity = texts.second.size();
      CheckOwn(spec, strategy);
    }
  }
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
