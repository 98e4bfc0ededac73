// SPDX-License-Identifier: Apache-2.0
// Parses any bytes as a problem with parameters. The parser must refuse the
// bytes, or the problem must be the same after writing and reading. The problem
// must then have an order with a height that does not exceed the reserve at any
// value. The check for all values must find this order safe, and a certificate
// must prove it. The values of expressions must be within their ranges.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "stowage/base/span.h"
#include "stowage/certificate.h"
#include "stowage/dynamic/dynamic_certificate.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/expression.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/dynamic/verify_dynamic.h"
#include "stowage/problem.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

// These limits keep problems small enough to compute many plans of each.
constexpr size_t kMaxValues = 64;
constexpr size_t kMaxRecords = 16;

bool IsRefusal(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsOutOfRange(status) ||
         absl::IsUnimplemented(status) || absl::IsResourceExhausted(status);
}

void CheckSame(const DynamicFile& file) {
  const std::string text = FormatDynamicJson(file);
  const absl::StatusOr<DynamicFile> again = ParseDynamicJson(text, "again");
  Check(again.ok(), again.status().ToString());
  Check(FormatDynamicJson(*again) == text, "written otherwise");
}

// Returns whether the problem has few values.
bool HasFewValues(const DynamicProblem& problem) {
  return problem.CountValues().value_or(kMaxValues + 1) <= kMaxValues;
}

void CheckAllValues(const DynamicProblem& problem, const DynamicPlan& plan) {
  std::vector<size_t> offsets(problem.size());
  size_t highest = 0;
  problem.VisitValues(
      [&](const ParameterValues& values, Span<const size_t> sizes) {
        const absl::StatusOr<size_t> height =
            plan.stack.Offsets(sizes, MakeSpan(offsets));
        Check(height.ok(), height.status().ToString());
        highest = std::max(highest, *height);
        const absl::StatusOr<Problem> at = problem.ProblemAt(values);
        Check(at.ok(), at.status().ToString());
        Check(!FindViolation(*at, {offsets, *height}), "an unsafe stack");
        const absl::StatusOr<ParameterValues> again =
            problem.ParseValues(problem.Describe(values));
        Check(again.ok() && *again == values, "a value is written otherwise");
        return true;
      });
  Check(highest <= plan.reserve, "a height above the reserve");
  Check(plan.reserve_bound <= plan.reserve, "a bound above the reserve");
  Check(plan.rule == LargestRule::kUnion || highest == plan.reserve,
        "a reserve above the largest height");
}

// Checks that the certificate of a plan is accepted. Checks also that a
// certificate with one changed byte is refused, is not proved in full, or
// states no bound above the reserve of the plan.
void CheckCertificates(const DynamicProblem& problem, const DynamicPlan& plan,
                       absl::string_view json) {
  const absl::StatusOr<std::string> text =
      FormatDynamicCertificate(problem, plan);
  Check(text.ok(), text.status().ToString());
  const absl::StatusOr<CertificateVerdict> verdict =
      CheckDynamicCertificate(problem, *text);
  Check(verdict.ok(), verdict.status().ToString());
  Check(verdict->refuted.empty(), verdict->refuted);
  std::string damaged = *text;
  const size_t at = json.size() * 7919 % damaged.size();
  const auto flip = static_cast<unsigned char>(1 + json.size() % 15);
  damaged[at] =
      static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ flip);
  const absl::StatusOr<CertificateVerdict> other =
      CheckDynamicCertificate(problem, damaged);
  if (!other.ok()) {
    Check(IsRefusal(other.status()), other.status().ToString());
  } else if (other->refuted.empty() && other->not_checked.empty()) {
    Check(other->lower_bound <= plan.reserve, "a bound that is not true");
  }
}

void PlanProblem(const DynamicProblem& problem, absl::string_view json) {
  DynamicOptions options;
  options.max_orders = 20;
  const absl::StatusOr<DynamicPlan> plan = PlanForAllValues(problem, options);
  if (!plan.ok()) {
    Check(IsRefusal(plan.status()), plan.status().ToString());
    return;
  }
  CheckAllValues(problem, *plan);
  CheckSame(FileOfPlan(problem, *plan));
  const absl::StatusOr<DynamicVerdict> verdict =
      VerifyOrder(problem, plan->stack.order(), plan->reserve);
  Check(verdict.ok() && !verdict->fault, "the plan is refused");
  CheckCertificates(problem, *plan, json);
}

void FuzzExpression(absl::string_view text) {
  const std::vector<std::string> names = {"a", "b"};
  const absl::StatusOr<Expression> expression = Expression::Parse(text, names);
  if (!expression.ok()) return;
  const std::vector<NumberRange> ranges = {{0, 5}, {3, 9}};
  const optional<NumberRange> range = expression->RangeOver(ranges);
  const optional<std::vector<int64_t>> form = expression->LinearForm(2);
  const bool rises = expression->Rises(ranges);
  for (uint64_t a = 0; a <= 5; ++a) {
    for (uint64_t b = 3; b <= 9; ++b) {
      const Expression::Result result = expression->Evaluate({a, b});
      if (result.fault != Expression::Fault::kNone) {
        Check(!range, "a fault within a range");
        continue;
      }
      if (range) {
        Check(range->low <= result.value && result.value <= range->high,
              "a value beyond its range");
      }
      if (rises && a < 5) {
        Check(expression->Evaluate({a + 1, b}).value >= result.value,
              "a value that falls");
      }
    }
  }
  if (form) Check(form->size() == 3, "a form of another length");
}

void Fuzz(absl::string_view json) {
  FuzzExpression(json.substr(0, 200));
  const absl::StatusOr<DynamicFile> file = ParseDynamicJson(json, "fuzz.json");
  if (!file.ok()) {
    Check(IsRefusal(file.status()), file.status().ToString());
    return;
  }
  CheckSame(*file);
  const absl::StatusOr<DynamicProblem> problem =
      DynamicProblem::Create(file->problem);
  if (!problem.ok()) {
    Check(IsRefusal(problem.status()), problem.status().ToString());
    return;
  }
  if (problem->size() > kMaxRecords || !HasFewValues(*problem)) return;
  const absl::StatusOr<DynamicVerdict> verdict =
      file->offsets.empty()
          ? VerifyOrder(*problem, file->order, file->reserve)
          : VerifyFormulas(*problem, file->offsets, file->reserve);
  Check(verdict.ok() || IsRefusal(verdict.status()),
        verdict.status().ToString());
  PlanProblem(*problem, json);
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
