// SPDX-License-Identifier: Apache-2.0
// Defines the constants of the strategy OPTIMAL, each with its purpose.
//
// The constants were chosen by measurement (docs/search-design.md), and
// bench/ablation_table.cc prints how much each of them contributes. No option
// of the command or the library changes them.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_SEARCH_TUNING_H_
#define STOWAGE_STRATEGIES_OPTIMAL_SEARCH_TUNING_H_

#include <cstddef>
#include <cstdint>

#include "src/construct/construct.h"

namespace stowage::optimal {

// The constants of the exact search (portfolio.h). A slice is a run of one
// search with a limited number of nodes, and a round has one slice for each
// search.
struct PortfolioTuning {
  // The number of nodes of each slice in the first round, which solves most
  // packings of real networks. If 0, the search starts with full rounds.
  uint64_t first_slice = 250;
  // The number of nodes of the shortest slice in later rounds.
  uint64_t slice = 2000;
  // If true, the lengths of slices follow the Luby sequence from round to
  // round, since the time of a search has a heavy tail.
  bool slices_grow = true;
  // The number of searches that have plain orders, keep their state from round
  // to round, and try the lower bound.
  size_t kept_at_bound = 6;
  // The number of further searches that keep their state from round to round,
  // but try capacities between the bound and the incumbent.
  size_t kept_between = 4;
  // The number of slices in a round that start a new search, each with a
  // neighbour of a plain order.
  size_t new_slices = 32;
  // The number of slices in a round that run before the next repair.
  size_t slices_at_once = 14;
  // One out of this number of new slices tries a capacity between the bound and
  // the incumbent, and the others try the bound. If 0, all new slices try the
  // bound.
  size_t between_period = 4;
  // One in `static_period` neighbours has a static order, and the others sort
  // the remaining items of a part by load. If 1, all orders are static.
  uint64_t static_period = 2;
  // One in `failures_period` neighbours begins with the items that are live at
  // the steps where searches have failed. If 0, no neighbour does so.
  uint64_t failures_period = 2;
  // The number of different factors that a key may be multiplied by in a
  // neighbour. If 1, each neighbour equals its plain order.
  uint64_t neighbour_factors = 64;
  // The number of nodes between two checks whether another slice has decided
  // the round.
  uint64_t chunk = 256;
};

// The constants of the genetic searches (genetic_search.h,
// genetic_portfolio.h).
struct GeneticTuning {
  // The number of nodes of each genetic search per 100 nodes of the exact
  // search. If 0, genetic searches are not used.
  uint64_t percent = 300;
  // The step of each search is the distance from the best packing to the bound,
  // divided by this number.
  uint64_t steps_to_bound = 8;
  // The size of the population, and the number of its orders that come from a
  // single run of OrderCrossover (order_crossover.h).
  size_t population = 30;
  size_t of_each_crossover = 6;
  // The maximum number of nodes of a try, per item.
  uint64_t nodes_per_item = 3;
  // The number of orders that are sampled from the population to choose a
  // parent, which is the best of them.
  size_t sampled_for_parent = 3;
  // The percentage of tries that are crossovers of two orders. All other tries
  // change a single order.
  uint64_t crosses = 80;
  // The number of items for which a try regenerates the factor.
  uint64_t changes = 3;
  // The number of tries without success after which the search starts over.
  uint64_t patience = 1500;
  // The parameters of a run of OrderCrossover: the number of orders in a
  // generation, the number of them that are kept for the next generation, the
  // number of orders that are generated at random, and the number of
  // generations.
  size_t offspring = 60;
  size_t best_offspring = 12;
  size_t sampled_anew = 6;
  uint64_t generations = 40;
};

// The constants of the repair by ejection (ejection_search.h).
struct EjectionTuning {
  // The number of iterations after which a search restarts from the incumbent,
  // to be multiplied by the next number of the Luby sequence.
  uint64_t restart = 65536;
  // The number of nodes of the exact search for each iteration of each search
  // by ejection.
  uint64_t nodes_per_turn = 4;
  // The maximum penalty factor of an item that finds no gap. If 1, all costs
  // are constant.
  uint32_t highest_penalty = 1 << 12;
  // The neighbours of an item are listed in order of level, in one of two ways:
  // (1) all items are scanned in this order, or (2) the neighbours are found by
  // their steps and then sorted. This constant is the time of (2) for one
  // neighbour, divided by the time of (1) for one item. It does not affect
  // plans.
  size_t scanned_per_found = 16;
};

// The constants of the repair with overlaps (overlap_search.h).
struct OverlapTuning {
  // The maximum number of sides of pairs (overlap_pairs.h) with which this
  // search is used. If there may be more sides, or if this maximum is 0, the
  // repair by ejection is used instead. A side occupies 8 bytes, and 12 more in
  // each of the four searches that RepairPortfolio (repair_portfolio.h) runs.
  size_t max_sides = size_t{1} << 20;
  // Like EjectionTuning::restart, for this search. On dense packings of a few
  // hundred items, successful searches often need a million iterations or more.
  uint64_t restart = 1 << 20;
  // The time of an iteration is time_per_turn, plus time_per_side for each side
  // of the item that it moves. The unit is the time of a node of the exact
  // search, divided by the steps of all items. Both values are half of the
  // measured values, so repairs get more time than nodes.
  uint64_t time_per_turn = 150;
  uint64_t time_per_side = 8;
  // The constant part of the cost of an overlap, in sixteenths of the maximum
  // of the variable part. The variable part grows with the depth, and reaches
  // its maximum if two items overlap as deeply as they can.
  uint64_t touch = 16;
  // One in `bystander_period` iterations moves an item that is live together
  // with an overlapping item, instead of the overlapping item itself. If 0, no
  // iteration does so.
  uint64_t bystander_period = 10;
  // The number of places from which a stuck item starts chains. If 0, chains
  // are not used.
  size_t chain_starts = 8;
  // The maximum number of items that a stuck item may overlap at a place from
  // which it starts a chain.
  size_t chain_overlaps = 3;
  // The maximum number of items that may be added to a chain.
  size_t chain_growth = 8;
};

// The constants of shared objects (objects_search.h).
struct ObjectsTuning {
  // The maximum number of records with which all greedy plans are made
  // regardless of the time limit, since they take only a moment. With more
  // records, a greedy plan is made only if there is time for it.
  size_t quick_greedy = 1024;
  // The maximum number of records in a kernel that is searched object by object
  // because no solver of linear programs is linked.
  size_t max_records = 2048;
  // The number of shares, which are (record, class) pairs, in the linear
  // program of a kernel above which bounds by bands (objects_bands.h) are
  // proved before the program is solved.
  size_t quick_shares = size_t{1} << 16;
  // The maximum number of shares of a linear program, which needs about 500
  // bytes per share. Between two checks of the signal, CLP visits all shares,
  // at 10,000 per millisecond, so this number also determines how long a
  // cancellation takes.
  size_t max_shares = size_t{3} << 17;
};

struct SearchTuning {
  // The maximum number of checks of records while plans are constructed, which
  // is large enough to try all orders.
  uint64_t construct_checks = uint64_t{64} << 20;
  ConstructTuning construct;
  // The maximum number of items in a component that is searched exactly. The
  // memory of a search is proportional to the square of this number.
  size_t max_exact_items = 2048;
  PortfolioTuning portfolio;
  GeneticTuning genetic;
  // The number of iterations of each of the four repair searches in a round. If
  // 0, repairs are not used.
  uint64_t repair_iterations = 512;
  EjectionTuning ejection;
  OverlapTuning overlap;
  // The number of first steps of work on a component in which genetic searches
  // and repairs do only a part of their later work. If an exact search
  // succeeds, it often succeeds early.
  uint64_t early_rounds = 2;
  // In the first `early_rounds` steps, the work of genetic searches and repairs
  // is divided by this number.
  uint64_t early_part = 8;
  // The maximum number of nodes of a search that tests whether a conflict needs
  // an item. If the search is not complete after these nodes, it remains
  // unknown whether the item is needed.
  uint64_t nodes_per_question = 200000;
  ObjectsTuning objects;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_SEARCH_TUNING_H_
