// SPDX-License-Identifier: Apache-2.0
#include "src/clp/clp_matrix.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>

namespace stowage {
namespace {

// The number of columns that are copied between two checks of the signal.
// Copying this many takes about a millisecond.
constexpr size_t kColumnsPerPoll = 8192;

// A matrix whose arrays are owned by another object. The destructor detaches
// the arrays, so that they are not freed with the matrix.
class RowsView final : public ClpPackedMatrix {
 public:
  explicit RowsView(CoinPackedMatrix* matrix) : ClpPackedMatrix(matrix) {}
  RowsView(const RowsView&) = delete;
  RowsView& operator=(const RowsView&) = delete;

  ~RowsView() override {
    matrix_->nullElementArray();
    matrix_->nullIndexArray();
    matrix_->nullStartArray();
    matrix_->nullLengthArray();
  }
};

template <typename T>
void Reserve(size_t size, std::vector<T>* list) {
  if (size <= list->capacity()) return;
  list->reserve(std::max(size, 2 * list->capacity()));
}

}  // namespace

bool ClpRows::Add(Span<const LinearRow> rows, const StopSignal& stop) {
  constexpr size_t kMaxFactors = std::numeric_limits<int>::max();
  size_t factors = factors_.size();
  for (const LinearRow& row : rows) factors += row.factors.size();
  if (factors > kMaxFactors || stop.IsSet()) return false;
  // Growing a vector copies all of its contents. The signal is therefore also
  // checked between growing the two vectors.
  Reserve(factors, &columns_);
  if (stop.IsSet()) return false;
  Reserve(factors, &factors_);
  for (const LinearRow& row : rows) {
    if (stop.IsSet()) return false;
    AddRow(row);
  }
  return true;
}

void ClpRows::AddRow(const LinearRow& row) {
  columns_.insert(columns_.end(), row.columns.begin(), row.columns.end());
  factors_.insert(factors_.end(), row.factors.begin(), row.factors.end());
  starts_.push_back(static_cast<int>(columns_.size()));
  lengths_.push_back(static_cast<int>(row.columns.size()));
  for (const double factor : row.factors) {
    if (factor < 0) {
      smallest_negative_ = std::max(smallest_negative_, factor);
      largest_negative_ = std::min(largest_negative_, factor);
    } else {
      smallest_positive_ = std::min(smallest_positive_, factor);
      largest_positive_ = std::max(largest_positive_, factor);
    }
  }
}

// Casts away the const of the arrays. This is safe: CLP only reads its copy by
// rows and never writes to it, because nothing is scaled.
ClpMatrixBase* ClpRows::CreateView(int columns) const {
  auto* factors = const_cast<double*>(factors_.data());
  auto* indices = const_cast<int*>(columns_.data());
  auto* starts = const_cast<int*>(starts_.data());
  auto* lengths = const_cast<int*>(lengths_.data());
  auto matrix = std::make_unique<CoinPackedMatrix>();
  matrix->assignMatrix(/*colordered=*/false, columns, static_cast<int>(size()),
                       starts_.back(), factors, indices, starts, lengths);
  return new RowsView(matrix.release());
}

bool ClpColumns::AddNewRows(const StopSignal& stop) {
  const auto columns = static_cast<size_t>(getNumCols());
  std::unique_ptr<int[]> lengths(new int[columns]);
  std::copy_n(getVectorLengths(), columns, lengths.get());
  for (size_t row = added_rows_; row < rows_.size(); ++row) {
    if (stop.IsSet()) return false;
    for (const int column : rows_.ColumnsOf(row)) {
      ++lengths[static_cast<size_t>(column)];
    }
  }
  std::unique_ptr<int[]> starts(new int[columns + 1]);
  starts[0] = 0;
  std::partial_sum(lengths.get(), lengths.get() + columns, starts.get() + 1);
  const int count = starts[columns];
  // These arrays are not value-initialized, since initializing them would take
  // as long as copying into them.
  std::unique_ptr<int[]> indices(new int[static_cast<size_t>(count)]);
  std::unique_ptr<double[]> factors(new double[static_cast<size_t>(count)]);
  // For each column, the end of the factors that have been added so far.
  std::vector<size_t> ends(columns);
  for (size_t column = 0; column < columns; ++column) {
    if (column % kColumnsPerPoll == 0 && stop.IsSet()) return false;
    const int from = getVectorStarts()[column];
    const int length = getVectorLengths()[column];
    const auto to = static_cast<size_t>(starts[column]);
    std::copy_n(getIndices() + from, length, &indices[to]);
    std::copy_n(getElements() + from, length, &factors[to]);
    ends[column] = to + static_cast<size_t>(length);
  }
  for (size_t row = added_rows_; row < rows_.size(); ++row) {
    if (stop.IsSet()) return false;
    const Span<const int> row_columns = rows_.ColumnsOf(row);
    const Span<const double> row_factors = rows_.FactorsOf(row);
    for (size_t k = 0; k < row_columns.size(); ++k) {
      const size_t place = ends[static_cast<size_t>(row_columns[k])]++;
      indices[place] = static_cast<int>(row);
      factors[place] = row_factors[k];
    }
  }
  auto* its_factors = factors.release();
  auto* its_indices = indices.release();
  auto* its_starts = starts.release();
  auto* its_lengths = lengths.release();
  matrix_->assignMatrix(/*colordered=*/true, static_cast<int>(rows_.size()),
                        getNumCols(), count, its_factors, its_indices,
                        its_starts, its_lengths);
  added_rows_ = rows_.size();
  return true;
}

bool ClpColumns::allElementsInRange(ClpModel* model, double smallest,
                                    double largest, int /*check*/) {
  if (*stop_ != nullptr && (*stop_)->IsSet()) return false;
  // With this value, CLP checks the columns for gaps but does not check the
  // factors.
  constexpr int kGapsOnly = 14;
  return ClpPackedMatrix::allElementsInRange(model, smallest, largest,
                                             kGapsOnly);
}

ClpMatrixBase* ClpColumns::reverseOrderedCopy() const {
  return rows_.CreateView(getNumCols());
}

void ClpColumns::rangeOfElements(double& smallest_negative,
                                 double& largest_negative,
                                 double& smallest_positive,
                                 double& largest_positive) {
  smallest_negative = rows_.smallest_negative();
  largest_negative = rows_.largest_negative();
  smallest_positive = rows_.smallest_positive();
  largest_positive = rows_.largest_positive();
}

}  // namespace stowage
