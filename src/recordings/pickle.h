// SPDX-License-Identifier: Apache-2.0
// Reads pickles (files of the Python module `pickle`) that contain only plain
// data. A pickle is a program for a stack machine, and some opcodes import and
// call functions. This reader does not execute such opcodes: of protocols 2 to
// 5, it supports only the opcodes for dictionaries, lists, tuples, texts,
// bytes, numbers, booleans and None. It rejects every other opcode, with an
// error that names the opcode. The opcodes are described in Lib/pickletools.py
// of github.com/python/cpython.
//
//   const StatusOr<Pickle> pickle =
//       Pickle::Read(bytes, "snapshot.pickle", {"device_traces"});
//   if (!pickle.ok()) return pickle.status();
//   const optional<PickleValue> traces =
//       pickle->Find(pickle->root(), "device_traces");
//
// Texts and large numbers stay in the bytes of the file. A value needs eight
// bytes of memory, and values that are shared in the file are also shared in
// memory. The reader does not recurse, so it accepts values that contain
// themselves. Callers must therefore descend no deeper than the data they
// expect.
#ifndef STOWAGE_SRC_RECORDINGS_PICKLE_H_
#define STOWAGE_SRC_RECORDINGS_PICKLE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {

enum class PickleKind : uint8_t {
  kUnset,  // no value; only the memo of a pickle has such entries
  kNone,
  kBool,
  kInt,
  kFloat,
  kText,
  kBytes,
  kTuple,
  kList,
  kDict,
};

// A value of a pickle. Lists and dictionaries are references: all copies of
// such a value refer to the same items.
class PickleValue {
 public:
  constexpr PickleValue() = default;
  constexpr PickleValue(PickleKind kind, uint64_t payload)
      : bits_(payload << 8 | static_cast<uint64_t>(kind)) {}

  PickleKind kind() const { return static_cast<PickleKind>(bits_ & 0xFF); }
  // For a list or a dictionary, returns its number among all lists and
  // dictionaries of the pickle, counted from 0.
  uint64_t payload() const { return bits_ >> 8; }

 private:
  uint64_t bits_ = 0;
};

class Pickle {
 public:
  // Executes the pickle at the beginning of `bytes`, which must outlive the
  // result. `name` is the name of the file in messages. For dictionaries, keeps
  // only the entries with one of the texts `keys` as the key. Does not keep the
  // items of lists that are values of other keys (IsWhole), nor the items of
  // tuples. Errors: InvalidArgument, with the position of the byte, for bytes
  // that are not a pickle and for opcodes other than those of plain data;
  // ResourceExhausted if the values need more memory than MemoryLimit.
  static StatusOr<Pickle> Read(string_view bytes, const std::string& name,
                               Span<const string_view> keys);

  // Returns the maximum number of bytes of memory that the values of a file of
  // this size may occupy. The values of a PyTorch snapshot occupy about half
  // the size of the file, or up to five times the size if the file has neither
  // stack traces nor times.
  static size_t MemoryLimit(size_t file_bytes);

  PickleValue root() const { return root_; }
  // Returns the number of bytes of the pickle, which may be fewer than those of
  // the file.
  size_t size() const { return size_; }
  // Returns the number of lists and dictionaries.
  size_t containers() const { return containers_.size(); }

  // Returns the value of a number from 0 to 2^64 - 1, or nothing for any other
  // value.
  optional<uint64_t> Unsigned(PickleValue value) const;
  // Returns a text, which should be UTF-8 but is not checked, or nothing for
  // any other value.
  optional<string_view> Text(PickleValue value) const;
  // Returns whether the items of a list have been kept. Returns false for any
  // other value.
  bool IsWhole(PickleValue list) const;
  // Returns the items of a list for which IsWhole() returns true.
  std::vector<PickleValue> Items(PickleValue list) const;
  // Returns the value of the entry with the given key, which must be one of the
  // keys passed to Read. Returns nothing if there is no such entry, or if
  // `dict` is not a dictionary.
  optional<PickleValue> Find(PickleValue dict, string_view key) const;

 private:
  friend class PickleMachine;

  // A list or a dictionary. Its items are stored in chunks of items_. The first
  // word of a chunk has the number of its values and the position of the next
  // chunk; the values follow this word. In a dictionary, keys and their values
  // alternate.
  struct Container {
    uint32_t first = 0;  // the first chunk, or 0
    uint32_t last = 0;   // the last chunk, or 0
    bool is_whole = true;
  };
  struct Chunk {
    uint32_t count = 0;
    uint32_t next = 0;  // the next chunk, or 0
  };
  union Word {
    Word() : chunk() {}
    explicit Word(Chunk c) : chunk(c) {}
    explicit Word(PickleValue v) : value(v) {}
    Chunk chunk;
    PickleValue value;
  };

  Pickle(string_view bytes, std::vector<string_view> keys)
      : bytes_(bytes), keys_(std::move(keys)) {}

  // Calls `visit` for each item of a container.
  template <typename Visit>
  void ForEach(PickleValue container, Visit visit) const;

  string_view bytes_;
  std::vector<string_view> keys_;
  PickleValue root_;
  size_t size_ = 0;
  // Deques rather than vectors, because a vector needs additional memory for a
  // copy of its elements while it grows.
  std::deque<Container> containers_;
  std::deque<Word> items_ = {Word()};  // no chunk is at 0
};

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_PICKLE_H_
