// SPDX-License-Identifier: Apache-2.0
// Solves linear programs with COIN-OR's CLP. No code outside this folder uses
// CLP directly; other code uses LinearProgram (src/construct/linear_program.h).
#include <algorithm>
#include <chrono>
#include <coin/ClpEventHandler.hpp>
#include <coin/ClpSimplex.hpp>
#include <coin/CoinError.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "src/base/work_limit.h"
#include "src/clp/clp_matrix.h"
#include "src/construct/linear_program.h"
#include "stowage/base/span.h"

// Users of the library refer to this symbol, which keeps the linker from
// dropping this file.
extern "C" void stowage_link_clp();
extern "C" void stowage_link_clp() {}

namespace stowage {
namespace {

// The tolerance of values and prices. It is tighter than CLP's default of 1e-7,
// to make the prices as exact as possible.
constexpr double kTolerance = 1e-9;

// The argument of ClpSimplex::setPerturbation. Rows of cliques have many equal
// costs; without perturbation, there are two to four times as many pivots.
constexpr int kPerturbAlways = 50;

constexpr int kNoScaling = 0;  // a value of ClpModel::scaling

constexpr int kStoppedByHandler = 5;  // a value of ClpModel::status
constexpr int kStoppedByLimit = 3;
// The value of ClpModel::status() after ClpColumns has stopped CLP. CLP also
// uses this value after an error.
constexpr int kStoppedByMatrix = 4;

// Returns the maximum time that CLP needed before its first pivot on the
// machines on which it was measured. During this time, CLP visits all columns
// and factors, and nothing can interrupt it.
std::chrono::milliseconds TimeToBegin(int columns, int factors) {
  constexpr int kColumnsPerMillisecond = 10000;
  constexpr int kFactorsPerMillisecond = 200000;
  return std::chrono::milliseconds(columns / kColumnsPerMillisecond +
                                   factors / kFactorsPerMillisecond);
}

// Stops CLP when the signal is set.
class StopHandler final : public ClpEventHandler {
 public:
  explicit StopHandler(const StopSignal* const* stop) : stop_(stop) {}

  int event(Event which) override {
    constexpr int kGoOn = -1;
    constexpr int kStop = 0;
    const bool is_heeded = which == endOfIteration ||
                           which == endOfFactorization ||
                           which == endOfValuesPass || which == looksEndInDual;
    if (!is_heeded) return kGoOn;
    return *stop_ != nullptr && (*stop_)->IsSet() ? kStop : kGoOn;
  }

  ClpEventHandler* clone() const override { return new StopHandler(*this); }

 private:
  // Points to the member of ClpProgram that points to the current signal. A
  // pointer to the signal itself would become outdated, because CLP works with
  // a copy of the handler.
  const StopSignal* const* stop_;
};

class ClpProgram final : public LinearProgram {
 public:
  ClpProgram() {
    model_.setLogLevel(0);
    model_.setPerturbation(kPerturbAlways);
    // All factors are 1 or -1, so scaling would only waste time.
    model_.scaling(kNoScaling);
    model_.setPrimalTolerance(kTolerance);
    model_.setDualTolerance(kTolerance);
    const StopHandler handler(&stop_);
    model_.passInEventHandler(&handler);
    columns_ = new ClpColumns(rows_, &stop_);
    model_.replaceMatrix(columns_, /*deleteCurrent=*/true);
  }

  void AddColumns(Span<const LinearColumn> columns) override {
    std::vector<double> least(columns.size(), 0);
    std::vector<double> max;
    std::vector<double> costs;
    for (const LinearColumn& column : columns) {
      max.push_back(column.max);
      costs.push_back(column.cost);
    }
    const std::vector<int> starts(columns.size() + 1, 0);
    model_.addColumns(static_cast<int>(columns.size()), least.data(),
                      max.data(), costs.data(), starts.data(), nullptr,
                      nullptr);
  }

  bool AddRows(Span<const LinearRow> rows, const StopSignal& stop) override {
    if (is_stopped_) return false;
    std::vector<double> least;
    std::vector<double> max;
    for (const LinearRow& row : rows) {
      least.push_back(row.least);
      max.push_back(row.max);
    }
    // The rows are added without factors here, since `rows_` and `columns_`
    // store the factors.
    model_.addRows(static_cast<int>(rows.size()), least.data(), max.data(),
                   nullptr, nullptr, nullptr);
    is_stopped_ = !rows_.Add(rows, stop) || !columns_->AddNewRows(stop);
    return !is_stopped_;
  }

  void SetMaxOfColumn(int column, double max) override {
    model_.setColumnUpper(column, max);
  }

  void SetBoundsOfRow(int row, double least, double max) override {
    model_.setRowBounds(row, least, max);
  }

  Outcome Solve(const StopSignal& stop, uint64_t* pivots) override {
    if (*pivots == 0 || is_stopped_ ||
        stop.IsSetWithin(
            TimeToBegin(model_.numberColumns(), model_.getNumElements()))) {
      return Outcome::kStopped;
    }
    constexpr uint64_t kMaxPivots = std::numeric_limits<int>::max() / 2;
    model_.setMaximumIterations(
        static_cast<int>(std::min(*pivots, kMaxPivots)));
    stop_ = &stop;
    try {
      model_.dual();
    } catch (const CoinError&) {
      stop_ = nullptr;
      return Outcome::kFailed;
    }
    stop_ = nullptr;
    *pivots -= std::min(
        *pivots, static_cast<uint64_t>(std::max(model_.numberIterations(), 1)));
    if (model_.status() == 0) return Outcome::kOptimal;
    return model_.status() == kStoppedByHandler ||
                   model_.status() == kStoppedByLimit ||
                   model_.status() == kStoppedByMatrix
               ? Outcome::kStopped
               : Outcome::kFailed;
  }

  Span<const double> values() const override {
    return MakeConstSpan(model_.primalColumnSolution(),
                         static_cast<size_t>(model_.numberColumns()));
  }

  Span<const double> prices() const override {
    return MakeConstSpan(model_.dualRowSolution(),
                         static_cast<size_t>(model_.numberRows()));
  }

 private:
  // Declared before `model_`, which refers to the rows.
  ClpRows rows_;
  ClpColumns* columns_ = nullptr;  // is owned by the model
  ClpSimplex model_;
  const StopSignal* stop_ = nullptr;  // the signal of the current run
  bool is_stopped_ = false;           // stays true once rows are missing
};

LinkedLinearProgram linked_program([]() -> std::unique_ptr<LinearProgram> {
  return std::make_unique<ClpProgram>();
});

}  // namespace
}  // namespace stowage
