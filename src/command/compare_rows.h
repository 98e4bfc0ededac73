// SPDX-License-Identifier: Apache-2.0
// Computes properties of the rows of stowage compare that all output formats
// need.
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
#include "src/command/layout.h"
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

// Returns the geometric mean, over all inputs, of the total size that the
// strategy with index `strategy` reaches, relative to the lower bound. Returns
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

// Returns a table with a row for each strategy on one input. If plans have a
// cost, the table also shows the costs and the bytes in each pool.
Table OneInputTable(const ComparedInput& input, PlanKind kind);

// Returns the meaning of `*` and `=` in the table.
std::string TableLegend(absl::Span<const ComparedInput> inputs);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_COMPARE_ROWS_H_
