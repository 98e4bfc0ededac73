// SPDX-License-Identifier: Apache-2.0
#include "stowage/dynamic/verify_dynamic.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/dynamic/dynamic_state.h"
#include "src/dynamic/largest_height.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/expression.h"
#include "stowage/dynamic/stack_plan.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

// The maximum number of bytes of a plan: the smaller of the reserve that the
// plan states and the capacity of the problem.
struct HeightLimit {
  HeightLimit(const DynamicProblem& problem, optional<size_t> reserve)
      : bytes(reserve) {
    const optional<size_t>& capacity = problem.spec().problem.capacity;
    if (!capacity || (reserve && *reserve <= *capacity)) return;
    bytes = capacity;
    is_capacity = true;
  }

  bool IsExceeded(size_t height) const { return bytes && height > *bytes; }
  void Fill(size_t height, DynamicFault* fault) const {
    fault->height = height;
    fault->limit = *bytes;
    fault->is_above_capacity = is_capacity;
  }

  optional<size_t> bytes;
  bool is_capacity = false;
};

// Checks the formulas of a plan at one value after another.
class FormulaCheck {
 public:
  FormulaCheck(const DynamicProblem& problem, std::vector<Expression> formulas,
               optional<size_t> reserve)
      : problem_(problem),
        formulas_(std::move(formulas)),
        limit_(problem, reserve) {}

  // Returns whether the plan is valid at `values`. Stores a violation in
  // `verdict`.
  bool Check(const ParameterValues& values, Span<const size_t> sizes) {
    OffsetsAssignment plan;
    for (size_t i = 0; i < formulas_.size(); ++i) {
      const Expression::Result offset = formulas_[i].Evaluate(values);
      if (offset.fault != Expression::Fault::kNone || offset.value < 0) {
        return Refuse(values, i, Cause(offset));
      }
      plan.offsets.push_back(static_cast<size_t>(offset.value));
    }
    return CheckPlan(values, sizes, std::move(plan));
  }

  bool HasConstantFormulas() const {
    return std::all_of(
        formulas_.begin(), formulas_.end(),
        [](const Expression& each) { return each.IsConstant(); });
  }

  DynamicVerdict verdict;

 private:
  bool Refuse(const ParameterValues& values, size_t record, std::string cause) {
    DynamicFault fault;
    fault.values = values;
    fault.record = record;
    fault.cause = std::move(cause);
    verdict.fault = std::move(fault);
    return false;
  }
  static std::string Cause(const Expression::Result& offset) {
    if (offset.fault == Expression::Fault::kDivisionByZero) {
      return "division by zero";
    }
    if (offset.fault == Expression::Fault::kOverflow) return "overflow";
    return StrCat("a negative offset, ", offset.value);
  }

  bool CheckPlan(const ParameterValues& values, Span<const size_t> sizes,
                 OffsetsAssignment plan) {
    plan.total_size = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const optional<size_t> end = CheckedAdd(plan.offsets[i], sizes[i]);
      if (!end) return Refuse(values, i, "its end exceeds 2^64 - 1");
      plan.total_size = std::max(plan.total_size, *end);
    }
    if (verdict.largest.empty() || plan.total_size > verdict.height) {
      verdict.height = plan.total_size;
      verdict.largest = values;
    }
    DynamicFault fault;
    fault.values = values;
    fault.violation = ViolationOf(sizes, plan);
    if (!fault.violation && limit_.IsExceeded(plan.total_size)) {
      limit_.Fill(plan.total_size, &fault);
    }
    if (!fault.violation && !fault.height) return true;
    verdict.fault = std::move(fault);
    return false;
  }

  optional<Violation> ViolationOf(Span<const size_t> sizes,
                                  const OffsetsAssignment& plan) const {
    const ProblemSpec& without_sizes = problem_.spec().problem;
    if (HasNoGroups(without_sizes)) {
      std::vector<ByteRecord> records = without_sizes.records;
      for (size_t i = 0; i < records.size(); ++i) {
        records[i].tensor_size = sizes[i];
      }
      return FindViolation(records, plan, AlignmentsOf(without_sizes));
    }
    ProblemSpec spec = problem_.SpecWithSizes(sizes);
    spec.capacity.reset();
    // Problem::Create succeeds, because DynamicProblem::Create has accepted
    // sizes that are at least as large.
    return FindViolation(*Problem::Create(std::move(spec)), plan);
  }

  const DynamicProblem& problem_;
  const std::vector<Expression> formulas_;
  const HeightLimit limit_;
};

// Checks formulas that are constant with the largest sizes. Returns false if
// the result is not conclusive, in which case every value must be checked.
bool ProveByLargestSizes(const DynamicProblem& problem, FormulaCheck* check) {
  const ParameterValues value =
      problem.LargestValue().value_or(ParameterValues());
  if (!check->HasConstantFormulas()) return false;
  const DynamicVerdict before = check->verdict;
  if (!check->Check(value, problem.largest_sizes())) {
    // The violation is real, because the largest sizes occur together at
    // `value`.
    if (!value.empty()) return true;
    check->verdict = before;
    return false;
  }
  check->verdict.safety = SafetyRule::kLargestSizes;
  check->verdict.reserve =
      value.empty() ? LargestRule::kUnion : LargestRule::kRising;
  return true;
}

}  // namespace

string_view SafetyRuleName(SafetyRule rule) {
  switch (rule) {
    case SafetyRule::kOrder:
      return "order";
    case SafetyRule::kLargestSizes:
      return "largest sizes";
    case SafetyRule::kAllValues:
      break;
  }
  return "all values";
}

string_view SafetyOfOrders(const DynamicProblem& problem) {
  return HasFixedOffsets(problem.spec().problem)
             ? "of two records that conflict, the later in the order begins "
               "above the earlier, whatever their sizes, and above those with "
               "fixed offsets, which do not overlap with their largest sizes"
             : "of two records that conflict, the later in the order begins "
               "above the earlier, whatever their sizes";
}

StatusOr<DynamicVerdict> VerifyOrder(const DynamicProblem& problem,
                                     Span<const size_t> order,
                                     optional<size_t> reserve) {
  const StatusOr<StackPlan> stack = StackPlan::Create(
      problem.spec().problem, std::vector<size_t>(order.begin(), order.end()));
  if (!stack.ok()) return stack.status();
  const LargestHeight largest = LargestHeightOf(problem, *stack);
  DynamicVerdict verdict;
  verdict.safety = SafetyRule::kOrder;
  verdict.reserve = largest.rule;
  verdict.values = largest.count;
  verdict.height = largest.height;
  verdict.largest = largest.values;
  const HeightLimit limit(problem, reserve);
  if (!limit.IsExceeded(largest.height)) return verdict;
  if (largest.rule == LargestRule::kUnion) {
    return ResourceExhaustedError(StrCat(
        "more than ", kMaxTriedValues, " values, and no rule proves that ",
        *limit.bytes, " bytes suffice; expected at least ", largest.height,
        ", a bound from the largest size of each record"));
  }
  DynamicFault fault;
  fault.values = largest.values;
  limit.Fill(largest.height, &fault);
  verdict.fault = std::move(fault);
  return verdict;
}

StatusOr<DynamicVerdict> VerifyFormulas(const DynamicProblem& problem,
                                        Span<const std::string> offsets,
                                        optional<size_t> reserve) {
  const std::vector<std::string> names = ParameterNames(problem.spec());
  if (offsets.size() != problem.size()) {
    return InvalidArgumentError(StrCat(offsets.size(), " offsets; expected ",
                                       problem.size(),
                                       ", one for each record"));
  }
  std::vector<Expression> formulas;
  for (size_t i = 0; i < offsets.size(); ++i) {
    StatusOr<Expression> formula = Expression::Parse(offsets[i], names);
    if (!formula.ok()) {
      return InvalidArgumentError(
          StrCat("offset of record ", i, ": ", formula.status().message()));
    }
    formulas.push_back(*std::move(formula));
  }
  FormulaCheck check(problem, std::move(formulas), reserve);
  if (ProveByLargestSizes(problem, &check)) return check.verdict;
  if (!problem.CountValues()) {
    return ResourceExhaustedError(
        StrCat("more than ", kMaxTriedValues,
               " values, and no rule proves the offsets; expected an order, or "
               "offsets that are numbers"));
  }
  size_t count = 0;
  problem.VisitValues(
      [&](const ParameterValues& values, Span<const size_t> sizes) {
        ++count;
        return check.Check(values, sizes);
      });
  check.verdict.safety = SafetyRule::kAllValues;
  check.verdict.reserve = LargestRule::kAllValues;
  check.verdict.values = count;
  return check.verdict;
}

std::string Describe(const DynamicProblem& problem, const DynamicFault& fault) {
  const std::vector<std::string>& names = problem.spec().problem.names;
  const std::string at =
      fault.values.empty()
          ? std::string("with the largest sizes of all records")
          : StrCat("at ", problem.Describe(fault.values));
  if (fault.violation) {
    return StrCat(at, ": ", Describe(*fault.violation, names));
  }
  if (fault.record) {
    const std::string name = *fault.record < names.size()
                                 ? FileText(names[*fault.record])
                                 : StrCat(*fault.record);
    return StrCat(at, ": the offset of tensor '", name,
                  "' has no value: ", fault.cause);
  }
  return StrCat(at, ": the plan ends at byte ", fault.height.value_or(0),
                fault.is_above_capacity ? ", beyond the capacity of "
                                        : ", beyond the reserve of ",
                fault.limit, " bytes");
}

}  // namespace stowage
