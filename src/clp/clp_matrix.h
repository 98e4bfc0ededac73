// SPDX-License-Identifier: Apache-2.0
// The matrix of a program as CLP is given it: by columns, which CLP keeps, and
// by rows, which CLP would make anew of the columns whenever it begins.
// Programs are solved by ClpProgram (clp_program.cc).
//
// CLP looks at no signal before its first pivot, and copies its matrix by then
// and whenever it grows. Here are these copies, with looks at the signal.
#ifndef STOWAGE_SRC_CLP_CLP_MATRIX_H_
#define STOWAGE_SRC_CLP_CLP_MATRIX_H_

#include <coin/ClpPackedMatrix.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <cstddef>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "src/core/linear_program.h"
#include "src/core/work_limit.h"

namespace stowage {

// Rows that are only ever added to.
class ClpRows {
 public:
  // Returns false, with some of them added or none, if the signal is set or
  // there are more factors than CLP can count.
  bool Add(absl::Span<const LinearRow> rows, const StopSignal& stop);

  size_t size() const { return lengths_.size(); }
  absl::Span<const int> ColumnsOf(size_t row) const {
    return absl::MakeConstSpan(columns_).subspan(StartOf(row), LengthOf(row));
  }
  absl::Span<const double> FactorsOf(size_t row) const {
    return absl::MakeConstSpan(factors_).subspan(StartOf(row), LengthOf(row));
  }
  // Of the factors below 0 and of those above, by absolute value.
  double smallest_negative() const { return smallest_negative_; }
  double largest_negative() const { return largest_negative_; }
  double smallest_positive() const { return smallest_positive_; }
  double largest_positive() const { return largest_positive_; }

  // A matrix of the rows, of `columns` columns, that lives on the memory of
  // this object: it is to be gone before the object changes. CLP owns it.
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

// The matrix by columns. The rows, and what `stop` points to, must outlive it.
class ClpColumns final : public ClpPackedMatrix {
 public:
  // `stop` is null where nothing is being solved.
  ClpColumns(const ClpRows& rows, const StopSignal* const* stop)
      : ClpPackedMatrix(new CoinPackedMatrix), rows_(rows), stop_(stop) {}

  // Adds the rows that it does not have yet, whose columns it has. Returns
  // false, without them, if the signal is set before it is done. O(all
  // factors).
  bool AddNewRows(const StopSignal& stop);

  // What CLP asks when it begins: if it is false CLP gives up, with a status of
  // its own.
  bool allElementsInRange(ClpModel* model, double smallest, double largest,
                          int check) override;
  ClpMatrixBase* reverseOrderedCopy() const override;
  void rangeOfElements(double& smallest_negative, double& largest_negative,
                       double& smallest_positive,
                       double& largest_positive) override;

 private:
  const ClpRows& rows_;
  const StopSignal* const* stop_;
  size_t added_rows_ = 0;  // those whose factors are there
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CLP_CLP_MATRIX_H_
