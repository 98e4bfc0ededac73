// SPDX-License-Identifier: Apache-2.0
#include "src/kit/gadgets.h"

#include <cstddef>

#include "stowage/base/span.h"

namespace stowage::testing {
namespace {

constexpr GadgetRecord kOneSize[] = {
    {100, 0, 0}, {100, 1, 1}, {100, 2, 2}, {100, 3, 3}};

constexpr GadgetRecord kSizesThatDiffer[] = {
    {100, 0, 0}, {99, 1, 1}, {98, 2, 2}, {97, 3, 3}};

// The strategy greedy_in_order assigns each tensor of one byte to the object of
// the large tensor before it. This object is then occupied, so the next large
// tensor needs a new object. The loss grows with the number of such pairs and
// is not bounded.
constexpr GadgetRecord kSmallInLarge[] = {
    {71, 0, 1}, {1, 2, 8}, {70, 3, 3}, {1, 5, 9}, {69, 5, 5}, {1, 6, 9},
    {68, 6, 6}, {1, 7, 9}, {67, 7, 7}, {1, 8, 8}, {66, 8, 8}, {47, 9, 9}};

// The following gadgets were found by local search, which started from random
// records of ten tasks and changed a few of them at a time. A change was kept
// if the plan grew relative to the lower bound and some other plan still met
// the lower bound.
constexpr GadgetRecord kBroadTasks[] = {
    {53, 0, 1}, {9, 0, 3}, {7, 0, 9},  {1, 1, 7}, {1, 1, 9}, {62, 5, 5},
    {34, 6, 8}, {2, 7, 8}, {18, 7, 9}, {3, 7, 8}, {7, 8, 9}, {27, 9, 9}};

constexpr GadgetRecord kLargeFirst[] = {
    {55, 0, 1}, {36, 1, 2}, {30, 2, 3}, {29, 2, 5}, {31, 3, 3}, {29, 4, 7},
    {29, 5, 7}, {32, 6, 6}, {37, 7, 8}, {56, 8, 8}, {37, 9, 9}, {5, 9, 9}};

constexpr GadgetRecord kAllGreedy[] = {
    {31, 1, 5}, {65, 3, 4}, {1, 4, 7},  {30, 5, 8}, {30, 5, 7}, {36, 6, 6},
    {10, 7, 9}, {23, 7, 9}, {15, 8, 8}, {13, 8, 9}, {38, 9, 9}, {13, 9, 9}};

constexpr GadgetRecord kCheapReuse[] = {
    {58, 1, 2}, {15, 3, 5}, {27, 4, 4}, {15, 4, 5}, {4, 5, 5},  {12, 5, 5},
    {12, 5, 6}, {42, 6, 6}, {25, 7, 7}, {26, 7, 8}, {32, 8, 8}, {58, 9, 9}};

}  // namespace

const Gadget kNaiveGadget = kOneSize;
const Gadget kEqualityGadget = kSizesThatDiffer;
const Gadget kGreedyInOrderGadget = kSmallInLarge;
const Gadget kGreedyByBreadthGadget = kBroadTasks;
const Gadget kGreedyBySizeGadget = kLargeFirst;
const Gadget kGreedyBestGadget = kAllGreedy;
const Gadget kMinCostFlowGadget = kCheapReuse;

}  // namespace stowage::testing
