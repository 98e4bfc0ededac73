// SPDX-License-Identifier: Apache-2.0
// Computes, for the rows of stowage compare, the properties that all output
// formats need.
#ifndef STOWAGE_SRC_COMMAND_COMPARE_ROWS_H_
#define STOWAGE_SRC_COMMAND_COMPARE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/compare.h"
#include "stowage/compare.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::cli {

// Returns the plans of one kind, which are adjacent in the input.
absl::Span<const ComparedPlan> PlansOf(const ComparedInput& input,
                                       PlanKind kind);

// The cost of a plan, followed by its size. Plans are compared by this pair,
// and the plan with the smallest pair is the best. Without costs, the cost of
// every plan is 0.
using Merit = std::pair<uint64_t, size_t>;
absl::optional<Merit> MeritOf(const ComparedPlan& plan);
absl::optional<Merit> BestMerit(absl::Span<const ComparedPlan> plans);

bool HasCosts(absl::Span<const ComparedInput> inputs);

// Returns the names of the inputs without the folders that all of them share.
std::vector<std::string> ShortNames(absl::Span<const ComparedInput> inputs);

// Returns how far the strategy with index `strategy` is above the lower bound:
// the geometric mean, over all inputs, of total size / lower bound. Returns
// nullopt if this ratio is missing for an input, because means over different
// inputs cannot be compared.
absl::optional<double> GeometricMean(absl::Span<const ComparedInput> inputs,
                                     PlanKind kind, size_t strategy);

// Returns the indices of the strategies, the best strategy first. For one
// input, strategies are sorted by MeritOf. For several inputs, they are sorted
// by the number of inputs with a plan, highest first, and then by
// GeometricMean, lowest first. Equal strategies stay in the order in which they
// were asked for.
std::vector<size_t> BestFirst(absl::Span<const ComparedInput> inputs,
                              PlanKind kind);

// Returns a text that says which strategies have plans within the capacity, or
// an empty string without --capacity.
std::string FitText(const Comparison& comparison, PlanKind kind);

// Returns whether a plan is within the capacity of its problem, or nullopt if
// there is neither a plan nor a proof that none fits.
absl::optional<bool> Fits(const ComparedPlan& plan);

// Returns the distinct reasons why plans are missing. With several inputs,
// leaves out the reasons that FitText covers.
std::set<std::string> Reasons(const Comparison& comparison, PlanKind kind);

// Returns notes that hold for all rows: the lifetime rules of models, the
// limits of searches, and the inputs that were not compared.
std::vector<std::string> Notes(const Comparison& comparison);

// Returns text with the number of bytes in each pool, such as "sram=512
// dram=96". The text is empty if there are no pools.
std::string PoolsText(const ComparedInput& input, const ComparedPlan& plan);

// Returns "Offsets in one arena" or "Shared objects".
std::string KindTitle(PlanKind kind);

// Returns a text that explains the marks `*` and `=` in tables.
std::string TableLegend(absl::Span<const ComparedInput> inputs);

// Formats by how much a ratio exceeds 1. The text takes at most `columns`
// columns, which must be 3 or 4, and the ratio must be at least 1. A small
// excess is shown in percent ("9.9", "<0.1"), a large one as the ratio itself
// ("×2.1", "×40", "×4e4", "×e12"). Returns "inf" for nullopt, which stands for
// the ratio to a bound of 0.
std::string ShortRatio(absl::optional<double> ratio, size_t columns,
                       bool ascii);

// Returns the cell, of at most four columns, for one plan. `plans` are all
// plans of the same input. The cell is "=" if the plan is optimal and at the
// lower bound, "3.6=" if it is proved optimal above the bound, "3.6*" if it is
// the best of the plans and none of them is proved optimal, and "3.6"
// otherwise. If there is no plan, the cell is a dash.
std::string ShortCell(const ComparedPlan& plan,
                      absl::Span<const ComparedPlan> plans, size_t bound,
                      bool ascii);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_COMPARE_ROWS_H_
