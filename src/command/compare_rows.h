// SPDX-License-Identifier: Apache-2.0
// What all formats of stowage compare say of their rows.
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

// The plans of one kind, which lie side by side.
absl::Span<const ComparedPlan> PlansOf(const ComparedInput& input,
                                       PlanKind kind);

// Cost comes before size; without costs all are 0. The least is the best.
using Merit = std::pair<uint64_t, size_t>;
absl::optional<Merit> MeritOf(const ComparedPlan& plan);
absl::optional<Merit> BestMerit(absl::Span<const ComparedPlan> plans);

bool HasCosts(absl::Span<const ComparedInput> inputs);

// Names without the folders that all have in common, which say nothing.
std::vector<std::string> ShortNames(absl::Span<const ComparedInput> inputs);

// Of the ratios of a strategy, by number; nothing unless there is one of every
// input, for other means could not be compared.
absl::optional<double> GeometricMean(absl::Span<const ComparedInput> inputs,
                                     PlanKind kind, size_t strategy);

// The strategies, by number, the best first: of one input by merit, of several
// by that mean, after how many of them it has plans of. Equals are in the order
// in which they were asked for.
std::vector<size_t> BestFirst(absl::Span<const ComparedInput> inputs,
                              PlanKind kind);

// Which strategies have plans within the capacity; empty without --capacity.
std::string FitText(const Comparison& comparison, PlanKind kind);

// Returns whether a plan is within the capacity of its problem; none where
// there is neither a plan nor a proof.
absl::optional<bool> Fits(const ComparedPlan& plan);

// Why there is no plan where there is none, every reason once. What FitText
// says of several inputs is left out.
std::set<std::string> Reasons(const Comparison& comparison, PlanKind kind);

// What holds for all rows: lifetimes of models, and what searches were given.
std::vector<std::string> Notes(const Comparison& comparison);

// "sram=512 dram=96"; empty without pools.
std::string PoolsText(const ComparedInput& input, const ComparedPlan& plan);

// "Offsets in one arena", "Shared objects".
std::string KindTitle(PlanKind kind);

// For one input: a table with a row for each strategy, with costs and pools if
// plans have a cost.
Table OneInputTable(const ComparedInput& input, PlanKind kind);

// What `*` and `=` mean in it.
std::string TableLegend(absl::Span<const ComparedInput> inputs);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_COMPARE_ROWS_H_
