// SPDX-License-Identifier: Apache-2.0
// The constants of OPTIMAL, each with what it is for.
//
// They were chosen by measurement (docs/search-log.md), and what each is worth
// is printed by bench/ablation_table.cc. No option of the command or the
// library changes them.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_SEARCH_TUNING_H_
#define STOWAGE_STRATEGIES_OPTIMAL_SEARCH_TUNING_H_

#include <cstddef>
#include <cstdint>

#include "src/core/construct.h"

namespace stowage::optimal {

// Of the exact search (portfolio.h). A turn is a stretch of one search, a round
// is a turn of each.
struct PortfolioTuning {
  // Nodes of each turn of the first round, which most packings of real networks
  // do not survive; 0 goes to full rounds at once.
  uint64_t first_turn = 250;
  // Nodes of the shortest turn of the later rounds.
  uint64_t turn = 2000;
  // Whether turns grow by the Luby sequence from round to round, since the time
  // of a search has a heavy tail.
  bool turns_grow = true;
  // Searches that keep their state from round to round, in plain orders, and
  // ask the lower bound.
  size_t kept_at_bound = 6;
  // The same with capacities between the bound and the incumbent.
  size_t kept_between = 4;
  // Turns of a round that begin a new search, in a neighbour of a plain order.
  size_t new_turns = 32;
  // Turns of a round between which nothing is repaired.
  size_t turns_at_once = 14;
  // One in so many new turns asks a capacity between the bound and the
  // incumbent, the others ask the bound; 0 for none.
  size_t between_period = 4;
  // One in so many neighbours has a static order, the others sort what is left
  // of a part by its load; 1 for static ones alone.
  uint64_t static_period = 2;
  // One in so many neighbours puts first what is live where searches have
  // failed; 0 for none.
  uint64_t failures_period = 2;
  // How many different factors a neighbour may multiply a key by; 1 makes each
  // neighbour its plain order.
  uint64_t neighbour_factors = 64;
  // Nodes between two looks at whether another turn has decided the round.
  uint64_t chunk = 256;
};

// Of the genetic searches (genetic_search.h, genetic_portfolio.h).
struct GeneticTuning {
  // Nodes of each of them for a hundred of the exact search; 0 for none.
  uint64_t percent = 300;
  // Each asks one part in so many of the way from the best packing to the
  // bound.
  uint64_t steps_to_bound = 8;
  // Orders that it begins with, so many of each breeding (order_breeding.h).
  size_t population = 30;
  size_t of_each_breeding = 6;
  // Nodes of a try for each item.
  uint64_t nodes_per_item = 3;
  // Orders drawn from the population to find each parent, which is the best.
  size_t drawn_for_parent = 3;
  // Tries of a hundred that cross two orders, the others change one.
  uint64_t crosses = 80;
  // Items whose factor a try draws anew.
  uint64_t changes = 3;
  // Tries in vain after which all begins anew.
  uint64_t patience = 1500;
  // Orders of a generation that is bred, how many of them stay, and how many
  // are drawn anew.
  size_t bred = 60;
  size_t best_bred = 12;
  size_t drawn_anew = 6;
  uint64_t generations = 40;
};

// Of the repair by ejection (ejection_search.h).
struct EjectionTuning {
  // Turns after which a search begins anew from the incumbent, times the Luby
  // sequence.
  uint64_t restart = 65536;
  // Nodes of the exact search for a turn of each search that ejects.
  uint64_t nodes_per_turn = 4;
  // How dear an item can grow that finds no gap; 1 keeps all as they are.
  uint32_t highest_penalty = 1 << 12;
  // Items that a scan of all in order of level passes in the time that one
  // takes to be found by its steps and sorted in. Changes no plan.
  size_t scanned_per_found = 16;
};

// Of the repair with overlaps (overlap_search.h).
struct OverlapTuning {
  // Ends of pairs up to which there is such a search; each takes 8 bytes, and
  // 12 more in each of the four searches. 0 always ejects.
  size_t most_sides = size_t{1} << 20;
  // As for ejections.
  uint64_t restart = 1 << 18;
  // What a turn takes, and what it takes besides for each end of a pair of its
  // item, in the time that a node of the exact search takes for each step of an
  // item. Half of what was measured, so that repairs get more time than nodes.
  uint64_t time_per_turn = 150;
  uint64_t time_per_side = 8;
  // What it costs two items to overlap at all, in sixteenths of what it costs
  // them to overlap as deep as they can.
  uint64_t touch = 16;
  // One turn in so many moves an item that is live with one that overlaps
  // rather than that one; 0 for none.
  uint64_t bystander_period = 10;
  // Places from which an item that is stuck begins chains; 0 for no chains.
  size_t chain_starts = 8;
  // What it may overlap at such a place.
  size_t chain_overlaps = 3;
  // How many others may follow these in a chain.
  size_t chain_growth = 8;
};

// Of the shared objects (objects_search.h).
struct ObjectsTuning {
  // Records for which the greedy plans take a moment, and are made whatever the
  // time limit is; those of more are made as far as there is time.
  size_t quick_greedy = 1024;
  // Records of a kernel up to which it is searched object by object, where no
  // solver of linear programs is linked.
  size_t most_records = 2048;
  // Shares of records in classes above which bands of sizes are bounded first.
  size_t quick_shares = size_t{1} << 16;
  // Shares up to which a linear program is made of them; it takes some 500
  // bytes for each. CLP goes through all of them between two looks at the
  // signal, 10,000 in a millisecond: this is how long it takes to cancel.
  size_t most_shares = size_t{3} << 17;
};

struct SearchTuning {
  // Looks at records while plans are constructed: enough for all orders.
  uint64_t construct_looks = uint64_t{64} << 20;
  ConstructTuning construct;
  // Items up to which a component is searched exactly; a search takes memory
  // for their square.
  size_t most_exact_items = 2048;
  PortfolioTuning portfolio;
  GeneticTuning genetic;
  // Turns of each of the four searches that repair, in a round; 0 never
  // repairs.
  uint64_t repair_turns = 512;
  EjectionTuning ejection;
  OverlapTuning overlap;
  // Parts of rounds of a component with fewer genetic searches and repairs, for
  // an exact search succeeds early or late.
  uint64_t early_rounds = 2;
  // How many times fewer.
  uint64_t early_part = 8;
  // Nodes after which it stays open whether a conflict needs an item.
  uint64_t nodes_per_question = 200000;
  ObjectsTuning objects;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_SEARCH_TUNING_H_
