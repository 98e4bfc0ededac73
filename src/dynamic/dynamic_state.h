// SPDX-License-Identifier: Apache-2.0
// Defines the state of a DynamicProblem: its spec in parsed form, and what has
// been proved about the spec.
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
  // `parameter` must be 0, and the number of scenarios is returned.
  size_t CountOf(size_t parameter) const;
  // Returns the value of a parameter with an index from 0.
  uint64_t ValueOf(size_t parameter, size_t index) const;
  size_t dimensions() const;
  // Returns the number of values of each parameter.
  std::vector<size_t> Counts() const;
  // Returns the number of combinations of values, which is the product of
  // Counts. Returns nullopt if it exceeds kMaxTriedValues.
  optional<size_t> CountValues() const;
  ParameterValues LowerCorner() const;
  ParameterValues UpperCorner() const;
  // Returns the values that have these indices, one index for each parameter.
  ParameterValues ValuesOf(Span<const size_t> indices) const;

  // Returns whether all limits hold. A limit that has a fault does not hold.
  bool IsWithinLimits(const ParameterValues& values) const;
  // Writes the size of each record. Requires that no size has a fault at
  // `values`.
  void WriteSizes(const ParameterValues& values,
                  std::vector<size_t>* written) const;
  // Adds the values with these indices if all limits hold there. Otherwise
  // takes each parameter by itself, and lowers only this parameter until the
  // limits hold. Adds the resulting values if the limits can be reached in this
  // way.
  void AddWithinLimits(Span<const size_t> indices,
                       std::vector<ParameterValues>* sample) const;
};

// Checks what a spec says about its parameters or scenarios: their names, their
// ranges, and how many sizes there are. Errors: those of
// DynamicProblem::Create.
Status CheckParameters(const DynamicSpec& spec);

// Checks that the problem has only parts that are supported if sizes depend on
// parameters. Error: Unimplemented, naming all parts that are not supported.
Status CheckSupported(const ProblemSpec& problem);

// Returns whether no record is in a group or has a fixed offset.
bool HasNoGroups(const ProblemSpec& problem);

// Returns what messages call a record: its name, or "record 3".
std::string RecordName(const ProblemSpec& problem, size_t record);

// Checks that the records can be stacked in any order, with the sizes in
// `problem` and with all smaller sizes. `problem` must have its largest sizes.
// Errors carry the record (WithPlace, error_line.h).
Status CheckStacks(const ProblemSpec& problem);

// Returns whether all distances in groups and all fixed offsets are multiples
// of the alignment.
bool AreGroupsAligned(const ProblemSpec& problem, size_t alignment);

// Returns the names of the parameters, in their order.
std::vector<std::string> ParameterNames(const DynamicSpec& spec);

// Advances `indices` to the next combination in which each index is below its
// entry in `counts`. The last index changes first. Returns false after the last
// combination.
bool NextIndices(Span<const size_t> counts, std::vector<size_t>* indices);

}  // namespace stowage

#endif  // STOWAGE_SRC_DYNAMIC_DYNAMIC_STATE_H_
