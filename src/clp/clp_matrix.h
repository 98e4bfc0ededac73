// SPDX-License-Identifier: Apache-2.0
// Stores the matrix of a linear program in the two forms that CLP uses: by rows
// (ClpRows) and by columns (ClpColumns). To solve a linear program, use
// LinearProgram (src/construct/linear_program.h), which clp_program.cc
// implements.
//
// CLP stores only the columns by default, and derives the rows from them each
// time it starts. It also copies the matrix before its first pivot and whenever
// the matrix grows, and does not check the signal during these copies. These
// classes make the same copies themselves and check the signal.
#ifndef STOWAGE_SRC_CLP_CLP_MATRIX_H_
#define STOWAGE_SRC_CLP_CLP_MATRIX_H_

#include <coin/ClpPackedMatrix.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <cstddef>
#include <limits>
#include <vector>

#include "src/base/work_limit.h"
#include "src/construct/linear_program.h"
#include "stowage/base/span.h"

namespace stowage {

// A matrix that is stored by rows. Rows can be added, but not changed or
// removed.
class ClpRows {
 public:
  // Adds rows. Returns false if the signal is set, or if there are more factors
  // than CLP can count; some of the rows may then have been added.
  bool Add(Span<const LinearRow> rows, const StopSignal& stop);

  size_t size() const { return lengths_.size(); }
  Span<const int> ColumnsOf(size_t row) const {
    return MakeConstSpan(columns_).subspan(StartOf(row), LengthOf(row));
  }
  Span<const double> FactorsOf(size_t row) const {
    return MakeConstSpan(factors_).subspan(StartOf(row), LengthOf(row));
  }
  // These functions return the factor of one sign with the smallest or the
  // largest absolute value.
  double smallest_negative() const { return smallest_negative_; }
  double largest_negative() const { return largest_negative_; }
  double smallest_positive() const { return smallest_positive_; }
  double largest_positive() const { return largest_positive_; }

  // Returns a new matrix with these rows and `columns` columns, which CLP will
  // own. The matrix refers to the memory of this object and must be destroyed
  // before this object changes.
  ClpMatrixBase* CreateView(int columns) const;

 private:
  size_t StartOf(size_t row) const { return static_cast<size_t>(starts_[row]); }
  size_t LengthOf(size_t row) const {
    return static_cast<size_t>(lengths_[row]);
  }
  void AddRow(const LinearRow& row);

  std::vector<int> starts_ = {0};
  std::vector<int> lengths_;
  std::vector<int> columns_;
  std::vector<double> factors_;
  double smallest_negative_ = -std::numeric_limits<double>::max();
  double largest_negative_ = 0;
  double smallest_positive_ = std::numeric_limits<double>::max();
  double largest_positive_ = 0;
};

// A matrix that is stored by columns. The rows, and the pointer to which `stop`
// points, must outlive this object.
class ClpColumns final : public ClpPackedMatrix {
 public:
  // `*stop` is null while CLP is not solving.
  ClpColumns(const ClpRows& rows, const StopSignal* const* stop)
      : ClpPackedMatrix(new CoinPackedMatrix), rows_(rows), stop_(stop) {}

  // Adds the rows that have not been added yet. Requires that their columns
  // exist. If the signal is set first, adds no rows and returns false. O(all
  // factors).
  bool AddNewRows(const StopSignal& stop);

  // Checks the signal. CLP calls this function when it starts. If the function
  // returns false, CLP stops with the status kStoppedByMatrix (clp_program.cc).
  bool allElementsInRange(ClpModel* model, double smallest, double largest,
                          int check) override;
  ClpMatrixBase* reverseOrderedCopy() const override;
  void rangeOfElements(double& smallest_negative, double& largest_negative,
                       double& smallest_positive,
                       double& largest_positive) override;

 private:
  const ClpRows& rows_;
  const StopSignal* const* stop_;
  size_t added_rows_ = 0;  // the number of rows that are included so far
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CLP_CLP_MATRIX_H_
