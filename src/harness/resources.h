// SPDX-License-Identifier: Apache-2.0
// Holds the resource variables of an interpreter.
#ifndef STOWAGE_SRC_HARNESS_RESOURCES_H_
#define STOWAGE_SRC_HARNESS_RESOURCES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/resources.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class OwnedResources : public ResourceVariables {
 public:
  // `alignment` is the alignment of the memory of variables and must be a power
  // of two. Requires that `budget` outlives this object.
  OwnedResources(MemoryBudget* budget, size_t alignment)
      : budget_(budget), alignment_(alignment) {}

  int32_t Find(const std::string& container, const std::string& name) override;
  const Tensor* Get(int32_t number) const override;
  absl::Status Assign(int32_t number, const Tensor& value) override;

  // Returns the name of a variable, or "container/name" if it has a container.
  std::string NameOf(int32_t number) const;

  // Returns whether Hold would succeed with enough memory.
  bool CanHold(int32_t number, size_t bytes, size_t spare_bytes) const;
  // Gives the variable memory that does not move from now on, with
  // `spare_bytes` readable bytes after it. The variable keeps its value.
  // Tensors may then be placed in this memory. Errors: FailedPrecondition if
  // the variable has a different size, or is held with fewer spare bytes;
  // ResourceExhausted if the memory limit is exceeded.
  absl::Status Hold(int32_t number, size_t bytes, size_t spare_bytes);
  // Undoes one successful call of Hold. After the last Release, the variable
  // may change its size again.
  void Release(int32_t number);
  // Returns the memory of a variable, or null if the variable is not held.
  uint8_t* HeldMemory(int32_t number);

  // Discards the values of all variables. Names keep their numbers, and held
  // variables keep their memory.
  void Clear();

  // A copy of the value of a variable, or a note that the variable had no
  // value.
  struct Saved {
    bool is_assigned = false;
    Tensor value;  // `value.data` points to `bytes`
    std::vector<uint8_t> bytes;
  };
  std::vector<Saved> Save() const;
  // Restores saved values. Variables without an entry in `saved` have no value
  // afterwards. Error: ResourceExhausted if the memory limit is exceeded.
  absl::Status Restore(const std::vector<Saved>& saved);

 private:
  struct Variable {
    bool is_assigned = false;
    Tensor value;
    MemoryBlock memory;
    // The size of the variable while it is held; nullopt otherwise.
    absl::optional<size_t> held_bytes;
    size_t holders = 0;
  };

  bool Has(int32_t number) const {
    return number >= 0 && static_cast<size_t>(number) < variables_.size();
  }

  MemoryBudget* budget_;
  size_t alignment_;
  std::map<std::pair<std::string, std::string>, int32_t> numbers_;
  std::vector<Variable> variables_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_RESOURCES_H_
