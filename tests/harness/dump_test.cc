// SPDX-License-Identifier: Apache-2.0
// Tests that a dump that is written and read back is unchanged. A dump that was
// tampered with is refused, and the error names the file and the entry.
#include "stowage/harness/dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "src/harness/sha256.h"
#include "stowage/harness/run_model.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/sum_model.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace stowage::harness {
namespace {

using nlohmann::json;
using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Sha256, IsThatOfTheStandard) {
  // The expected hash is from FIPS 180-2, appendix B.1.
  EXPECT_EQ(Sha256("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

class DumpTest : public TempFolderTest {
 protected:
  DumpTest() : model_(SumModel()) {
    options_.inputs = {{"x", FloatBytes({1, 2})}, {"y", FloatBytes({3, 4})}};
    options_.dump = Path("dump");
  }

  void WriteDump() { ASSERT_THAT(RunModel(*model_, options_), IsOk()); }
  std::string Manifest() const { return Path("dump/manifest.json"); }

  // Replaces `from` by `to` in the manifest, and reads the dump.
  absl::StatusOr<std::vector<DumpedTensor>> ReadWith(const std::string& from,
                                                     const std::string& to) {
    const std::string text = Read("dump/manifest.json");
    EXPECT_THAT(text, HasSubstr(from));
    Write("dump/manifest.json", absl::StrReplaceAll(text, {{from, to}}));
    return ReadDump(options_.dump);
  }

  LoadedModel model_;
  RunOptions options_;
};

TEST_F(DumpTest, HasInputsAndOutputs) {
  WriteDump();
  const auto tensors = ReadDump(options_.dump);
  ASSERT_THAT(tensors, IsOk());
  std::vector<std::string> found;
  for (const DumpedTensor& tensor : *tensors) {
    EXPECT_EQ(tensor.dtype, "float32");
    EXPECT_THAT(tensor.shape, ElementsAre(2));
    EXPECT_TRUE(tensor.has_bytes);
    EXPECT_EQ(tensor.sha256, Sha256(tensor.bytes));
    found.push_back(absl::StrCat(tensor.role, " ", tensor.invocation, " ",
                                 tensor.tensor, " ", tensor.name));
  }
  EXPECT_THAT(found,
              ElementsAre("input 0 0 x", "input 0 1 y", "output 0 2 sum"));
  EXPECT_EQ((*tensors)[2].bytes, FloatBytes({4, 6}));
}

TEST_F(DumpTest, ManifestDescribesTheRun) {
  options_.seed = 9;
  options_.plan.shadow = ShadowMode::kAll;
  WriteDump();
  json manifest = json::parse(Read("dump/manifest.json"));
  manifest.erase("tensors");
  EXPECT_EQ(manifest, (json{{"runtime", "stowage"},
                            {"model", "bytes.tflite"},
                            {"seed", 9},
                            {"invocations", 1},
                            {"shadow", "all"}}));
}

TEST_F(DumpTest, HasEveryTensorThatIsPreserved) {
  options_.plan.preserve_all_tensors = true;
  options_.invocations = 2;
  WriteDump();
  const auto tensors = ReadDump(options_.dump);
  ASSERT_THAT(tensors, IsOk());
  std::vector<std::string> roles;
  for (const DumpedTensor& tensor : *tensors) roles.push_back(tensor.role);
  const std::vector<std::string> once = {"input",        "input",
                                         "output",       "intermediate",
                                         "intermediate", "intermediate"};
  std::vector<std::string> twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(roles, twice);
}

TEST_F(DumpTest, BeginsWithoutTheOldManifest) {
  WriteDump();
  ASSERT_THAT(DumpWriter::Create(options_.dump), IsOk());
  EXPECT_FALSE(std::filesystem::exists(Manifest()));
}

TEST_F(DumpTest, CannotBeWrittenIntoAFile) {
  options_.dump = Write("file", "");
  EXPECT_THAT(
      RunModel(*model_, options_),
      FailsWith(absl::StatusCode::kFailedPrecondition,
                HasSubstr("cannot create the folder: Not a directory")));
}

TEST_F(DumpTest, ReadsTensorsOfWhichOnlyTheHashIsThere) {
  WriteDump();
  json manifest = json::parse(Read("dump/manifest.json"));
  for (json& tensor : manifest["tensors"]) tensor.erase("file");
  Write("dump/manifest.json", manifest.dump());
  const auto tensors = ReadDump(options_.dump);
  ASSERT_THAT(tensors, IsOk());
  EXPECT_FALSE((*tensors)[0].has_bytes);
  EXPECT_EQ((*tensors)[0].sha256, Sha256(FloatBytes({1, 2})));
}

TEST_F(DumpTest, RefusesChangedBytes) {
  WriteDump();
  Write("dump/inv0_output0.bin", FloatBytes({4, 7}));
  EXPECT_THAT(
      ReadDump(options_.dump),
      FailsWith(absl::StatusCode::kInvalidArgument,
                HasSubstr("inv0_output0.bin\": its bytes have another "
                          "hash; expected the sha256 of the manifest")));
  Write("dump/inv0_output0.bin", "abc");
  EXPECT_THAT(
      ReadDump(options_.dump),
      FailsWith(absl::StatusCode::kInvalidArgument,
                HasSubstr("inv0_output0.bin\": it has 3 bytes; expected 8,"
                          " as in the manifest")));
}

TEST_F(DumpTest, RefusesWhatIsNotAManifest) {
  EXPECT_THAT(ReadDump(options_.dump),
              FailsWith(absl::StatusCode::kNotFound, HasSubstr(Manifest())));
  WriteDump();
  for (const char* text : {"", "[", "[]", "{}", "{\"tensors\": 1}"}) {
    Write("dump/manifest.json", text);
    EXPECT_THAT(ReadDump(options_.dump),
                FailsWith(absl::StatusCode::kInvalidArgument,
                          HasSubstr("not a manifest; expected a JSON object "
                                    "with a list \"tensors\"")))
        << text;
  }
}

TEST_F(DumpTest, NamesTheEntryAtFault) {
  struct Case {
    const char* from;
    const char* to;
    const char* message;
  };
  for (const Case& c : {
           Case{"\"invocation\": 0", "\"invocation\": -1",
                "entry 0 of \"tensors\": \"invocation\" is invalid; expected a "
                "number of 0 or more"},
           Case{"\"dtype\"", "\"type\"",
                "entry 0 of \"tensors\": \"dtype\" is missing; expected a "
                "string"},
           Case{"\"tensor\": 1,", "\"tensor\": 0,",
                "entry 1 of \"tensors\": input 0 of invocation 0 is listed "
                "twice; expected each tensor once"},
           Case{"inv0_output0.bin", "../dump/inv0_output0.bin",
                "entry 2 of \"tensors\": \"file\" is invalid; expected the "
                "name of a file in the folder"},
           Case{"inv0_output0.bin", ".", "not a regular file; expected one"},
           Case{"\"dtype\"", "\"name\"",
                "not a manifest: key \"name\" twice; expected it once"},
       }) {
    WriteDump();
    EXPECT_THAT(
        ReadWith(c.from, c.to),
        FailsWith(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)));
  }
}

}  // namespace
}  // namespace stowage::harness
