// SPDX-License-Identifier: Apache-2.0
// Finds the inputs and outputs of entries by their names or indices. Use this
// header to choose the outputs that a caller hands on to the next invocation,
// or that one model hands over to another.
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

// The names of an entry (`keys`), and the names of each of its inputs and
// outputs. Each of them may have several names. If there is no name, the index
// is used instead.
struct EntryNames {
  std::vector<std::string> keys;
  std::vector<std::vector<std::string>> inputs;
  std::vector<std::vector<std::string>> outputs;
};

// Returns for each entry the name of its function and the ids of its tensors.
// Requires that all entries exist.
std::vector<EntryNames> EntryNamesOf(const Program& program);

// Adds the carried outputs that a text asks for: "OUT=IN" in every entry that
// has both, or "ENTRY:OUT=IN" in one entry. OUT, IN and ENTRY are names or
// indices; a name takes precedence over an index. `names` has an element for
// each entry. Does not check the program with the added outputs; the caller has
// to call CheckProgram. Errors: InvalidArgument if the text has no "=", or if a
// name in the only entry or in the entry ENTRY is unknown (the message lists
// the known names); NotFound if there are several entries and none of them has
// both OUT and IN.
Status AddCarriedOutputs(string_view text, Span<const EntryNames> names,
                         Program* program);

// Finds the hand-over that a text "PROGRAM:OUT=PROGRAM:IN" describes. PROGRAM
// is the name or the index of a program; `names` has the names of the only
// entry of each program. Error: InvalidArgument if the text has a different
// form, or if a name is unknown (the message lists the known names).
StatusOr<HandOver> FindHandOver(string_view text,
                                Span<const NamedProgram> programs,
                                Span<const EntryNames> names);

}  // namespace stowage

#endif  // STOWAGE_PROGRAMS_ENTRY_NAMES_H_
