// SPDX-License-Identifier: Apache-2.0
// Linear programs that grow by rows, for the strategies of this library: what a
// strategy may ask of a solver that the core does without. Nothing that a
// solver answers is exact, so whoever asks has to prove what follows from it.
//
//   const auto program = CreateLinearProgram();
//   if (program == nullptr) ...        // no solver is linked
//   program->AddColumns({{cost, most}, ...});
//   program->AddRows({{least, most, {column, ...}, {factor, ...}}, ...}, stop);
//   program->Solve(stop, &pivots);     // minimises the cost
//   program->values();                 // of the columns
//   program->prices();                 // of the rows
#ifndef STOWAGE_CORE_LINEAR_PROGRAM_H_
#define STOWAGE_CORE_LINEAR_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "src/core/work_limit.h"

namespace stowage {

// Of variables and rows without a limit.
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// A variable x with 0 <= x <= most.
struct LinearColumn {
  double cost = 0;
  double most = kUnbounded;
};

// A constraint: the sum of factors times columns is at least `least` and at
// most `most`.
struct LinearRow {
  double least = -kUnbounded;
  double most = kUnbounded;
  std::vector<int> columns;     // each once
  std::vector<double> factors;  // none 0
};

class LinearProgram {
 public:
  enum class Outcome {
    kOptimal,  // as far as floating point can tell
    kStopped,  // the limits ended it
    kFailed,   // no optimum was found for another reason
  };

  virtual ~LinearProgram() = default;

  // Columns and rows are numbered in the order in which they are added.
  virtual void AddColumns(absl::Span<const LinearColumn> columns) = 0;
  // Returns false if the signal is set before it is done: the program is then
  // stopped for good, and has the values and prices of before.
  virtual bool AddRows(absl::Span<const LinearRow> rows,
                       const StopSignal& stop) = 0;
  virtual void SetMostOfColumn(int column, double most) = 0;
  virtual void SetBoundsOfRow(int row, double least, double most) = 0;

  // Minimises the cost, beginning where the last call ended. `pivots` is how
  // many pivots may be made, and then how many are left. Stops some pivots
  // after the signal is set, or before the first.
  virtual Outcome Solve(const StopSignal& stop, uint64_t* pivots) = 0;

  // Of the last call of Solve; valid until anything changes. A price is what
  // the cost grows by if the limit that the row is at grows by one.
  virtual absl::Span<const double> values() const = 0;
  virtual absl::Span<const double> prices() const = 0;
};

using LinearProgramFactory = std::unique_ptr<LinearProgram> (*)();

// An empty program, or null if the program links no library with a solver.
// Thread-safe.
std::unique_ptr<LinearProgram> CreateLinearProgram();

// To be a static object of a library with a solver, which is then the one that
// CreateLinearProgram uses.
class LinkedLinearProgram {
 public:
  explicit LinkedLinearProgram(LinearProgramFactory factory);
};

}  // namespace stowage

#endif  // STOWAGE_CORE_LINEAR_PROGRAM_H_
