// SPDX-License-Identifier: Apache-2.0
// An arena in which several subgraphs run one after the other: the signatures
// of a model, or models with an interpreter each. To plan them together without
// a run, see ProgramOfModel and programs/combine.h.
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
// One subgraph at a time has the arena: the last one that has taken it, by
// TakeArena, Allocate or a change of its delegates. If that fails for lack of
// memory, none has it. The tensors of the others that lie in the arena have no
// memory meanwhile (Tensor::data is null), and Invoke refuses to run them, so
// that nobody reads or runs with what another subgraph has written. Variables,
// constants and everything else outside the arena keep their content.
#ifndef STOWAGE_HARNESS_SHARED_ARENA_H_
#define STOWAGE_HARNESS_SHARED_ARENA_H_

#include <cstddef>

#include "stowage/harness/memory_budget.h"

namespace stowage::harness {

class ArenaMemory;
class GraphSession;
struct SharedState;

// Has the bytes of the largest plan under which a subgraph in it was allocated,
// with guard bytes. Not thread-safe: all interpreters that use it belong to one
// thread at a time.
class SharedArena {
 public:
  // `memory_limit` is that of all interpreters that use the arena together, in
  // bytes, in place of InterpreterOptions::memory_limit; 0 is the memory of the
  // machine.
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
  MemoryBlock former_;  // where the arena was before it last moved
  GraphSession* user_ = nullptr;  // the subgraph that has the arena, or null
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_SHARED_ARENA_H_
