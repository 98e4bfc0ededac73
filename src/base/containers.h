// SPDX-License-Identifier: Apache-2.0
// Provides sets and maps. In a build with Abseil (config.h), these are the
// containers of Abseil; in other builds, those of the standard library. Ordered
// sets and maps are iterated in the order of their keys. The order of a hash
// table differs between builds, so never iterate over a hash table; only look
// up keys. As in Abseil, any change of an ordered set or map may invalidate all
// of its iterators.
#ifndef STOWAGE_SRC_BASE_CONTAINERS_H_
#define STOWAGE_SRC_BASE_CONTAINERS_H_

#include "stowage/base/config.h"

#if STOWAGE_WITH_ABSEIL

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace stowage {

using absl::btree_map;
using absl::btree_set;
using absl::flat_hash_map;
using absl::flat_hash_set;

}  // namespace stowage

#else

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "stowage/base/string_view.h"

namespace stowage {

// Hashes numbers, texts, vectors of numbers, and types with an AbslHashValue
// (tensor_size.h).
class KeyHash {
 public:
  size_t operator()(uint64_t key) const {
    return combine(KeyHash(), key).state_;
  }
  size_t operator()(string_view key) const {
    return std::hash<string_view>()(key);
  }
  size_t operator()(const std::vector<uint64_t>& key) const {
    KeyHash hash;
    for (const uint64_t word : key) hash = combine(hash, word);
    return hash.state_;
  }
  template <typename T, typename = decltype(AbslHashValue(
                            std::declval<KeyHash>(), std::declval<const T&>()))>
  size_t operator()(const T& key) const {
    return AbslHashValue(KeyHash(), key).state_;
  }

  // Returns the hash of the values that were hashed into `hash`, followed by
  // `values`.
  template <typename... Ts>
  static KeyHash combine(KeyHash hash, const Ts&... values) {
    (hash.Add(static_cast<uint64_t>(values)), ...);
    return hash;
  }

 private:
  // The finalizer of SplitMix64 (Steele, Lea and Flood 2014). Each bit of its
  // input affects all bits of its result.
  void Add(uint64_t value) {
    state_ += value + 0x9e3779b97f4a7c15;
    state_ = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9;
    state_ = (state_ ^ (state_ >> 27)) * 0x94d049bb133111eb;
    state_ ^= state_ >> 31;
  }

  uint64_t state_ = 0;
};

template <typename Key, typename Value>
using btree_map = std::map<Key, Value, std::less<>>;
template <typename Key>
using btree_set = std::set<Key, std::less<>>;
template <typename Key, typename Value>
using flat_hash_map = std::unordered_map<Key, Value, KeyHash>;
template <typename Key>
using flat_hash_set = std::unordered_set<Key, KeyHash>;

}  // namespace stowage

#endif  // STOWAGE_WITH_ABSEIL

#endif  // STOWAGE_SRC_BASE_CONTAINERS_H_
