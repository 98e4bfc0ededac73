// SPDX-License-Identifier: Apache-2.0
// The state of a DynamicProblem: its spec in parsed form, and the facts that
// have been proved about the spec.
#ifndef STOWAGE_SRC_DYNAMIC_DYNAMIC_STATE_H_
#define STOWAGE_SRC_DYNAMIC_DYNAMIC_STATE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/expression.h"
#include "stowage/problem.h"

namespace stowage {

struct DynamicProblem::State {
  DynamicSpec spec;
  std::vector<Expression> sizes;  // is empty if there are scenarios
  std::vector<Expression> where;
  std::vector<NumberRange> ranges;  // the ranges of the parameters
  std::vector<size_t> largest;
  optional<ParameterValues> largest_value;
  std::vector<ParameterValues> corners;  // is empty unless heights are convex

  // Returns the number of values of a parameter. If there are scenarios,
  // requires that `parameter` is 0 and returns the number of scenarios.
  size_t CountOf(size_t parameter) const;
  // Returns value number `index` of a parameter, counted from 0.
  uint64_t ValueOf(size_t parameter, size_t index) const;
  size_t dimensions() const;
  // Returns the number of values of each parameter.
  std::vector<size_t> Counts() const;
  // Returns the number of combinations of values, which is the product of
  // Counts(), or nullopt if the product exceeds kMaxTriedValues.
  optional<size_t> CountValues() const;
  ParameterValues LowerCorner() const;
  ParameterValues UpperCorner() const;
  // Returns the values with these indices. Requires one index for each
  // parameter.
  ParameterValues ValuesOf(Span<const size_t> indices) const;

  // Returns whether all limits hold. A limit whose expression has a fault does
  // not hold.
  bool IsWithinLimits(const ParameterValues& values) const;
  // Writes the size of each record. Requires that no size has a fault at
  // `values`.
  void WriteSizes(const ParameterValues& values,
                  std::vector<size_t>* written) const;
  // Adds the values with these indices to `sample` if they satisfy all limits.
  // Otherwise lowers each parameter in turn, with the other parameters
  // unchanged, to the largest index found at which the limits hold, and adds
  // those values. Skips parameters for which the limits do not hold even at
  // index 0.
  void AddWithinLimits(Span<const size_t> indices,
                       std::vector<ParameterValues>* sample) const;
};

// Checks the parameters or scenarios of a spec: their names, their ranges, and
// the number of sizes. Errors: those of DynamicProblem::Create.
Status CheckParameters(const DynamicSpec& spec);

// Checks that the problem uses only features that are supported with sizes that
// depend on parameters. Error: Unimplemented, with a list of all unsupported
// features.
Status CheckSupported(const ProblemSpec& problem);

// Returns whether no record is in a group or has a fixed offset.
bool HasNoGroups(const ProblemSpec& problem);

// Returns the name of a record for messages: the name in `problem`, or "record
// 3" if there is none.
std::string RecordName(const ProblemSpec& problem, size_t record);

// Checks that the records can be stacked in any order, with the sizes in
// `problem` and with all smaller sizes. Requires that the sizes in `problem`
// are the largest ones. Errors carry the record (WithPlace in error_line.h).
Status CheckStacks(const ProblemSpec& problem);

// Returns whether all distances in groups and all fixed offsets are multiples
// of the alignment.
bool AreGroupsAligned(const ProblemSpec& problem, size_t alignment);

// Returns the names of the parameters in the order of the spec.
std::vector<std::string> ParameterNames(const DynamicSpec& spec);

// Advances `indices` to the next combination in which each index is below its
// entry in `counts`. The last index changes first. Returns false after the last
// combination.
bool NextIndices(Span<const size_t> counts, std::vector<size_t>* indices);

}  // namespace stowage

#endif  // STOWAGE_SRC_DYNAMIC_DYNAMIC_STATE_H_
