// SPDX-License-Identifier: Apache-2.0
// A sorted sequence that is stored in blocks. Searching and visiting it are
// fast because neighboring elements are adjacent in memory. Inserting is fast
// because only the elements of one block move.
#ifndef STOWAGE_SRC_BASE_SORTED_BLOCKS_H_
#define STOWAGE_SRC_BASE_SORTED_BLOCKS_H_

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace stowage {

template <typename T>
class SortedBlocks {
 public:
  // Inserts `value` after the elements for which is_before(element) holds.
  // Requires that all of these elements come before all other elements. O(log n
  // + kLimit + n / kLimit^2), amortized.
  template <typename IsBefore>
  void Insert(const T& value, IsBefore is_before) {
    if (blocks_.empty()) {
      blocks_.push_back({value});
      fronts_.push_back(value);
      return;
    }
    const size_t index = BlockOf(is_before);
    Block& block = blocks_[index];
    block.insert(At(block, CountBefore(block, is_before)), value);
    fronts_[index] = block.front();
    if (block.size() == kLimit) Split(index);
  }

  // Returns the last element for which is_before(element) holds, or null if
  // there is none. Requires that all elements for which is_before holds come
  // before all other elements. O(log n).
  template <typename IsBefore>
  const T* LastBefore(IsBefore is_before) const {
    if (blocks_.empty()) return nullptr;
    const Block& block = blocks_[BlockOf(is_before)];
    const size_t count = CountBefore(block, is_before);
    return count == 0 ? nullptr : &block[count - 1];
  }

  // Calls visit(element) for each element, in order, until a call returns true.
  template <typename Visit>
  void VisitUntil(Visit visit) const {
    for (const Block& block : blocks_) {
      for (const T& element : block) {
        if (visit(element)) return;
      }
    }
  }

 private:
  using Block = std::vector<T>;
  static constexpr size_t kLimit = 64;

  template <typename List>
  static auto At(List& list, size_t index) {
    return std::next(list.begin(), static_cast<ptrdiff_t>(index));
  }

  // Returns how many elements at the front of `list` satisfy `holds`. Unlike
  // std::partition_point, this search has no branch that could be mispredicted.
  template <typename Holds>
  static size_t CountBefore(const std::vector<T>& list, const Holds& holds) {
    const T* base = list.data();
    for (size_t size = list.size(); size > 0;) {
      const size_t half = (size + 1) / 2;
      base += holds(base[half - 1]) ? half : 0;
      size -= half;
    }
    return static_cast<size_t>(base - list.data());
  }

  // Returns the last block whose first element satisfies `is_before`, or the
  // first block if there is no such block.
  template <typename IsBefore>
  size_t BlockOf(const IsBefore& is_before) const {
    const size_t count = CountBefore(fronts_, is_before);
    return count == 0 ? 0 : count - 1;
  }

  void Split(size_t index) {
    Block& block = blocks_[index];
    const auto middle = At(block, kLimit / 2);
    Block upper(middle, block.end());
    block.erase(middle, block.end());
    fronts_.insert(At(fronts_, index + 1), upper.front());
    blocks_.insert(At(blocks_, index + 1), std::move(upper));
  }

  std::vector<T> fronts_;  // the first element of every block
  std::vector<Block> blocks_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_SORTED_BLOCKS_H_
