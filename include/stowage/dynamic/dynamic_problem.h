// SPDX-License-Identifier: Apache-2.0
// Defines problems with sizes that depend on parameters, such as the batch size
// or the length of a sequence, within known limits. If all sizes are numbers,
// use problem.h.
//
//   DynamicSpec spec;
//   spec.problem.records = {{0, 0, 2}, {0, 1, 3}};  // their sizes are ignored
//   spec.problem.alignment = 64;
//   spec.parameters = {{"batch", 1, 32}, {"seq", 16, 512, 16}};
//   spec.where = {"batch*seq <= 4096"};
//   spec.sizes = {"4*batch*seq*768", "1024"};
//   StatusOr<DynamicProblem> problem = DynamicProblem::Create(std::move(spec));
//   StatusOr<DynamicPlan> plan = PlanForAllValues(*problem);  // plan_dynamic.h
//
// Lifetimes do not depend on parameters. Sizes that cannot be written as
// expressions can be listed for a few scenarios instead: spec.scenarios
// contains the names of the scenarios, and spec.tables the sizes of each
// record.
#ifndef STOWAGE_DYNAMIC_DYNAMIC_PROBLEM_H_
#define STOWAGE_DYNAMIC_DYNAMIC_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/dynamic/expression.h"
#include "stowage/problem.h"

namespace stowage {

// A parameter with the values min, min + step, min + 2 * step and so on, up to
// max.
struct SizeParameter {
  std::string name;  // letters, digits and '_', not beginning with a digit
  uint64_t min = 0;
  uint64_t max = 0;  // inclusive
  uint64_t step = 1;
};

// The maximum number of parameters of a problem.
constexpr size_t kMaxSizeParameters = 8;
// The maximum number of values that are tried one by one.
constexpr size_t kMaxTriedValues = size_t{1} << 20;

// One value for each parameter, in the order of the parameters. Comments also
// call the whole list a value. For a problem with scenarios, the list has one
// element: the index of a scenario.
using ParameterValues = std::vector<uint64_t>;

struct DynamicSpec {
  // The problem without its sizes. The sizes of its records are ignored.
  ProblemSpec problem;
  std::vector<SizeParameter> parameters;
  // Comparisons of expressions (expression.h), called limits. A value is
  // possible only if all comparisons hold.
  std::vector<std::string> where;
  // For each record, the expression of its size in bytes.
  std::vector<std::string> sizes;
  // The names of the scenarios and, for each record, its size in each scenario.
  // If there are scenarios, `parameters`, `where` and `sizes` must be empty.
  std::vector<std::string> scenarios;
  std::vector<std::vector<size_t>> tables;
};

// The argument that proves that no value of the parameters makes a stack
// (stack_plan.h) higher than the stated height.
enum class LargestRule : uint8_t {
  // No size falls when a parameter rises, and all parameters can have their
  // largest values at the same time. At this value, every record has its
  // largest size.
  kRising,
  // All sizes are linear in the parameters and are multiples of the alignment.
  // The height of a stack is therefore a convex function, which is largest at a
  // corner of the ranges.
  kCorner,
  // All values have been tried.
  kAllValues,
  // The stated height is that of a stack in which each record has its largest
  // size, although these sizes may not all occur at the same value.
  kUnion,
};

// Returns "rising", "corner", "all values" or "union".
string_view LargestRuleName(LargestRule rule);

// An immutable, checked problem. Copies share their content, so they are cheap.
// Thread-safe.
class DynamicProblem {
 public:
  // Checks and creates a problem. Errors name the parameter or the record:
  //   InvalidArgument    no parameter and no scenario, or both; a name that is
  //                      invalid or occurs twice; min > max, step 0; too few or
  //                      too many sizes, an expression with an error ("column
  //                      5: ..."), a comparison as a size; a size that is
  //                      negative, divides by zero, or has a step with a result
  //                      above 2^63 - 1 (the error has the first value at which
  //                      this happens); limits that are not comparisons, or
  //                      that no value satisfies
  //   ResourceExhausted  more than kMaxTriedValues values, unless the ranges
  //                      alone prove that all sizes and limits are numbers
  //   Unimplemented      more than kMaxSizeParameters parameters; parts of a
  //                      problem other than lifetimes, alignments, groups,
  //                      fixed offsets and a capacity (the error names all of
  //                      these parts)
  // Further errors are those of Problem::Create for the largest sizes.
  // O(records * (values + steps)), or O(records * steps) if the ranges alone
  // prove the sizes.
  static StatusOr<DynamicProblem> Create(DynamicSpec spec);

  const DynamicSpec& spec() const;
  size_t size() const;  // returns the number of records
  bool has_scenarios() const { return !spec().scenarios.empty(); }

  // Returns the size of each record in bytes at `values`. Error:
  // InvalidArgument, naming the parameter and its range, if `values` contains a
  // value that a parameter cannot have, or if `values` violates a limit.
  StatusOr<std::vector<size_t>> SizesAt(const ParameterValues& values) const;
  // Returns the problem with the sizes at `values`. Errors: those of SizesAt.
  StatusOr<Problem> ProblemAt(const ParameterValues& values) const;
  StatusOr<ProblemSpec> SpecAt(const ParameterValues& values) const;
  // Returns the problem with given sizes, one for each record.
  ProblemSpec SpecWithSizes(Span<const size_t> sizes) const;

  // Parses a value such as "seq=128,batch=8", with parameters in any order, or
  // the name of a scenario. Errors: those of SizesAt; InvalidArgument for a
  // parameter that is missing, unknown or repeated.
  StatusOr<ParameterValues> ParseValues(string_view text) const;
  // Returns a text that ParseValues parses to `values`.
  std::string Describe(const ParameterValues& values) const;

  // Returns the number of values in the ranges, including those that the limits
  // exclude, or nullopt if there are more than kMaxTriedValues.
  optional<size_t> CountValues() const;
  // Calls `visit` for all values within the limits, in rising order, until
  // `visit` returns false. The last parameter changes fastest. Requires that
  // CountValues does not return nullopt.
  void VisitValues(const std::function<bool(const ParameterValues&,
                                            Span<const size_t>)>& visit) const;
  // Returns all values within the limits if there are at most `count`.
  // Otherwise returns about `count` of them, in rising order: corners of the
  // ranges, values at doubling distances from the lower corner, and values at
  // equal distances. Values that violate a limit are replaced by values at the
  // edge of the limits. The result is never empty.
  std::vector<ParameterValues> SampleValues(size_t count) const;

  // Returns, for each record, an upper bound of its size over all values. The
  // bound is the largest size of the record, except if there are too many
  // values to try and the size does not rise with the parameters.
  Span<const size_t> largest_sizes() const;
  // If rising sizes prove that all records have their largest_sizes() at one
  // value, returns this value. Otherwise returns nullopt.
  optional<ParameterValues> LargestValue() const;
  // If the height of each stack is convex (LargestRule::kCorner) and all
  // corners of the ranges are within the limits, returns these corners.
  // Otherwise returns an empty list.
  std::vector<ParameterValues> Corners() const;

 private:
  struct State;
  class Builder;
  explicit DynamicProblem(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;
};

// Returns a line with the rule that determines the largest height, and the
// value at which this height occurs: "no size falls as a parameter rises;
// largest at seq=512". `largest` is empty for kUnion. For kAllValues, `values`
// is the number of values that were tried.
std::string DescribeLargest(const DynamicProblem& problem, LargestRule rule,
                            const ParameterValues& largest,
                            optional<size_t> values);

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_DYNAMIC_PROBLEM_H_
