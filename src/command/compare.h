// SPDX-License-Identifier: Apache-2.0
// The reports of stowage compare, which runs several strategies on several
// inputs. To compare strategies on one input use stowage/compare.h.
#ifndef STOWAGE_SRC_COMMAND_COMPARE_H_
#define STOWAGE_SRC_COMMAND_COMPARE_H_

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/layout.h"
#include "stowage/compare.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::cli {

// An input and its rows, one for each strategy and kind.
struct ComparedInput {
  std::string name;
  std::string lifetimes;  // rules, for a model; empty for a trace
  size_t records = 0;
  size_t naive_size = 0;
  size_t offsets_bound = 0;
  size_t objects_bound = 0;
  std::vector<std::string> pools;   // the names
  std::vector<ComparedPlan> plans;  // by kind, then strategy, as asked for

  size_t LowerBound(PlanKind kind) const {
    return kind == PlanKind::kOffsets ? offsets_bound : objects_bound;
  }
};

// An input that could not be compared, so that it has no rows.
struct FailedInput {
  std::string name;
  std::string reason;  // names the input too
};

// What was compared, and with which options.
struct Comparison {
  std::vector<ComparedInput> inputs;  // all with the same strategies
  std::vector<PlanKind> kinds;
  SolveOptions solve;
  bool has_search = false;               // whether a strategy used `solve`
  absl::optional<size_t> capacity = {};  // from --capacity
  std::vector<FailedInput> failed = {};  // in the order given
};

// Returns text that fits the terminal. For one input it is a table with a row
// for each strategy; for several inputs a summary of the strategies and a
// matrix of short cells; for none it is empty.
std::string CompareText(const Comparison& comparison, const TextLimits& limits);

// Returns all numbers as Markdown tables, which are aligned as plain text too.
// For one input there is a row for each strategy, for several a row for each
// input; for none the text is empty.
std::string CompareWide(const Comparison& comparison);

// Returns a row for each input, strategy and kind, in the format of RFC 4180
// except that lines end in LF. With costs, rows also have the cost and the
// bytes of each pool.
std::string CompareCsv(const Comparison& comparison);

// Returns the same cells as a table for GitHub. Rows that would exceed the
// 65,536 characters of a comment are left out, and a note says so.
std::string CompareMarkdown(const Comparison& comparison);

std::string CompareJson(const Comparison& comparison);

// Returns an HTML page (stowage/views/compare_page.h).
std::string CompareHtml(const Comparison& comparison);

// Collects rows. Another thread may read them meanwhile.
class ComparedRows {
 public:
  void Begin(ComparedInput input);
  void Add(const ComparedPlan& plan);
  // Removes the input that was begun last.
  void Abandon();
  // Returns the inputs that have all of their rows, which are `rows` each. The
  // first input is returned even if some of its rows are missing.
  std::vector<ComparedInput> WithRows(size_t rows) const;

 private:
  mutable std::mutex mutex_;
  std::vector<ComparedInput> inputs_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_COMPARE_H_
