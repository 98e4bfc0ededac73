// SPDX-License-Identifier: Apache-2.0
// Finds the inputs and outputs of entries by name or index. Use this header to
// parse texts that describe carried outputs (CarriedOutput) or hand-overs
// between programs (HandOver).
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
// outputs. An entry, an input or an output may have several names, or none; its
// index also identifies it.
struct EntryNames {
  std::vector<std::string> keys;
  std::vector<std::vector<std::string>> inputs;
  std::vector<std::vector<std::string>> outputs;
};

// Returns, for each entry, the name of its function and the ids of its tensors.
// Requires that the entries exist.
std::vector<EntryNames> EntryNamesOf(const Program& program);

// Adds to the program the carried outputs that `text` describes: "OUT=IN" in
// every entry that has both, or "ENTRY:OUT=IN" in one entry. OUT, IN and ENTRY
// are names or indices; a name takes precedence over an index. `names` has an
// element for each entry. The caller has to call CheckProgram afterwards, since
// this function does not check the resulting program. Errors: InvalidArgument
// if the text has no "=", or if a name in the only entry or in the entry ENTRY
// is unknown (the message lists the known names); NotFound if there are several
// entries and none of them has both OUT and IN.
Status AddCarriedOutputs(string_view text, Span<const EntryNames> names,
                         Program* program);

// Finds the hand-over that the text "PROGRAM:OUT=PROGRAM:IN" describes. PROGRAM
// is the name or the index of a program. `names` has an element for each
// program: the names of its only entry. Error: InvalidArgument if the text has
// a different form, or if a name is unknown (the message lists the known
// names).
StatusOr<HandOver> FindHandOver(string_view text,
                                Span<const NamedProgram> programs,
                                Span<const EntryNames> names);

}  // namespace stowage

#endif  // STOWAGE_PROGRAMS_ENTRY_NAMES_H_
