// SPDX-License-Identifier: Apache-2.0
// Finds the inputs and outputs of entries by what people call them, for the
// state that a caller hands on, and for models that hand on what they compute.
#ifndef STOWAGE_PROGRAMS_ENTRY_NAMES_H_
#define STOWAGE_PROGRAMS_ENTRY_NAMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/programs/combine.h"
#include "stowage/programs/program.h"

namespace stowage {

// The names of an entry, and those of each of its inputs and outputs. Whatever
// has no name is called by its index.
struct EntryNames {
  std::vector<std::string> keys;
  std::vector<std::vector<std::string>> inputs;
  std::vector<std::vector<std::string>> outputs;
};

// Returns for each entry the name of its function and the ids of its tensors.
// Requires entries that exist.
std::vector<EntryNames> EntryNamesOf(const Program& program);

// Adds the carried outputs that a text asks for: "OUT=IN" in every entry that
// has both, or "ENTRY:OUT=IN" in one. OUT, IN and ENTRY are names or indices;
// a name goes before an index. `names` has an element for each entry. Errors:
// InvalidArgument, listing what there is, for a text without "=", and for an
// unknown name; NotFound if no entry has both. What is added has to pass
// CheckProgram.
Status AddCarriedOutputs(string_view text, Span<const EntryNames> names,
                         Program* program);

// Finds "PROGRAM:OUT=PROGRAM:IN". PROGRAM is the name of a program or its
// index; `names` has the names of the only entry of each. Error:
// InvalidArgument, listing what there is.
StatusOr<HandOver> FindHandOver(string_view text,
                                Span<const NamedProgram> programs,
                                Span<const EntryNames> names);

}  // namespace stowage

#endif  // STOWAGE_PROGRAMS_ENTRY_NAMES_H_
