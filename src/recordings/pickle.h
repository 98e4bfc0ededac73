// SPDX-License-Identifier: Apache-2.0
// Reads pickles (files of Python's module `pickle`) that hold plain data. A
// pickle is a program for a stack machine, and some opcodes import and call
// functions. This reader does not execute such opcodes: of protocols 2 to 5, it
// knows only the opcodes for dictionaries, lists, tuples, texts, bytes,
// numbers, booleans and None. It refuses every other opcode, with its name in
// the message. The opcodes are described in Lib/pickletools.py of
// github.com/python/cpython.
//
//   const StatusOr<Pickle> pickle =
//       Pickle::Read(bytes, "snapshot.pickle", {"device_traces"});
//   if (!pickle.ok()) return pickle.status();
//   const optional<PickleValue> traces =
//       pickle->Find(pickle->root(), "device_traces");
//
// Texts and large numbers stay in the bytes of the file. A value takes eight
// bytes of memory, and values that the file shares are also shared in memory.
// The reader never recurses, so a value may contain itself. A caller must
// therefore descend no further than the data that it expects.
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

// A value of a pickle. Lists and dictionaries are references: all copies of the
// value see the same items.
class PickleValue {
 public:
  constexpr PickleValue() = default;
  constexpr PickleValue(PickleKind kind, uint64_t payload)
      : bits_(payload << 8 | static_cast<uint64_t>(kind)) {}

  PickleKind kind() const { return static_cast<PickleKind>(bits_ & 0xFF); }
  // Identifies a list or a dictionary among all lists and dictionaries of its
  // pickle. The numbers count from 0.
  uint64_t payload() const { return bits_ >> 8; }

 private:
  uint64_t bits_ = 0;
};

class Pickle {
 public:
  // Runs the pickle at the start of `bytes`, which must outlive the result.
  // `name` stands for the file in messages. A dictionary keeps only the entries
  // whose key is one of the texts `keys`. The items of a list are not kept if
  // the list is the value of any other key (IsWhole). The items of tuples are
  // never kept. Errors: InvalidArgument, with the position of the byte, for
  // bytes that are not a pickle and for opcodes other than those of plain data;
  // ResourceExhausted if the values take more memory than MemoryLimit.
  static StatusOr<Pickle> Read(string_view bytes, const std::string& name,
                               Span<const string_view> keys);

  // Returns how many bytes of memory the values of a file of this size may
  // take. The values of a snapshot of PyTorch take about half the size of the
  // file, or twice the size if the file has no stack traces.
  static size_t MemoryLimit(size_t file_bytes);

  PickleValue root() const { return root_; }
  // Returns the number of bytes up to the end of the pickle.
  size_t size() const { return size_; }
  // Returns the number of lists and dictionaries.
  size_t containers() const { return containers_.size(); }

  // Returns the value as a number. Returns nothing unless the value is a number
  // from 0 to 2^64 - 1.
  optional<uint64_t> Unsigned(PickleValue value) const;
  // Returns a text in UTF-8 (not checked). Returns nothing for any other value.
  optional<string_view> Text(PickleValue value) const;
  // Returns whether the items of a list were kept. Returns false for any other
  // value.
  bool IsWhole(PickleValue list) const;
  // Returns the items of a list that is whole.
  std::vector<PickleValue> Items(PickleValue list) const;
  // Returns the value of the entry with this key, which must be one of the keys
  // that are kept. Returns nothing if there is no such entry, or if `dict` is
  // not a dictionary.
  optional<PickleValue> Find(PickleValue dict, string_view key) const;

 private:
  friend class PickleMachine;

  // A list or a dictionary. Its items are in chunks of items_. A chunk begins
  // with a word that has the number of its values and the position of the next
  // chunk. The values follow this word. In a dictionary, keys and their values
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
  // Unlike vectors, deques do not take twice the memory while they grow.
  std::deque<Container> containers_;
  std::deque<Word> items_ = {Word()};  // no chunk is at 0
};

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_PICKLE_H_
