// SPDX-License-Identifier: Apache-2.0
// A Span is a view of elements that an array or a vector owns. The type is
// absl::Span in a build with abseil (config.h), and a type of this library with
// the same functions otherwise. A span is valid only as long as the elements
// exist; to keep elements, use a vector. Functions take lists as a Span<const
// T>, so callers can pass a vector, an array or a list in braces without a
// copy:
//
//   size_t Sum(Span<const size_t> sizes);
//   Sum({1, 2, 3});
#ifndef STOWAGE_BASE_SPAN_H_
#define STOWAGE_BASE_SPAN_H_

#include "stowage/base/config.h"

#if STOWAGE_WITH_ABSEIL

#include "absl/types/span.h"

namespace stowage {

using absl::MakeConstSpan;
using absl::MakeSpan;
using absl::Span;

}  // namespace stowage

#else

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>

#include "stowage/base/abi_tag.h"

namespace stowage {
inline namespace STOWAGE_STD_ABI v1_std {

// Holds a pointer to the first element and the number of elements. Elements can
// be changed through a Span<T>, but not through a Span<const T>. Pass spans by
// value.
template <typename T>
class Span {
  // DataOf<C> is a valid type only if a span can view the elements of a C.
  // Otherwise, the constructors below do not take part in overload resolution.
  template <typename C>
  using DataOf = std::enable_if_t<
      std::is_convertible_v<
          std::remove_pointer_t<decltype(std::declval<C&>().data())> (*)[],
          T (*)[]> &&
      std::is_integral_v<decltype(std::declval<C&>().size())>>;

 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  using pointer = T*;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<T*>;

  static constexpr size_t npos = ~size_t{0};

  constexpr Span() = default;
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}

  template <size_t kSize>
  constexpr Span(T (&array)[kSize])  // NOLINT(google-explicit-constructor)
      : data_(array), size_(kSize) {}

  // Views a container. The conversion is implicit only if the span cannot
  // change the elements. Otherwise it is explicit, so that a caller sees that
  // the called function may change the elements.
  template <typename C, typename U = T,
            typename = std::enable_if_t<std::is_const_v<U>>,
            typename = DataOf<const C>>
  constexpr Span(const C& list)  // NOLINT(google-explicit-constructor)
      : data_(list.data()), size_(list.size()) {}
  template <typename C, typename U = T,
            typename = std::enable_if_t<!std::is_const_v<U>>,
            typename = DataOf<C>>
  constexpr explicit Span(C& list) : data_(list.data()), size_(list.size()) {}

  // Views a list in braces. The list exists until the end of the full
  // expression, so such a span can be passed to a function.
  template <typename U = T, typename = std::enable_if_t<std::is_const_v<U>>>
  constexpr Span(  // NOLINT(google-explicit-constructor)
      std::initializer_list<value_type> list)
      : Span(list.begin(), list.size()) {}

  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr size_t length() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }

  // Return an element. operator[] requires i < size(); front and back require a
  // nonempty span.
  constexpr T& operator[](size_t i) const {
    assert(i < size_);
    return data_[i];
  }
  constexpr T& front() const { return (*this)[0]; }
  constexpr T& back() const { return (*this)[size_ - 1]; }

  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr const T* cbegin() const { return data_; }
  constexpr const T* cend() const { return data_ + size_; }
  constexpr reverse_iterator rbegin() const { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const { return reverse_iterator(begin()); }

  // Returns the elements that begin at `position`, at most `count` of them.
  // Requires position <= size().
  constexpr Span subspan(size_t position, size_t count = npos) const {
    assert(position <= size_);
    return Span(data_ + position, std::min(size_ - position, count));
  }
  // Return the first or the last `count` elements. Require count <= size().
  constexpr Span first(size_t count) const {
    assert(count <= size_);
    return Span(data_, count);
  }
  constexpr Span last(size_t count) const {
    assert(count <= size_);
    return Span(data_ + (size_ - count), count);
  }
  // Remove `count` elements from the front or the back of the span. Require
  // count <= size().
  constexpr void remove_prefix(size_t count) {
    assert(count <= size_);
    data_ += count;
    size_ -= count;
  }
  constexpr void remove_suffix(size_t count) {
    assert(count <= size_);
    size_ -= count;
  }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

// Compares the elements: two spans are equal if they have the same length and
// equal elements. O(size).
template <typename T, typename U,
          typename = std::enable_if_t<
              std::is_same_v<std::remove_cv_t<T>, std::remove_cv_t<U>>>>
bool operator==(Span<T> a, Span<U> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}
template <typename T, typename U>
bool operator!=(Span<T> a, Span<U> b) {
  return !(a == b);
}
// Orders spans lexicographically. O(size).
template <typename T>
bool operator<(Span<T> a, Span<T> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

// Return a span of a container, or of `size` elements at `data`. Unlike the
// constructors, these functions deduce the type of the elements. The result of
// MakeConstSpan cannot change the elements.
template <typename C>
constexpr auto MakeSpan(C& list) {
  return Span<std::remove_pointer_t<decltype(std::data(list))>>(
      std::data(list), std::size(list));
}
template <typename T>
constexpr Span<T> MakeSpan(T* data, size_t size) {
  return Span<T>(data, size);
}
template <typename C>
constexpr auto MakeConstSpan(const C& list) {
  return Span<std::remove_pointer_t<decltype(std::data(list))>>(
      std::data(list), std::size(list));
}
template <typename T>
constexpr Span<const T> MakeConstSpan(const T* data, size_t size) {
  return Span<const T>(data, size);
}

}  // namespace v1_std
}  // namespace stowage

#endif  // STOWAGE_WITH_ABSEIL

#endif  // STOWAGE_BASE_SPAN_H_
