// SPDX-License-Identifier: Apache-2.0
// Parses any text as the manifest of a dump. The parser must refuse the text,
// or return tensors. If these tensors are compared with those of another dump,
// differences must be found exactly where bytes differ.
//
// A later line that begins with '{' starts the manifest of a second folder,
// which is compared with the first.

#include <stdlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/kept_file.h"
#include "fuzz/two_texts.h"
#include "stowage/harness/compare_dumps.h"
#include "stowage/harness/dump.h"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;

using Verdict = TensorDifference::Verdict;
using Tensors = std::vector<DumpedTensor>;

// Provides a folder with the files that the manifests of the corpus name. The
// destructor removes the folder.
class Folder {
 public:
  Folder() : path_(Make()), manifest_(path_ + "/manifest.json") {
    Write("empty.bin", "");
    Write("zeros.bin", absl::string_view("\0\0\0\0", 4));
    Write("ones.bin", absl::string_view("\0\0\x80\x3F", 4));
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  absl::StatusOr<Tensors> Read(absl::string_view manifest) const {
    manifest_.Set(manifest);
    absl::StatusOr<Tensors> tensors = ReadDump(path_);
    Check(tensors.ok() || absl::IsInvalidArgument(tensors.status()) ||
              absl::IsNotFound(tensors.status()),
          tensors.status().ToString());
    return tensors;
  }

 private:
  static std::string Make() {
    std::string name = fs::temp_directory_path() / "stowage_manifest.XXXXXX";
    Check(mkdtemp(name.data()) != nullptr, "cannot make " + name);
    return name;
  }

  void Write(const std::string& name, absl::string_view content) const {
    std::ofstream file(path_ + "/" + name, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
  }

  std::string path_;
  KeptFile manifest_;
};

void FuzzOne(const Tensors& tensors) {
  const std::vector<TensorDifference> same = CompareDumps(tensors, tensors, 0);
  Check(same.size() == tensors.size(), "tensors are lost");
  for (const TensorDifference& difference : same) {
    Check(difference.verdict == Verdict::kEqual, "not equal to itself");
  }
}

// Checks the differences. They must begin with the tensors of the first folder,
// in their order in this folder.
void CheckBytes(const Tensors& first, const Tensors& second) {
  const auto differences = CompareDumps(first, second, 0);
  Check(differences.size() >= first.size(), "tensors are lost");
  for (size_t i = 0; i < first.size(); ++i) {
    const DumpedTensor& one = first[i];
    const auto other =
        std::find_if(second.begin(), second.end(), [&](const auto& tensor) {
          return tensor.role == one.role &&
                 tensor.invocation == one.invocation &&
                 tensor.tensor == one.tensor;
        });
    const Verdict verdict = differences[i].verdict;
    if (other == second.end()) {
      Check(verdict == Verdict::kOnlyFirst, "compared with nothing");
      continue;
    }
    const bool is_same = one.dtype == other->dtype &&
                         one.shape == other->shape &&
                         one.sha256 == other->sha256;
    Check((verdict == Verdict::kEqual) == is_same,
          is_same ? "equal tensors differ" : "what differs is equal");
  }
}

void FuzzBoth(const Tensors& first, const Tensors& second) {
  const auto forward = CompareDumps(first, second, 0.5);
  const auto back = CompareDumps(second, first, 0.5);
  Check(forward.size() == back.size(), "tensors are lost on the way");
  size_t equal = 0;
  for (const TensorDifference& difference : forward) {
    equal += difference.verdict == Verdict::kEqual ? 1 : 0;
  }
  for (const TensorDifference& difference : back) {
    equal -= difference.verdict == Verdict::kEqual ? 1 : 0;
  }
  Check(equal == 0, "equal one way only");
  CheckBytes(first, second);
}

void Fuzz(absl::string_view text) {
  static const Folder folder;
  const TwoTexts texts = SplitBeforeBrace(text);
  const absl::StatusOr<Tensors> first = folder.Read(texts.first);
  if (first.ok()) FuzzOne(*first);
  if (texts.second.empty()) return;
  const absl::StatusOr<Tensors> second = folder.Read(texts.second);
  if (first.ok() && second.ok()) FuzzBoth(*first, *second);
}

}  // namespace
}  // namespace stowage::harness

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::harness::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
