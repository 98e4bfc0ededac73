// SPDX-License-Identifier: Apache-2.0
// Solves linear programs to which rows are added, for the strategies of this
// library. The core itself has no solver; a strategy may use a solver that is
// linked into the program. The results are floating-point numbers and not
// exact, so a strategy has to prove whatever it derives from them.
//
//   const auto program = CreateLinearProgram();
//   if (program == nullptr) ...        // no solver is linked
//   program->AddColumns({{cost, max}, ...});
//   program->AddRows({{least, max, {column, ...}, {factor, ...}}, ...}, stop);
//   program->Solve(stop, &pivots);     // minimizes the cost
//   program->values();                 // of the columns
//   program->prices();                 // of the rows
#ifndef STOWAGE_SRC_CONSTRUCT_LINEAR_PROGRAM_H_
#define STOWAGE_SRC_CONSTRUCT_LINEAR_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "src/base/work_limit.h"
#include "stowage/base/span.h"

namespace stowage {

// The limit of a variable or a row that has no limit.
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// A variable x with 0 <= x <= max.
struct LinearColumn {
  double cost = 0;
  double max = kUnbounded;
};

// A constraint: least <= sum of factors times columns <= max.
struct LinearRow {
  double least = -kUnbounded;
  double max = kUnbounded;
  std::vector<int> columns;     // has each column once
  std::vector<double> factors;  // has no factor of 0
};

class LinearProgram {
 public:
  enum class Outcome {
    kOptimal,  // the optimum was found, as far as floating point can tell
    kStopped,  // the signal or the limit of pivots ended the call
    kFailed,   // no optimum was found, for a different reason
  };

  virtual ~LinearProgram() = default;

  // Columns and rows are numbered in the order in which they are added.
  virtual void AddColumns(Span<const LinearColumn> columns) = 0;
  // Adds rows. Returns false if the signal is set before they have been added;
  // the program then remains stopped, and keeps its previous values and prices.
  virtual bool AddRows(Span<const LinearRow> rows, const StopSignal& stop) = 0;
  virtual void SetMaxOfColumn(int column, double max) = 0;
  virtual void SetBoundsOfRow(int row, double least, double max) = 0;

  // Minimizes the cost, starting from the result of the last call. `*pivots` is
  // the maximum number of pivots, and is set to the number that remains. Once
  // the signal is set, stops after a few more pivots, or before the first one.
  virtual Outcome Solve(const StopSignal& stop, uint64_t* pivots) = 0;

  // The results of the last call of Solve. They are valid until rows or columns
  // are added or Solve is called again. The price of a row is the amount by
  // which the cost rises if the limit that the row attains is raised by one.
  virtual Span<const double> values() const = 0;
  virtual Span<const double> prices() const = 0;
};

using LinearProgramFactory = std::unique_ptr<LinearProgram> (*)();

// Returns an empty program, or null if no solver is linked into this program.
// Thread-safe.
std::unique_ptr<LinearProgram> CreateLinearProgram();

// Links a solver into the program: a library that contains a solver defines a
// static object of this type, and CreateLinearProgram then uses that solver.
class LinkedLinearProgram {
 public:
  explicit LinkedLinearProgram(LinearProgramFactory factory);
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_LINEAR_PROGRAM_H_
