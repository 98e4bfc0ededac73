// SPDX-License-Identifier: Apache-2.0
// Formats the reports of `stowage compare`, which runs several strategies on
// several inputs. To compare strategies on one input, use stowage/compare.h.
#ifndef STOWAGE_SRC_COMMAND_COMPARE_H_
#define STOWAGE_SRC_COMMAND_COMPARE_H_

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/layout.h"
#include "stowage/compare.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::cli {

// An input and its rows, one for each strategy and kind of plan.
struct ComparedInput {
  std::string name;
  // The lifetime rules of a model. Empty for a trace.
  std::string lifetimes;
  size_t records = 0;
  size_t naive_size = 0;
  size_t offsets_bound = 0;
  size_t objects_bound = 0;
  std::vector<std::string> pools;  // lists the names of the pools
  // The rows, grouped by kind of plan. Within a kind, the strategies are in the
  // order in which they were requested.
  std::vector<ComparedPlan> plans;

  size_t LowerBound(PlanKind kind) const {
    return kind == PlanKind::kOffsets ? offsets_bound : objects_bound;
  }
};

// An input that could not be compared and therefore has no rows.
struct FailedInput {
  std::string name;
  std::string reason;  // the reason also names the input
};

// The inputs that were compared, and the options of the comparison.
struct Comparison {
  // The inputs. All of them have rows for the same strategies.
  std::vector<ComparedInput> inputs;
  std::vector<PlanKind> kinds;
  SolveOptions solve;
  bool has_search = false;               // says whether a strategy used `solve`
  absl::optional<size_t> capacity = {};  // the option --capacity sets it
  std::vector<FailedInput> failed = {};  // lists inputs in the order given
};

// Returns text that fits the terminal. For one input, the text is a table with
// a row for each strategy. For several inputs, it is a summary of the
// strategies, followed by a matrix of short cells. If `is_wide` is true, the
// text may have any width, and a table with all numbers for each input replaces
// the matrix. Without inputs, the text is empty.
std::string CompareText(const Comparison& comparison, TextLimits limits,
                        bool is_wide = false);

// Returns the rows for all formats other than text and HTML. JSON has an entry
// for each input. CSV and Markdown have a table with a row for each combination
// of input, strategy and kind of plan. If problems have costs, the table also
// has the cost of each plan and the bytes in each pool.
Answer CompareAnswer(const Comparison& comparison);

// Returns an HTML page (stowage/views/compare_page.h).
std::string CompareHtml(const Comparison& comparison);

// Collects rows. Thread-safe: another thread may read the rows while they are
// collected.
class ComparedRows {
 public:
  void Begin(ComparedInput input);
  void Add(const ComparedPlan& plan);
  // Removes the input that was added last.
  void Abandon();
  // Returns the inputs that are complete, that is, have `rows` rows. Always
  // returns the first input, even if some of its rows are missing.
  std::vector<ComparedInput> WithRows(size_t rows) const;

 private:
  mutable std::mutex mutex_;
  std::vector<ComparedInput> inputs_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_COMPARE_H_
