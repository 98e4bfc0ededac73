// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "src/command/diff_dumps.h"
#include "src/command/json.h"
#include "src/command/layout.h"
#include "src/command/screen.h"
#include "src/command/text.h"
#include "stowage/harness/compare_dumps.h"

namespace stowage::cli {
namespace {

using harness::TensorDifference;
using Verdict = TensorDifference::Verdict;

std::string Largest(const TensorDifference& difference) {
  if (!difference.reason.empty()) return difference.reason;
  if (difference.verdict == Verdict::kUnknown) return "-";
  return absl::StrFormat("%.6g", difference.largest);
}

}  // namespace

std::string DiffText(absl::Span<const TensorDifference> differences) {
  Table table;
  for (const char* title : {"tensor", "role", "type", "verdict"}) {
    table.AddColumn(title, Table::Align::kLeft);
  }
  for (const char* title : {"largest", "element", "different"}) {
    table.AddColumn(title, Table::Align::kRight);
  }
  size_t equal = 0;
  size_t shown = 0;
  for (const TensorDifference& d : differences) {
    const bool is_equal = d.verdict == Verdict::kEqual;
    equal += is_equal ? 1 : 0;
    // Tensors other than outputs are listed only if they differ.
    if (is_equal && d.role != "output") continue;
    const bool is_alone =
        d.verdict == Verdict::kOnlyFirst || d.verdict == Verdict::kOnlySecond;
    if (is_alone && !d.is_mismatch()) continue;
    ++shown;
    table.AddRow(
        {absl::StrCat("inv", d.invocation, " ", d.tensor, " ", OneLine(d.name)),
         d.role, d.dtype, std::string(harness::VerdictName(d.verdict)),
         is_equal ? "0" : Largest(d),
         d.different_elements > 0 ? absl::StrCat(d.element) : "-",
         d.elements > 0 ? absl::StrCat(d.different_elements, " of ", d.elements)
                        : "-"});
  }
  return FitScreen(absl::StrCat(shown > 0 ? table.ToText(ScreenLimits()) : "",
                                Count(differences.size(), "tensor"), ", ",
                                equal, " equal bit for bit\n"));
}

std::string DiffJson(const DumpDiffArgs& args,
                     absl::Span<const TensorDifference> differences) {
  Json tensors = Json::array();
  for (const TensorDifference& d : differences) {
    Json entry = {{"role", d.role},
                  {"invocation", d.invocation},
                  {"tensor", d.tensor},
                  {"name", d.name},
                  {"dtype", d.dtype},
                  {"verdict", std::string(harness::VerdictName(d.verdict))}};
    if (!d.reason.empty()) entry["reason"] = d.reason;
    if (d.elements > 0) {
      entry["largest"] = d.largest;
      entry["element"] = d.element;
      entry["different_elements"] = d.different_elements;
      entry["elements"] = d.elements;
    }
    tensors.push_back(std::move(entry));
  }
  return Dump({{"first", args.first},
               {"second", args.second},
               {"tolerance", args.tolerance},
               {"tensors", tensors}});
}

}  // namespace stowage::cli
