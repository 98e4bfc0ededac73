// SPDX-License-Identifier: Apache-2.0
// The constants of OPTIMAL, each with its purpose.
//
// They were chosen by measurement (docs/search-design.md), and
// bench/ablation_table.cc prints what each of them is worth. No option of the
// command or the library changes them.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_SEARCH_TUNING_H_
#define STOWAGE_STRATEGIES_OPTIMAL_SEARCH_TUNING_H_

#include <cstddef>
#include <cstdint>

#include "src/construct/construct.h"

namespace stowage::optimal {

// The constants of the exact search (portfolio.h). A turn is one slice of one
// search; a round has a turn of each search.
struct PortfolioTuning {
  // The number of nodes of each turn of the first round, which settles most
  // packings of real networks. If it is 0, the search starts with full rounds.
  uint64_t first_slice = 250;
  // The number of nodes of the shortest turn of the later rounds.
  uint64_t slice = 2000;
  // If true, turns grow by the Luby sequence from round to round, since the
  // time of a search has a heavy tail.
  bool slices_grow = true;
  // The number of searches that keep their state from round to round, in plain
  // orders, and try the lower bound.
  size_t kept_at_bound = 6;
  // The number of further searches that keep their state from round to round,
  // but try capacities between the bound and the incumbent.
  size_t kept_between = 4;
  // The number of turns of a round that start a new search, each in a neighbour
  // of a plain order.
  size_t new_slices = 32;
  // The number of turns of a round that run before the next repair.
  size_t slices_at_once = 14;
  // One in this number of new turns tries a capacity between the bound and the
  // incumbent, and the others try the bound. If the number is 0, all of them
  // try the bound.
  size_t between_period = 4;
  // One in this number of neighbours has a static order, and the others sort
  // the remaining items of a part by load. If the number is 1, all orders are
  // static.
  uint64_t static_period = 2;
  // One in this number of neighbours puts those items first that are live where
  // searches have failed. If the number is 0, none does.
  uint64_t failures_period = 2;
  // The number of different factors by which a neighbour may multiply a key. If
  // it is 1, each neighbour is equal to its plain order.
  uint64_t neighbour_factors = 64;
  // The number of nodes between two checks whether another turn has decided the
  // round.
  uint64_t chunk = 256;
};

// The constants of the genetic searches (genetic_search.h,
// genetic_portfolio.h).
struct GeneticTuning {
  // The number of nodes of each genetic search per 100 nodes of the exact
  // search; 0 for none.
  uint64_t percent = 300;
  // The step of each search is the distance between the best packing and the
  // bound, divided by this number.
  uint64_t steps_to_bound = 8;
  // The size of the population, and the number of its orders that come from one
  // run of OrderCrossover (order_crossover.h).
  size_t population = 30;
  size_t of_each_crossover = 6;
  // The maximum number of nodes of a try, per item.
  uint64_t nodes_per_item = 3;
  // The number of orders that are sampled from the population to choose a
  // parent. The best of them is the parent.
  size_t sampled_for_parent = 3;
  // The percentage of tries that are crossovers of two orders. The other tries
  // change one order.
  uint64_t crosses = 80;
  // The number of items whose factor a try generates anew.
  uint64_t changes = 3;
  // The number of tries without success after which the search starts over.
  uint64_t patience = 1500;
  // The parameters of a run of OrderCrossover: the number of orders of a
  // generation; how many of them are kept for the next generation; how many are
  // generated at random; and the number of generations.
  size_t offspring = 60;
  size_t best_offspring = 12;
  size_t sampled_anew = 6;
  uint64_t generations = 40;
};

// The constants of the repair by ejection (ejection_search.h).
struct EjectionTuning {
  // The number of iterations, times the Luby sequence, after which a search
  // restarts from the incumbent.
  uint64_t restart = 65536;
  // The number of nodes of the exact search per iteration of each search by
  // ejection.
  uint64_t nodes_per_turn = 4;
  // The maximum penalty factor of an item that finds no gap. If it is 1, all
  // costs are constant.
  uint32_t highest_penalty = 1 << 12;
  // The neighbours of an item are listed in order of level, in one of two ways:
  // all items are scanned in this order, or the neighbours are found by their
  // steps and then sorted. In the time that the second way takes for one
  // neighbour, the first way scans this number of items. The number affects
  // only the time and changes no plan.
  size_t scanned_per_found = 16;
};

// The constants of the repair with overlaps (overlap_search.h).
struct OverlapTuning {
  // The maximum number of sides of pairs (overlap_pairs.h) for which this
  // search is used. If there may be more, the repair by ejection is used
  // instead; it is always used if the value is 0. A side takes 8 bytes, and 12
  // more in each of the four searches that RepairPortfolio runs
  // (repair_portfolio.h).
  size_t max_sides = size_t{1} << 20;
  // The same as EjectionTuning::restart, but for this search. On dense packings
  // of some hundred items, most searches that succeed do so within this number
  // of iterations, and few within a quarter of it.
  uint64_t restart = 1 << 20;
  // An iteration takes time_per_turn, plus time_per_side for each side of the
  // item that it moves. The unit is the time of a node of the exact search,
  // divided by the steps of all items. Both values are half of the measured
  // ones, so that repairs get more time than nodes.
  uint64_t time_per_turn = 150;
  uint64_t time_per_side = 8;
  // The constant part of the cost of an overlap, in sixteenths of the part that
  // grows with depth, for two items that overlap as deep as they can.
  uint64_t touch = 16;
  // One in this number of iterations moves an item that is live together with
  // an overlapping item, instead of the overlapping item itself. If the number
  // is 0, none does.
  uint64_t bystander_period = 10;
  // The number of places from which an item that is stuck starts chains. If it
  // is 0, there are no chains.
  size_t chain_starts = 8;
  // The maximum number of items that a stuck item may overlap at such a place.
  size_t chain_overlaps = 3;
  // The maximum number of further items in a chain.
  size_t chain_growth = 8;
};

// The constants of shared objects (objects_search.h).
struct ObjectsTuning {
  // Up to this number of records all greedy plans are made whatever the time
  // limit is, since they take only a moment. With more records a greedy plan is
  // made only if there is time for it.
  size_t quick_greedy = 1024;
  // The maximum number of records of a kernel that is searched object by
  // object, if no solver of linear programs is linked.
  size_t max_records = 2048;
  // If the linear program of a kernel has more shares, which are (record,
  // class) pairs, than this number, bounds by bands (objects_bands.h) are
  // proved before it is solved.
  size_t quick_shares = size_t{1} << 16;
  // The maximum number of shares of a linear program, which takes some 500
  // bytes per share. CLP visits all of them between two checks of the signal,
  // 10,000 per millisecond, so this number determines how long a cancellation
  // takes.
  size_t max_shares = size_t{3} << 17;
};

struct SearchTuning {
  // The maximum number of checks of records while plans are constructed, which
  // is enough for all orders.
  uint64_t construct_checks = uint64_t{64} << 20;
  ConstructTuning construct;
  // The maximum number of items of a component that is searched exactly. A
  // search takes memory in proportion to the square of this number.
  size_t max_exact_items = 2048;
  PortfolioTuning portfolio;
  GeneticTuning genetic;
  // The number of iterations of each of the four repair searches in a round. If
  // it is 0, there are no repairs.
  uint64_t repair_iterations = 512;
  EjectionTuning ejection;
  OverlapTuning overlap;
  // The number of parts of rounds, at the start, in which a component gets
  // fewer genetic searches and repairs than later. An exact search that
  // succeeds often does so early.
  uint64_t early_rounds = 2;
  // The divisor of the genetic searches and repairs in these parts of rounds.
  uint64_t early_part = 8;
  // The maximum number of nodes of a search that asks whether a conflict needs
  // an item. If the search is not complete then, the question stays open.
  uint64_t nodes_per_question = 200000;
  ObjectsTuning objects;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_SEARCH_TUNING_H_
