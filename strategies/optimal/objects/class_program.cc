// SPDX-License-Identifier: Apache-2.0
#include "optimal/objects/class_program.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace stowage::optimal {
namespace {

// A row counts as violated only if the violation exceeds this number.
constexpr double kTolerance = 1e-6;

// The scale of the bounds between rounds, which is fine enough for the sizes
// that occur in practice.
constexpr uint64_t kQuickScale = uint64_t{1} << 20;

// The price of each object above the maximum of a count, as a multiple of the
// price of an object of the largest class. The price is so high that a single
// such object costs more than any node could save.
constexpr double kExcessPrice = 1000;

}  // namespace

ClassProgram::ClassProgram(const ClassModel& model,
                           std::unique_ptr<LinearProgram> program)
    : model_(model),
      program_(std::move(program)),
      unit_(static_cast<double>(model.sizes.back())),
      quick_scale_(std::min(kQuickScale, MaxScale(model))),
      ranges_(model.ranges) {}

// Adds the columns for objects and shares, and a row for each item.
bool ClassProgram::AddItems(const StopSignal& stop) {
  std::vector<LinearColumn> columns;
  for (const size_t size : model_.sizes) {
    columns.push_back({static_cast<double>(size) / unit_, kUnbounded});
  }
  std::vector<LinearRow> rows;
  for (const ClassRange& range : model_.ranges) {
    first_columns_.push_back(columns.size());
    LinearRow row;
    row.least = 1;
    row.columns.reserve(range.end - range.first);
    row.factors.reserve(range.end - range.first);
    for (uint32_t k = range.first; k < range.end; ++k) {
      row.columns.push_back(static_cast<int>(columns.size()));
      row.factors.push_back(1);
      columns.emplace_back();
    }
    rows.push_back(std::move(row));
  }
  if (stop.IsSet()) return false;
  program_->AddColumns(columns);
  columns_ = static_cast<int>(columns.size());
  return !stop.IsSet() && AddRows(rows, stop);
}

bool ClassProgram::AddRows(const std::vector<LinearRow>& rows,
                           const StopSignal& stop) {
  if (!program_->AddRows(rows, stop)) return false;
  rows_ += static_cast<int>(rows.size());
  return true;
}

void ClassProgram::AddClique(uint32_t k, uint32_t clique,
                             std::vector<LinearRow>* rows) {
  if (!cliques_.insert(uint64_t{k} << 32 | clique).second) return;
  LinearRow row;
  row.least = 0;
  row.columns.push_back(static_cast<int>(k));
  row.factors.push_back(1);
  for (const uint32_t i : model_.cliques[clique]) {
    if (model_.ranges[i].first > k) continue;
    row.columns.push_back(static_cast<int>(ColumnOf(i, k)));
    row.factors.push_back(-1);
  }
  rows->push_back(std::move(row));
}

// For each class, adds the row of the clique with the most items that could
// have the class. On ties, chooses the first such clique.
bool ClassProgram::AddDeepestCliques(const StopSignal& stop) {
  std::vector<LinearRow> rows;
  std::vector<uint32_t> depths(model_.cliques.size() + 1);
  for (uint32_t k = 0; k < model_.sizes.size(); ++k) {
    if (stop.IsSet()) return false;
    std::fill(depths.begin(), depths.end(), 0);
    for (size_t i = 0; i < model_.lives.size(); ++i) {
      if (model_.ranges[i].first > k) continue;
      ++depths[model_.lives[i].begin];
      // The unsigned counts may wrap around, but their prefix sums are still
      // correct.
      --depths[model_.lives[i].end];
    }
    uint32_t deepest = 0;
    for (uint32_t c = 1; c < model_.cliques.size(); ++c) {
      depths[c] += depths[c - 1];
      if (depths[c] > depths[deepest]) deepest = c;
    }
    AddClique(k, deepest, &rows);
  }
  return AddRows(rows, stop);
}

// Finds the stretches of successive cliques that violate their rows for class
// `k`. For each stretch, appends to `rows` the row of the most violated clique
// that has no row yet.
void ClassProgram::FindViolatedCliques(uint32_t k, std::vector<double>* sums,
                                       std::vector<LinearRow>* rows) {
  sums->assign(model_.cliques.size() + 1, 0);
  for (uint32_t i = 0; i < model_.lives.size(); ++i) {
    if (model_.ranges[i].first > k) continue;
    const double value = share(i, k);
    if (value < kTolerance) continue;
    (*sums)[model_.lives[i].begin] += value;
    (*sums)[model_.lives[i].end] -= value;
  }
  const double allowed = objects(k) + kTolerance;
  double max = allowed;
  const auto none = static_cast<uint32_t>(model_.cliques.size());
  uint32_t worst = none;
  double sum = 0;
  for (uint32_t c = 0; c < model_.cliques.size(); ++c) {
    sum += (*sums)[c];
    if (sum > max && cliques_.count(uint64_t{k} << 32 | c) == 0) {
      max = sum;
      worst = c;
    }
    if (sum <= allowed && worst != none) {
      AddClique(k, worst, rows);
      max = allowed;
      worst = none;
    }
  }
  if (worst != none) AddClique(k, worst, rows);
}

optional<ClassProgram::Outcome> ClassProgram::AddViolatedCliques(
    const StopSignal& stop) {
  std::vector<LinearRow> rows;
  std::vector<double> sums;
  for (uint32_t k = 0; k < model_.sizes.size(); ++k) {
    if (stop.IsSet()) return Outcome::kStopped;
    FindViolatedCliques(k, &sums, &rows);
  }
  if (rows.empty()) return Outcome::kOptimal;
  if (!AddRows(rows, stop)) return Outcome::kStopped;
  return nullopt;
}

// Adds a row for a count. To ensure that the program of every node has an
// optimum, the number of objects may exceed the maximum of the count, at a
// price. Bounds remain valid, since any prices prove a valid bound
// (chain_weights.h).
ClassProgram::CountRow ClassProgram::AddCountRow(uint32_t first) {
  LinearRow row;
  for (uint32_t k = first; k < model_.sizes.size(); ++k) {
    row.columns.push_back(static_cast<int>(k));
    row.factors.push_back(1);
  }
  row.columns.push_back(columns_);
  row.factors.push_back(-1);
  program_->AddColumns({{kExcessPrice, kUnbounded}});
  program_->AddRows({row}, StopSignal());
  return {rows_++, columns_++};
}

void ClassProgram::Enter(const ClassNode& node) {
  for (uint32_t i = 0; i < ranges_.size(); ++i) {
    const ClassRange to = node.ranges[i];
    const ClassRange from = std::exchange(ranges_[i], to);
    if (from.first == to.first && from.end == to.end) continue;
    for (uint32_t k = model_.ranges[i].first; k < model_.ranges[i].end; ++k) {
      const bool is_in = to.first <= k && k < to.end;
      program_->SetMaxOfColumn(static_cast<int>(ColumnOf(i, k)),
                               is_in ? kUnbounded : 0);
    }
  }
  for (const auto& [first, row] : count_rows_) {
    program_->SetBoundsOfRow(row.row, -kUnbounded, kUnbounded);
  }
  for (const ClassCount& count : node.counts) {
    const auto [found, is_new] = count_rows_.try_emplace(count.first);
    if (is_new) found->second = AddCountRow(count.first);
    program_->SetBoundsOfRow(found->second.row,
                             static_cast<double>(count.least),
                             static_cast<double>(count.max));
  }
}

ClassPrices ClassProgram::PricesOf(const ClassNode& node) const {
  const Span<const double> prices = program_->prices();
  ClassPrices result;
  for (size_t i = 0; i < model_.lives.size(); ++i) {
    result.items.push_back(prices[i] * unit_);
  }
  for (const ClassCount& count : node.counts) {
    const auto row = static_cast<size_t>(count_rows_.at(count.first).row);
    result.counts.push_back(prices[row] * unit_);
  }
  return result;
}

ClassProgram::Outcome ClassProgram::Solve(const ClassNode& node, size_t wanted,
                                          const StopSignal& stop,
                                          uint64_t* pivots) {
  best_ = {};
  if (stop.IsSet()) return Outcome::kStopped;
  if (!is_begun_) {
    is_begun_ = true;
    is_made_ = AddItems(stop) && AddDeepestCliques(stop);
  }
  if (!is_made_) return Outcome::kStopped;
  Enter(node);
  // Sets an earlier deadline, so that there is time left to prove the bound.
  StopSignal cancelled = stop;
  cancelled.deadline.reset();
  StopSignal early = stop;
  if (early.deadline) {
    *early.deadline -= TimeToBoundProgram(static_cast<size_t>(columns_));
  }
  for (;;) {
    const LinearProgram::Outcome outcome = program_->Solve(early, pivots);
    if (stop.IsCancelled()) return Outcome::kStopped;
    ChainBound bound =
        BoundOfPrices(model_, node, PricesOf(node), quick_scale_, cancelled);
    if (bound.bytes > best_.bytes) best_ = std::move(bound);
    if (best_.bytes >= wanted) return Outcome::kPruned;
    if (outcome != LinearProgram::Outcome::kOptimal || stop.IsSet()) {
      return Outcome::kStopped;
    }
    const optional<Outcome> end = AddViolatedCliques(stop);
    if (end) return *end;
  }
}

ChainBound ClassProgram::BestBound(const ClassNode& node,
                                   const StopSignal& stop) const {
  if (!is_made_ || stop.IsSet()) return best_;
  ChainBound bound = BestBoundOfPrices(model_, node, PricesOf(node), stop);
  return bound.bytes >= best_.bytes ? bound : best_;
}

ChainBound ClassProgram::ShortBound(const ClassNode& node,
                                    size_t wanted) const {
  return FirstBoundOfPrices(model_, node, PricesOf(node), wanted)
      .value_or(best_);
}

}  // namespace stowage::optimal
