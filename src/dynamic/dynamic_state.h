// SPDX-License-Identifier: Apache-2.0
// The state of a DynamicProblem: its spec, parsed, and what is proved of it.
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
  std::vector<Expression> sizes;  // without scenarios
  std::vector<Expression> where;
  std::vector<NumberRange> ranges;  // of the parameters
  std::vector<size_t> largest;
  optional<ParameterValues> largest_value;
  std::vector<ParameterValues> corners;  // where heights are convex

  // Returns the number of values of a parameter, or that of scenarios for the
  // only index 0.
  size_t CountOf(size_t parameter) const;
  // Returns the value of a parameter with an index from 0.
  uint64_t ValueOf(size_t parameter, size_t index) const;
  size_t dimensions() const;
  // Returns the number of values of each parameter.
  std::vector<size_t> Counts() const;
  // Returns the product of Counts, or nothing above kMaxTriedValues.
  optional<size_t> CountValues() const;
  ParameterValues LowerCorner() const;
  ParameterValues UpperCorner() const;
  // Returns the values with an index of each parameter.
  ParameterValues ValuesOf(Span<const size_t> indices) const;

  // Returns whether all limits hold. One with a fault does not.
  bool IsWithinLimits(const ParameterValues& values) const;
  // Writes the size of each record. Requires that no size has a fault there.
  void WriteSizes(const ParameterValues& values,
                  std::vector<size_t>* written) const;
  // Adds the values with these indices if they are within the limits, and
  // otherwise those at which a limit begins to hold as one parameter falls.
  void AddWithinLimits(Span<const size_t> indices,
                       std::vector<ParameterValues>* sample) const;
};

// Checks everything that a spec says of its parameters or scenarios: names,
// ranges, and the numbers of entries. Errors: those of DynamicProblem::Create.
Status CheckParameters(const DynamicSpec& spec);

// Error: Unimplemented, with the names of all parts of the problem that sizes
// with parameters do not support.
Status CheckSupported(const ProblemSpec& problem);

// Returns whether no record is in a group or has a fixed offset.
bool HasNoGroups(const ProblemSpec& problem);

// Returns what messages call a record: its name, or "record 3".
std::string RecordName(const ProblemSpec& problem, size_t record);

// Checks a problem with its largest sizes: every order is a plan of it, and has
// offsets at all smaller sizes. Errors have the place of the record.
Status CheckStacks(const ProblemSpec& problem);

// Returns whether all distances in groups and all fixed offsets are multiples
// of the alignment.
bool AreGroupsAligned(const ProblemSpec& problem, size_t alignment);

// Returns the names of the parameters, in their order.
std::vector<std::string> ParameterNames(const DynamicSpec& spec);

// Moves to the next of the values whose number for each position is `counts`,
// the last position first. Returns false after the last one.
bool NextIndices(Span<const size_t> counts, std::vector<size_t>* indices);

}  // namespace stowage

#endif  // STOWAGE_SRC_DYNAMIC_DYNAMIC_STATE_H_
