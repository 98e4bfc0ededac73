#include "src/testing/gadgets.h"

namespace stowage::testing {
namespace {

constexpr GadgetRecord kNaive[] = {
    {1000, 0, 0}, {1000, 1, 1}, {1000, 2, 2}, {1000, 3, 3}};

constexpr GadgetRecord kEquality[] = {
    {1000, 0, 0}, {999, 1, 1}, {998, 2, 2}, {997, 3, 3}};

// Each small tensor takes the object of the large one before it and keeps it.
constexpr GadgetRecord kGreedyInOrder[] = {
    {1000, 0, 0}, {1, 1, 8}, {1000, 2, 2}, {1, 3, 8},
    {1000, 4, 4}, {1, 5, 8}, {1000, 6, 6}, {1, 7, 8}};

}  // namespace

const Gadget kWorstOfNaive = {kNaive, 1000};
const Gadget kWorstOfEquality = {kEquality, 1000};
const Gadget kWorstOfGreedyInOrder = {kGreedyInOrder, 1003};
const Gadget kWorstOfGreedyByBreadth = {kGreedyInOrder, 1003};
const Gadget kWorstOfGreedyBySize = {kGreedyInOrder, 1003};
const Gadget kWorstOfGreedyBest = {kGreedyInOrder, 1003};
const Gadget kWorstOfMinCostFlow = {kGreedyInOrder, 1003};

}  // namespace stowage::testing
