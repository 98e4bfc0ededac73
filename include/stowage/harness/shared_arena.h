// SPDX-License-Identifier: Apache-2.0
// Represents an arena in which several subgraphs run one after another. They
// may be the subgraphs of a model's signatures, or subgraphs of several models,
// each with its own interpreter. To plan the subgraphs together without running
// them, see ProgramOfModel and programs/combine.h.
//
//   InterpreterOptions options;
//   options.shared_arena = std::make_shared<SharedArena>();
//   auto interpreter = Interpreter::Create(**model, options);
//   Subgraph& encode = **(*interpreter)->FindSignature("encode");
//   Subgraph& decode = **(*interpreter)->FindSignature("decode");
//   encode.Allocate();
//   decode.Allocate();
//   for (...) {
//     encode.TakeArena();  // then fill inputs, Invoke, and read outputs
//     decode.TakeArena();  // the same
//   }
//
// Only one subgraph at a time holds the arena: the last one that took it with
// TakeArena, with Allocate or by a change of its delegates. If taking the arena
// fails for lack of memory, no subgraph holds it. In a subgraph that does not
// hold the arena, tensors of the arena have no memory (Tensor::data is null),
// and Invoke returns an error, so no subgraph can use what another subgraph has
// written. Variables, constants and everything else outside of the arena keep
// their content.
#ifndef STOWAGE_HARNESS_SHARED_ARENA_H_
#define STOWAGE_HARNESS_SHARED_ARENA_H_

#include <cstddef>

#include "stowage/harness/memory_budget.h"

namespace stowage::harness {

class ArenaMemory;
class GraphSession;
struct SharedState;

// An arena for several subgraphs. Its size is that of the largest plan under
// which one of its subgraphs was allocated, including guard bytes. Not
// thread-safe: only one thread at a time may use the interpreters that share
// the arena.
class SharedArena {
 public:
  // `memory_limit` is the limit, in bytes, for all interpreters that use the
  // arena together. It replaces InterpreterOptions::memory_limit, which must be
  // 0 for these interpreters. 0 means the memory of the machine.
  explicit SharedArena(size_t memory_limit = 0) : budget_(memory_limit) {}
  SharedArena(const SharedArena&) = delete;
  SharedArena& operator=(const SharedArena&) = delete;

  size_t bytes() const { return block_.size(); }

 private:
  friend class ArenaMemory;
  friend class GraphSession;
  friend struct SharedState;

  MemoryBudget budget_;
  MemoryBlock block_;
  MemoryBlock former_;            // where the arena was before it last moved
  GraphSession* user_ = nullptr;  // the subgraph that has the arena, or null
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_SHARED_ARENA_H_
