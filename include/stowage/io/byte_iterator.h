// SPDX-License-Identifier: Apache-2.0
// Defines an input iterator over bytes that are read in pieces, for parsers
// that require iterators. To read the bytes themselves, use byte_source.h.
//
//   Json::sax_parse(ByteIterator<Stream>(&stream), ByteIterator<Stream>(), ...)
#ifndef STOWAGE_IO_BYTE_ITERATOR_H_
#define STOWAGE_IO_BYTE_ITERATOR_H_

#include <cstddef>
#include <iterator>

namespace stowage {

// Iterates over the bytes of a stream. `Stream` must have the functions
// Current, Advance and AtEnd. An iterator without a stream is the end iterator.
template <typename Stream>
class ByteIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  ByteIterator() = default;
  // Iterates over `stream`. Copies of the iterator read the same stream, which
  // must outlive all of them.
  explicit ByteIterator(Stream* stream) : stream_(stream) {}

  char operator*() const { return stream_->Current(); }
  ByteIterator& operator++() {
    stream_->Advance();
    return *this;
  }
  friend bool operator==(const ByteIterator& a, const ByteIterator& b) {
    return a.AtEnd() == b.AtEnd();
  }
  friend bool operator!=(const ByteIterator& a, const ByteIterator& b) {
    return !(a == b);
  }

 private:
  bool AtEnd() const { return stream_ == nullptr || stream_->AtEnd(); }

  Stream* stream_ = nullptr;
};

}  // namespace stowage

#endif  // STOWAGE_IO_BYTE_ITERATOR_H_
