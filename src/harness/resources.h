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
  // The memory of variables is aligned to `alignment`, a power of two. The
  // budget must outlive this object.
  OwnedResources(MemoryBudget* budget, size_t alignment)
      : budget_(budget), alignment_(alignment) {}

  int32_t Find(const std::string& container, const std::string& name) override;
  const Tensor* Get(int32_t number) const override;
  absl::Status Assign(int32_t number, const Tensor& value) override;

  // Returns the name of a variable. If the variable has a container, returns
  // "container/name".
  std::string NameOf(int32_t number) const;

  // Returns whether Hold would succeed if there were enough memory.
  bool CanHold(int32_t number, size_t bytes, size_t spare_bytes) const;
  // Gives the variable memory that stays in its place from now on, with
  // `spare_bytes` readable bytes after it. The variable keeps its value.
  // Tensors may then lie in this memory. Errors: FailedPrecondition if the
  // variable has a different size, or is held with fewer spare bytes;
  // ResourceExhausted if the memory limit is exceeded.
  absl::Status Hold(int32_t number, size_t bytes, size_t spare_bytes);
  // Undoes one successful call of Hold. Once all holders have released the
  // variable, it may get a different size.
  void Release(int32_t number);
  // Returns the memory of a variable, or null if the variable is not held.
  uint8_t* HeldMemory(int32_t number);

  // Discards the values of all variables. The names keep their numbers, and
  // variables that are held keep their memory.
  void Clear();

  // Holds a copy of the value of a variable, or records that the variable had
  // no value.
  struct Saved {
    bool is_assigned = false;
    Tensor value;  // `value.data` points to `bytes`
    std::vector<uint8_t> bytes;
  };
  std::vector<Saved> Save() const;
  // Restores saved values. A variable that has no entry in `saved` has no value
  // afterwards. Error: ResourceExhausted if the memory limit is exceeded.
  absl::Status Restore(const std::vector<Saved>& saved);

 private:
  struct Variable {
    bool is_assigned = false;
    Tensor value;
    MemoryBlock memory;
    // The size of the variable while it is held; none otherwise.
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
