// SPDX-License-Identifier: Apache-2.0
// Runs a fuzzer without libFuzzer, first on every input of its corpus, and then
// on mutations of these inputs. The mutations are the same on every machine.
// Use this driver in ordinary builds with sanitizers.
//
//   fuzz_trace_csv RUNS FILE_OR_FOLDER...
//
// Before each run, the driver writes the input to NAME.last in the working
// folder. It removes this file at the end. After a crash, the file still exists
// and can be run again with RUNS 0.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "fuzz/engine.h"
#include "fuzz/kept_file.h"
#include "stowage/base/random.h"

extern "C" {
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                                     size_t max_size,
                                                     unsigned int seed);
__attribute__((weak)) size_t LLVMFuzzerCustomCrossOver(
    const uint8_t* data1, size_t size1, const uint8_t* data2, size_t size2,
    uint8_t* out, size_t max_out_size, unsigned int seed);
}

namespace stowage {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

// The largest size of an input. libFuzzer has the same default for a corpus
// without larger inputs.
constexpr size_t kMaxSize = 4096;

// Returns the global random generator. It is global because LLVMFuzzerMutate
// has no parameter for a generator.
Random& Dice() {
  static Random dice(1);
  return dice;
}

Bytes ReadBytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

// Returns the files in a folder, sorted by name so that the order is the same
// on every machine.
std::vector<fs::path> FilesAt(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Driver {
 public:
  explicit Driver(const fs::path& program)
      : last_path_(program.filename().string() + ".last"), last_(last_path_) {}

  void AddInputs(const fs::path& path) {
    for (const fs::path& file : FilesAt(path)) {
      corpus_.push_back(ReadBytes(file));
    }
  }

  // Runs each input of the corpus unchanged, and then `count` mutations.
  void Run(size_t count) {
    for (const Bytes& input : corpus_) RunOne(input);
    for (size_t i = 0; i < count; ++i) RunOne(Mutation());
    fs::remove(last_path_);
    std::cout << corpus_.size() << " inputs and " << count << " mutations\n";
  }

 private:
  void RunOne(const Bytes& input) {
    last_.Set({reinterpret_cast<const char*>(input.data()), input.size()});
    // The copy has exactly the size of the input, so sanitizers detect a read
    // beyond its end.
    const Bytes exact(input);
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
  }

  const Bytes& Any() const { return corpus_[Dice().Below(corpus_.size())]; }

  // Returns one of the inputs after one to five changes. Each change is applied
  // to the result of the previous one.
  Bytes Mutation() {
    Bytes bytes = corpus_.empty() ? Bytes() : Any();
    const size_t room = std::max(kMaxSize, bytes.size());
    for (uint64_t changes = 1 + Dice().Below(5); changes > 0; --changes) {
      const auto seed = static_cast<unsigned int>(Dice().Next());
      size_t size = bytes.size();
      if (LLVMFuzzerCustomCrossOver != nullptr && !corpus_.empty() &&
          Dice().Below(8) == 0) {
        const Bytes& other = Any();
        Bytes crossed(room);
        size =
            LLVMFuzzerCustomCrossOver(bytes.data(), size, other.data(),
                                      other.size(), crossed.data(), room, seed);
        bytes = std::move(crossed);
      } else {
        bytes.resize(room);
        size = LLVMFuzzerCustomMutator != nullptr
                   ? LLVMFuzzerCustomMutator(bytes.data(), size, room, seed)
                   : LLVMFuzzerMutate(bytes.data(), size, room);
      }
      bytes.resize(size);
    }
    return bytes;
  }

  std::string last_path_;
  KeptFile last_;
  std::vector<Bytes> corpus_;
};

// Each of the following functions changes the first `size` bytes. Insert and
// Erase return the new size.

size_t Insert(uint8_t* data, size_t size, size_t max_size) {
  if (size >= max_size) return size;
  const size_t at = Dice().Below(size + 1);
  std::copy_backward(data + at, data + size, data + size + 1);
  data[at] = static_cast<uint8_t>(Dice().Next());
  return size + 1;
}

size_t Erase(uint8_t* data, size_t size) {
  const size_t at = Dice().Below(size);
  const size_t count = 1 + Dice().Below(std::min<size_t>(size - at, 16));
  std::copy(data + at + count, data + size, data + at);
  return size - count;
}

// Copies a piece of the input over another piece, so that the input repeats
// lines and fields.
void Repeat(uint8_t* data, size_t size) {
  const size_t from = Dice().Below(size);
  const size_t to = Dice().Below(size);
  const size_t count =
      1 + Dice().Below(std::min<size_t>(size - std::max(from, to), 32));
  const Bytes piece(data + from, data + from + count);
  std::copy(piece.begin(), piece.end(), data + to);
}

}  // namespace
}  // namespace stowage

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size,
                                   size_t max_size) {
  using stowage::Dice;
  if (size == 0) return stowage::Insert(data, size, max_size);
  uint8_t& byte = data[Dice().Below(size)];
  switch (Dice().Below(6)) {
    case 0:
      return stowage::Insert(data, size, max_size);
    case 1:
      return stowage::Erase(data, size);
    case 2:
      stowage::Repeat(data, size);
      return size;
    case 3:
      byte = static_cast<uint8_t>(byte ^ 1U << Dice().Below(8));
      return size;
    case 4:
      byte = static_cast<uint8_t>(byte + Dice().Below(9) - 4);
      return size;
    default:
      byte = static_cast<uint8_t>(Dice().Next());
      return size;
  }
}

int main(int argc, char** argv) {
  uint64_t runs = 0;
  if (argc < 3 || !absl::SimpleAtoi(argv[1], &runs)) {
    std::cerr << "usage: " << argv[0] << " RUNS FILE_OR_FOLDER...\n";
    return 2;
  }
  stowage::Driver driver(argv[0]);
  for (int i = 2; i < argc; ++i) driver.AddInputs(argv[i]);
  driver.Run(runs);
  return 0;
}
