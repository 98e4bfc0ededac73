// SPDX-License-Identifier: Apache-2.0
#include "src/io/pool_cell.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/base/text.h"
#include "stowage/constraints.h"

namespace stowage {
namespace {

absl::Status CellError(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      what, "; expected pools and their costs, as in \"sram:0|dram:5\""));
}

absl::StatusOr<NamedChoice> ParseChoice(absl::string_view text) {
  NamedChoice choice;
  const size_t colon = text.rfind(':');
  choice.pool = absl::StripAsciiWhitespace(text.substr(0, colon));
  if (!FitsPoolCell(choice.pool)) {
    return CellError(absl::StrCat("no pool is called ", Quoted(choice.pool)));
  }
  if (colon == absl::string_view::npos) return choice;
  const absl::string_view cost =
      absl::StripAsciiWhitespace(text.substr(colon + 1));
  if (!absl::c_all_of(cost, absl::ascii_isdigit) ||
      !absl::SimpleAtoi(cost, &choice.cost)) {
    return CellError(absl::StrCat("the cost of pool ", Quoted(choice.pool),
                                  " is ", Quoted(cost)));
  }
  return choice;
}

}  // namespace

absl::StatusOr<std::vector<NamedChoice>> ParsePoolCell(absl::string_view cell) {
  std::vector<NamedChoice> choices;
  if (absl::StripAsciiWhitespace(cell).empty()) return choices;
  absl::flat_hash_set<absl::string_view> seen;
  for (const absl::string_view text : absl::StrSplit(cell, '|')) {
    const absl::StatusOr<NamedChoice> choice = ParseChoice(text);
    if (!choice.ok()) return choice.status();
    if (!seen.insert(choice->pool).second) {
      return CellError(
          absl::StrCat("pool ", Quoted(choice->pool), " is named twice"));
    }
    choices.push_back(*choice);
  }
  return choices;
}

std::string FormatPoolCell(absl::Span<const PoolChoice> choices,
                           absl::Span<const MemoryPool> pools) {
  return absl::StrJoin(
      choices, "|", [&](std::string* out, const PoolChoice& choice) {
        absl::StrAppend(out, pools[choice.pool].name, ":", choice.cost);
      });
}

bool FitsPoolCell(absl::string_view name) {
  return !name.empty() && name.find_first_of(":|") == absl::string_view::npos &&
         absl::StripAsciiWhitespace(name) == name;
}

}  // namespace stowage
