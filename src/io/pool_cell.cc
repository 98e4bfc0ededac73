// SPDX-License-Identifier: Apache-2.0
#include "src/io/pool_cell.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/ascii.h"
#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "src/base/str_split.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"

namespace stowage {
namespace {

Status CellError(string_view what) {
  return InvalidArgumentError(StrCat(
      what, "; expected pools and their costs, as in \"sram:0|dram:5\""));
}

StatusOr<NamedChoice> ParseChoice(string_view text) {
  NamedChoice choice;
  const size_t colon = text.rfind(':');
  choice.pool = StripAsciiWhitespace(text.substr(0, colon));
  if (!FitsPoolCell(choice.pool)) {
    return CellError(StrCat("no pool is called ", Quoted(choice.pool)));
  }
  if (colon == string_view::npos) return choice;
  const string_view cost = StripAsciiWhitespace(text.substr(colon + 1));
  if (!std::all_of(cost.begin(), cost.end(), ascii_isdigit) ||
      !SimpleAtoi(cost, &choice.cost)) {
    return CellError(
        StrCat("the cost of pool ", Quoted(choice.pool), " is ", Quoted(cost)));
  }
  return choice;
}

}  // namespace

StatusOr<std::vector<NamedChoice>> ParsePoolCell(string_view cell) {
  std::vector<NamedChoice> choices;
  if (StripAsciiWhitespace(cell).empty()) return choices;
  flat_hash_set<string_view> seen;
  for (const string_view text : StrSplit(cell, '|')) {
    const StatusOr<NamedChoice> choice = ParseChoice(text);
    if (!choice.ok()) return choice.status();
    if (!seen.insert(choice->pool).second) {
      return CellError(
          StrCat("pool ", Quoted(choice->pool), " is named twice"));
    }
    choices.push_back(*choice);
  }
  return choices;
}

std::string FormatPoolCell(Span<const PoolChoice> choices,
                           Span<const MemoryPool> pools) {
  return StrJoin(choices, "|", [&](std::string* out, const PoolChoice& choice) {
    StrAppend(out, pools[choice.pool].name, ":", choice.cost);
  });
}

bool FitsPoolCell(string_view name) {
  return !name.empty() && name.find_first_of(":|") == string_view::npos &&
         StripAsciiWhitespace(name) == name;
}

}  // namespace stowage
