// SPDX-License-Identifier: Apache-2.0
#include "src/command/compare_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/compare.h"
#include "src/command/text.h"
#include "stowage/compare.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::cli {
namespace {

// Describes the limits of the searches, and states whether the results can be
// reproduced.
std::string SearchText(const SolveOptions& solve) {
  const std::string seed = absl::StrCat("seed ", solve.seed);
  if (solve.node_budget) {
    return absl::StrCat("searches: ", *solve.node_budget, " nodes each, ", seed,
                        "; they repeat on every machine");
  }
  return absl::StrCat("searches: time limit ",
                      absl::FormatDuration(DurationOf(solve.time_limit_ns)),
                      " each, ", seed, ", ",
                      solve.threads > 0 ? Count(solve.threads, "thread")
                                        : "a thread on each core",
                      "; with --nodes they repeat on every machine");
}

// Returns the number of inputs for which the strategy has a plan.
size_t CountPlanned(absl::Span<const ComparedInput> inputs, PlanKind kind,
                    size_t strategy) {
  return static_cast<size_t>(
      std::count_if(inputs.begin(), inputs.end(), [&](const auto& input) {
        return PlansOf(input, kind)[strategy].total_size.has_value();
      }));
}

// Formats a ratio without the leading sign "×". Requires that the ratio is at
// least 2.
std::string Multiple(double ratio, size_t columns) {
  const bool is_narrow = columns < 3;
  if (!is_narrow && ratio < 9.95) return absl::StrFormat("%.1f", ratio);
  if (ratio < (is_narrow ? 99.5 : 999.5)) return absl::StrFormat("%.0f", ratio);
  int exponent = static_cast<int>(std::floor(std::log10(ratio)));
  double digit = std::round(ratio / std::pow(10, exponent));
  if (digit > 9) {
    ++exponent;
    digit = 1;
  }
  if (is_narrow || exponent > 9) return absl::StrCat("e", exponent);
  return absl::StrFormat("%.0fe%d", digit, exponent);
}

}  // namespace

absl::Span<const ComparedPlan> PlansOf(const ComparedInput& input,
                                       PlanKind kind) {
  const auto is_kind = [kind](const ComparedPlan& p) { return p.kind == kind; };
  const auto begin =
      std::find_if(input.plans.begin(), input.plans.end(), is_kind);
  const auto end = std::find_if_not(begin, input.plans.end(), is_kind);
  return absl::MakeConstSpan(input.plans)
      .subspan(static_cast<size_t>(begin - input.plans.begin()),
               static_cast<size_t>(end - begin));
}

absl::optional<Merit> MeritOf(const ComparedPlan& plan) {
  if (!plan.total_size) return absl::nullopt;
  return Merit(plan.cost.value_or(0), *plan.total_size);
}

absl::optional<Merit> BestMerit(absl::Span<const ComparedPlan> plans) {
  absl::optional<Merit> best;
  for (const ComparedPlan& plan : plans) {
    const absl::optional<Merit> merit = MeritOf(plan);
    if (merit && (!best || *merit < *best)) best = merit;
  }
  return best;
}

bool HasCosts(absl::Span<const ComparedInput> inputs) {
  for (const ComparedInput& input : inputs) {
    for (const ComparedPlan& plan : input.plans) {
      if (plan.cost) return true;
    }
  }
  return false;
}

std::vector<std::string> ShortNames(absl::Span<const ComparedInput> inputs) {
  std::string folder =
      std::filesystem::path(inputs[0].name).parent_path().string();
  if (!folder.empty() && folder.back() != '/') folder += '/';
  std::vector<std::string> names;
  for (const ComparedInput& input : inputs) {
    while (input.name.compare(0, folder.size(), folder) != 0) {
      folder.pop_back();
      // If no '/' remains, rfind returns npos, and npos + 1 wraps around to 0.
      folder.resize(folder.rfind('/') + 1);
    }
    names.push_back(input.name);
  }
  for (std::string& name : names) name.erase(0, folder.size());
  return names;
}

absl::optional<double> GeometricMean(absl::Span<const ComparedInput> inputs,
                                     PlanKind kind, size_t strategy) {
  double logs = 0;
  for (const ComparedInput& input : inputs) {
    const ComparedPlan& plan = PlansOf(input, kind)[strategy];
    if (!plan.total_size) return absl::nullopt;
    const auto ratio = Ratio(*plan.total_size, input.LowerBound(kind));
    if (!ratio) return absl::nullopt;
    logs += std::log(*ratio);
  }
  return std::exp(logs / static_cast<double>(inputs.size()));
}

std::vector<size_t> BestFirst(absl::Span<const ComparedInput> inputs,
                              PlanKind kind) {
  const absl::Span<const ComparedPlan> plans = PlansOf(inputs[0], kind);
  std::vector<absl::optional<double>> means;
  // `planned[s]` is the number of inputs for which strategy `s` has a plan.
  std::vector<size_t> planned;
  std::vector<size_t> order;
  for (size_t s = 0; s < plans.size(); ++s) {
    means.push_back(GeometricMean(inputs, kind, s));
    planned.push_back(CountPlanned(inputs, kind, s));
    order.push_back(s);
  }
  // A missing value is sorted after all other values.
  const auto is_less = [](const auto& a, const auto& b) {
    return a && b ? *a < *b : a.has_value() && !b;
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (inputs.size() == 1) {
      return is_less(MeritOf(plans[a]), MeritOf(plans[b]));
    }
    if (planned[a] != planned[b]) return planned[a] > planned[b];
    return is_less(means[a], means[b]);
  });
  return order;
}

std::string FitText(const Comparison& comparison, PlanKind kind) {
  const absl::Span<const ComparedInput> inputs = comparison.inputs;
  if (!comparison.capacity || inputs.empty()) return "";
  const absl::Span<const ComparedPlan> plans = PlansOf(inputs[0], kind);
  std::vector<std::string> within;
  std::vector<std::string> above;
  std::vector<std::string> counts;
  for (const size_t s : BestFirst(inputs, kind)) {
    const std::string& name = plans[s].strategy;
    counts.push_back(absl::StrCat(name, " ", CountPlanned(inputs, kind, s)));
    const absl::optional<bool> fits = Fits(plans[s]);
    if (fits) (*fits ? within : above).push_back(name);
  }
  const std::string capacity =
      absl::StrCat("capacity ", FormatBytes(*comparison.capacity));
  if (inputs.size() > 1) {
    return absl::StrCat(capacity, ", plans that fit of ", inputs.size(), ": ",
                        absl::StrJoin(counts, ", "));
  }
  const auto list = [](const std::vector<std::string>& names) {
    return names.empty() ? "none" : absl::StrJoin(names, ", ");
  };
  return absl::StrCat(capacity, ": within it ", list(within), "; above it ",
                      list(above));
}

absl::optional<bool> Fits(const ComparedPlan& plan) {
  if (plan.total_size) return true;
  const bool is_refuted = plan.status == SolutionStatus::kOverCapacity ||
                          (plan.outcome == ComparedPlan::Outcome::kSolved &&
                           plan.status == SolutionStatus::kInfeasible);
  return is_refuted ? absl::make_optional(false) : absl::nullopt;
}

std::set<std::string> Reasons(const Comparison& comparison, PlanKind kind) {
  // For each end of a reason that follows the name of a strategy, the names of
  // all strategies with this end, in the order of the rows.
  std::map<std::string, std::vector<std::string>> strategies;
  std::set<std::string> reasons;
  const bool has_counts = comparison.capacity && comparison.inputs.size() > 1;
  for (const ComparedInput& input : comparison.inputs) {
    for (const ComparedPlan& plan : PlansOf(input, kind)) {
      if (plan.total_size || (has_counts && Fits(plan))) continue;
      std::string reason =
          absl::StrCat(plan.StatusName(), ": ", OneLine(plan.reason));
      const std::string begin =
          absl::StrCat("unsupported: strategy '", plan.strategy, "' does not ");
      if (!absl::StartsWith(reason, begin)) {
        reasons.insert(std::move(reason));
        continue;
      }
      std::vector<std::string>& names = strategies[reason.substr(begin.size())];
      if (std::find(names.begin(), names.end(), plan.strategy) == names.end()) {
        names.push_back(plan.strategy);
      }
    }
  }
  for (const auto& [end, names] : strategies) {
    reasons.insert(absl::StrCat(
        "unsupported: ", names.size() == 1 ? "strategy '" : "strategies '",
        absl::StrJoin(names, "', '"),
        names.size() == 1 ? "' does not " : "' do not ", end));
  }
  return reasons;
}

std::vector<std::string> Notes(const Comparison& comparison) {
  std::vector<std::string> notes;
  for (const ComparedInput& input : comparison.inputs) {
    if (input.lifetimes.empty()) continue;
    // All models have the same lifetime rules, so one note is enough.
    notes.push_back(absl::StrCat("models: lifetimes ", input.lifetimes));
    break;
  }
  if (comparison.has_search) notes.push_back(SearchText(comparison.solve));
  for (const FailedInput& failed : comparison.failed) {
    notes.push_back(absl::StrCat("not compared: ", OneLine(failed.name)));
  }
  return notes;
}

std::string KindTitle(PlanKind kind) {
  return kind == PlanKind::kOffsets ? "Offsets in one arena" : "Shared objects";
}

std::string TableLegend(absl::Span<const ComparedInput> inputs) {
  return HasCosts(inputs)
             ? "`*` least cost of its input, then smallest, `=` proved optimal"
             : "`*` smallest of its input, `=` proved optimal";
}

std::string PoolsText(const ComparedInput& input, const ComparedPlan& plan) {
  std::string text;
  for (size_t p = 0; p < plan.pool_sizes.size(); ++p) {
    absl::StrAppend(&text, p > 0 ? " " : "", input.pools[p], "=",
                    plan.pool_sizes[p]);
  }
  return text;
}

std::string ShortRatio(absl::optional<double> ratio, size_t columns,
                       bool ascii) {
  if (!ratio) return "inf";
  const bool is_narrow = columns < 4;
  const double percent = (*ratio - 1) * 100;
  if (percent > 0 && percent < 0.05) return is_narrow ? "0.0" : "<0.1";
  if (percent < 9.95 || (!is_narrow && percent < 99.95)) {
    return absl::StrFormat("%.1f", std::max(percent, 0.0));
  }
  if (percent < 99.5) return absl::StrFormat("%.0f", percent);
  std::string multiple = Multiple(*ratio, columns - 1);
  // For ratios of 10^10 and more, a narrow cell has no room for the sign.
  if (multiple.size() >= columns) return multiple;
  return absl::StrCat(ascii ? "x" : "×", multiple);
}

std::string ShortCell(const ComparedPlan& plan,
                      absl::Span<const ComparedPlan> plans, size_t bound,
                      bool ascii) {
  if (!plan.total_size) return ascii ? "-" : "–";
  const bool is_optimal = plan.status == SolutionStatus::kOptimal;
  if (is_optimal && *plan.total_size == bound) return "=";
  const bool is_any_optimal =
      std::any_of(plans.begin(), plans.end(), [](const ComparedPlan& other) {
        return other.total_size && other.status == SolutionStatus::kOptimal;
      });
  const bool is_best = !is_any_optimal && MeritOf(plan) == BestMerit(plans);
  const char* const mark = is_optimal ? "=" : is_best ? "*" : "";
  const size_t columns = is_optimal || is_best ? 3 : 4;
  return absl::StrCat(
      ShortRatio(Ratio(*plan.total_size, bound), columns, ascii), mark);
}

}  // namespace stowage::cli
