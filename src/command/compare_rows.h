// SPDX-License-Identifier: Apache-2.0
// Computes the properties of the rows of `stowage compare` that all output
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

// The cost of a plan, followed by its size. The best plan is the one with the
// smallest pair. Without costs, the cost of every plan is 0.
using Merit = std::pair<uint64_t, size_t>;
absl::optional<Merit> MeritOf(const ComparedPlan& plan);
absl::optional<Merit> BestMerit(absl::Span<const ComparedPlan> plans);

bool HasCosts(absl::Span<const ComparedInput> inputs);

// Returns the names of the inputs without the folders that they have in common.
std::vector<std::string> ShortNames(absl::Span<const ComparedInput> inputs);

// Returns the geometric mean, over all inputs, of the strategy's total size
// divided by the lower bound. `strategy` is the index of the strategy. Returns
// nullopt if this ratio is missing for any input, because means over different
// inputs cannot be compared.
absl::optional<double> GeometricMean(absl::Span<const ComparedInput> inputs,
                                     PlanKind kind, size_t strategy);

// Returns the indices of the strategies, best strategy first. For one input,
// strategies are sorted by MeritOf. For several inputs, they are sorted by the
// number of inputs with a plan, highest first, and then by GeometricMean,
// lowest first. Equal strategies remain in the order in which they were
// requested.
std::vector<size_t> BestFirst(absl::Span<const ComparedInput> inputs,
                              PlanKind kind);

// Returns a text that states which strategies have plans within the capacity,
// or an empty string without --capacity.
std::string FitText(const Comparison& comparison, PlanKind kind);

// Returns whether a plan is within the capacity of its problem, or nullopt if
// there is neither a plan nor a proof that none fits.
absl::optional<bool> Fits(const ComparedPlan& plan);

// Returns the distinct reasons why plans are missing. Strategies that lack
// support for the same reason are named together. With several inputs, leaves
// out the reasons that FitText covers.
std::set<std::string> Reasons(const Comparison& comparison, PlanKind kind);

// Returns notes that apply to all rows: the lifetime rules of models, the
// limits of searches, and the inputs that were not compared.
std::vector<std::string> Notes(const Comparison& comparison);

// Returns text with the number of bytes in each pool, such as "sram=512
// dram=96". Returns an empty string if there are no pools.
std::string PoolsText(const ComparedInput& input, const ComparedPlan& plan);

// Returns "Offsets in one arena" or "Shared objects".
std::string KindTitle(PlanKind kind);

// Returns a text that explains the marks `*` and `=` in tables.
std::string TableLegend(absl::Span<const ComparedInput> inputs);

// Formats the amount by which a ratio exceeds 1. The text has at most `columns`
// columns. Requires that `columns` is 3 or 4 and that the ratio is at least 1.
// A small excess is shown in percent ("9.9", "<0.1"), a large one as the ratio
// itself ("×2.1", "×40", "×4e4", "×e12"). Returns "inf" for nullopt, which
// represents the ratio to a bound of 0.
std::string ShortRatio(absl::optional<double> ratio, size_t columns,
                       bool ascii);

// Returns the cell for one plan, which has at most four columns. `plans` are
// all plans of the same input. The cell is
//
// - "=" if the plan is optimal and at the lower bound,
// - "3.6=" if it is proved optimal above the bound,
// - "3.6*" if it is the best of the plans and none of them is proved optimal,
// - "3.6" for any other plan,
// - a dash if there is no plan.
std::string ShortCell(const ComparedPlan& plan,
                      absl::Span<const ComparedPlan> plans, size_t bound,
                      bool ascii);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_COMPARE_ROWS_H_
