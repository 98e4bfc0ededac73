// SPDX-License-Identifier: Apache-2.0
#include "stowage/programs/entry_names.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/programs/combine.h"
#include "stowage/programs/program.h"

namespace stowage {
namespace {

using NameLists = std::vector<std::vector<std::string>>;

// Returns the index that `text` represents, or nullopt if `text` is not an
// index below `count`.
optional<size_t> IndexOf(string_view text, size_t count) {
  if (text.empty() || text.size() > 9) return nullopt;
  size_t index = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return nullopt;
    index = index * 10 + static_cast<size_t>(digit - '0');
  }
  if (index >= count) return nullopt;
  return index;
}

optional<size_t> FindName(string_view word, const NameLists& lists) {
  for (size_t i = 0; i < lists.size(); ++i) {
    for (const std::string& name : lists[i]) {
      if (name == word) return i;
    }
  }
  return IndexOf(word, lists.size());
}

// Returns a list of all indices for a message. Each index is followed by its
// first name, if it has one.
std::string Listed(const NameLists& lists) {
  constexpr size_t kMax = 20;
  if (lists.empty()) return "none";
  std::string text;
  for (size_t i = 0; i < lists.size() && i < kMax; ++i) {
    StrAppend(&text, i == 0 ? "" : ", ", i);
    if (!lists[i].empty()) StrAppend(&text, " ", Quoted(lists[i].front()));
  }
  if (lists.size() > kMax) StrAppend(&text, " and so on");
  return text;
}

Status Unknown(string_view what, string_view word, const NameLists& lists) {
  return InvalidArgumentError(StrCat("no ", what, " ", Quoted(word),
                                     "; expected one of ", Listed(lists)));
}

// Returns the two sides of "LEFT=RIGHT".
StatusOr<std::pair<string_view, string_view>> Sides(string_view text,
                                                    string_view form) {
  const size_t equal = text.find('=');
  if (equal == string_view::npos || equal == 0 || equal + 1 == text.size()) {
    return InvalidArgumentError(StrCat("expected ", form));
  }
  return std::pair(text.substr(0, equal), text.substr(equal + 1));
}

NameLists KeysOf(Span<const EntryNames> names) {
  NameLists keys;
  for (const EntryNames& entry : names) keys.push_back(entry.keys);
  return keys;
}

// Parses "OWNER:NAME", and returns the index of the owner and the name. Names
// may contain colons as well, so every colon is tried as the separator.
optional<std::pair<size_t, string_view>> FindOwner(string_view text,
                                                   const NameLists& owners) {
  for (size_t colon = text.find(':'); colon != string_view::npos;
       colon = text.find(':', colon + 1)) {
    const optional<size_t> owner = FindName(text.substr(0, colon), owners);
    if (owner) return std::pair(*owner, text.substr(colon + 1));
  }
  return nullopt;
}

Status AddTo(size_t entry, const EntryNames& names, string_view out,
             string_view in, Program* program) {
  const optional<size_t> output = FindName(out, names.outputs);
  if (!output) return Unknown("output", out, names.outputs);
  const optional<size_t> input = FindName(in, names.inputs);
  if (!input) return Unknown("input", in, names.inputs);
  program->carried.push_back({entry, *output, *input});
  return OkStatus();
}

Status AddByText(string_view text, Span<const EntryNames> names,
                 Program* program) {
  const auto sides = Sides(text, "OUT=IN, an output and an input");
  if (!sides.ok()) return sides.status();
  const auto [out, in] = *sides;
  Status first = OkStatus();
  bool is_added = false;
  for (size_t entry = 0; entry < names.size(); ++entry) {
    Status status = AddTo(entry, names[entry], out, in, program);
    is_added |= status.ok();
    if (first.ok()) first = std::move(status);
  }
  if (is_added) return OkStatus();
  const auto owner = FindOwner(out, KeysOf(names));
  if (owner) {
    return AddTo(owner->first, names[owner->first], owner->second, in, program);
  }
  if (names.size() == 1) return first;
  return NotFoundError(StrCat("no entry has both; expected names of one of ",
                              Listed(KeysOf(names)), ": ", first.message()));
}

}  // namespace

std::vector<EntryNames> EntryNamesOf(const Program& program) {
  std::vector<EntryNames> names;
  for (const size_t entry : program.entries) {
    const ProgramFunction& function = program.functions[entry];
    EntryNames& added = names.emplace_back();
    if (!function.name.empty()) added.keys.push_back(function.name);
    for (const size_t input : function.inputs) {
      added.inputs.push_back({function.tensors[input].id});
    }
    for (const size_t output : function.outputs) {
      added.outputs.push_back({function.tensors[output].id});
    }
  }
  return names;
}

Status AddCarriedOutputs(string_view text, Span<const EntryNames> names,
                         Program* program) {
  Status status = AddByText(text, names, program);
  if (status.ok()) return status;
  return Status(status.code(), StrCat(Quoted(text), ": ", status.message()));
}

StatusOr<HandOver> FindHandOver(string_view text,
                                Span<const NamedProgram> programs,
                                Span<const EntryNames> names) {
  NameLists owners;
  for (const NamedProgram& named : programs) owners.push_back({named.name});
  const auto refuse = [&](const Status& status) {
    return InvalidArgumentError(StrCat(Quoted(text), ": ", status.message()));
  };
  const auto sides = Sides(text, "MODEL:OUT=MODEL:IN");
  if (!sides.ok()) return refuse(sides.status());
  const auto from = FindOwner(sides->first, owners);
  if (!from) return refuse(Unknown("model before", sides->first, owners));
  const auto to = FindOwner(sides->second, owners);
  if (!to) return refuse(Unknown("model before", sides->second, owners));
  const NameLists& outputs = names[from->first].outputs;
  const NameLists& inputs = names[to->first].inputs;
  const optional<size_t> output = FindName(from->second, outputs);
  if (!output) return refuse(Unknown("output", from->second, outputs));
  const optional<size_t> input = FindName(to->second, inputs);
  if (!input) return refuse(Unknown("input", to->second, inputs));
  return HandOver{from->first, *output, to->first, *input};
}

}  // namespace stowage
