// SPDX-License-Identifier: Apache-2.0
// Inputs times strategies, and how stowage compare reports them. The comparison
// of one input is stowage/compare.h.
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

// One input, with all its rows.
struct ComparedInput {
  std::string name;
  std::string lifetimes;  // the rules, of a model; empty for a trace
  size_t records = 0;
  size_t naive_size = 0;
  size_t offsets_bound = 0;
  size_t objects_bound = 0;
  std::vector<std::string> pools;   // names
  std::vector<ComparedPlan> plans;  // by kind, then strategy, as asked for

  size_t LowerBound(PlanKind kind) const {
    return kind == PlanKind::kOffsets ? offsets_bound : objects_bound;
  }
};

// An input without rows.
struct FailedInput {
  std::string name;
  std::string reason;  // names the input, too
};

// What was compared how.
struct Comparison {
  std::vector<ComparedInput> inputs;  // all with the same strategies
  std::vector<PlanKind> kinds;
  SolveOptions solve;
  bool has_search = false;  // whether a strategy took notice of `solve`
  absl::optional<size_t> capacity = {};  // of --capacity
  std::vector<FailedInput> failed = {};  // as they were given
};

// Text that fits: for one input a table with a row per strategy, for several a
// summary of the strategies and a matrix of short cells; nothing for none.
std::string CompareText(const Comparison& comparison, const TextLimits& limits);

// Every number, as Markdown tables that are aligned as plain text too: for one
// input a row per strategy, for several a row per input; nothing for none.
std::string CompareWide(const Comparison& comparison);

// A row for each input, strategy and kind: RFC 4180, but for lines that end in
// LF. With costs, also the cost and the bytes of each pool.
std::string CompareCsv(const Comparison& comparison);

// The same cells as a table of GitHub, with a note where rows would pass what a
// comment may hold, 65,536 characters.
std::string CompareMarkdown(const Comparison& comparison);

std::string CompareJson(const Comparison& comparison);

// A page (stowage/views/compare_page.h).
std::string CompareHtml(const Comparison& comparison);

// The rows so far, which another thread may read meanwhile.
class ComparedRows {
 public:
  void Begin(ComparedInput input);
  void Add(const ComparedPlan& plan);
  // Forgets the input that was begun last.
  void Abandon();
  // Of inputs with all of their rows; of the first as many as there are.
  std::vector<ComparedInput> WithRows(size_t rows) const;

 private:
  mutable std::mutex mutex_;
  std::vector<ComparedInput> inputs_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_COMPARE_H_
