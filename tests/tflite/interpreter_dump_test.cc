// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/interpreter_dump.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

constexpr char kHead[] =
    "Tensor  ID Name                      Type            AllocType          "
    "Size (Bytes/MB)    Shape      MemAddr-Offset  \n";

// Returns a dump of one subgraph whose table has the lines `lines`.
std::string DumpOf(const std::string& lines) {
  return absl::StrCat(
      "INFO: Created a delegate.\nInterpreter has 1 subgraphs.\n\n",
      "-----------Subgraph-0 has 2 tensors and 1 nodes------------\n",
      "1 Inputs: [0] -> 64B (0.00MB)\n\n", kHead, lines,
      "\nkTfLiteArenaRw Info: \nTensor 0 has the max size 64 bytes (0.000 "
      "MB).\n",
      "--------------Subgraph-0 dump has completed--------------\n");
}

TEST(ParseInterpreterDump, ReadsNamesOfAnyCharacters) {
  const absl::StatusOr<std::vector<DumpedTensor>> tensors =
      ParseInterpreterDump(
          DumpOf("Tensor   0 in [1, 2) / 3             kTfLiteFloat32  "
                 "kTfLiteArenaRw     64       / 0.00 [1,16] [128, 192)\n"
                 "Tensor   1 (nil)                     kTfLiteInt32    "
                 "kTfLiteMmapRo      8        / 0.00 [2] [0, 8)\n"
                 "Tensor   2 state                     kTfLiteInt32    "
                 "...enaRwPersistent 8        / 0.00 [2] [16, 24)\n"
                 "Tensor   3 late                      kTfLiteInt32    "
                 "kTfLiteDynamic     0        / 0.00 (null) [-1, -1)\n"),
          "dump.txt");
  ASSERT_TRUE(tensors.ok()) << tensors.status();
  ASSERT_EQ(tensors->size(), 4u);
  EXPECT_EQ((*tensors)[0].offset, absl::optional<size_t>(128));
  EXPECT_EQ((*tensors)[0].bytes, 64u);
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_EQ((*tensors)[i].tensor, i);
    EXPECT_FALSE((*tensors)[i].offset);
  }
}

TEST(ParseInterpreterDump, KnowsSubgraphs) {
  const std::string line =
      "Tensor   0 x kTfLiteInt32 kTfLiteArenaRw 4 / 0.00 [1] [0, 4)\n";
  const std::string second = absl::StrCat(
      "-----------Subgraph-1 has 1 tensors and 0 nodes-----\n", kHead, line);
  const absl::StatusOr<std::vector<DumpedTensor>> tensors =
      ParseInterpreterDump(absl::StrCat(DumpOf(line), second), "dump.txt");
  ASSERT_TRUE(tensors.ok()) << tensors.status();
  ASSERT_EQ(tensors->size(), 2u);
  EXPECT_EQ((*tensors)[0].subgraph, 0u);
  EXPECT_EQ((*tensors)[1].subgraph, 1u);
}

struct BrokenDump {
  const char* name;
  const char* line;
  const char* message;
};

TEST(ParseInterpreterDump, RefusesWhatItCannotRead) {
  const BrokenDump kCases[] = {
      {"no range", "Tensor 0 x kTfLiteInt32 kTfLiteArenaRw 4 / 0.00 [1]\n",
       "dump.txt:8: not a tensor"},
      {"no bytes", "Tensor 0 x kTfLiteArenaRw a / 0.00 [1] [0, 4)\n",
       "dump.txt:8: not a tensor"},
      {"no number", "Tensor x kTfLiteArenaRw 4 / 0.00 [1] [0, 4)\n",
       "dump.txt:8: not a tensor"},
      {"too large",
       "Tensor 0 x kTfLiteArenaRw 4 / 0.00 [1] "
       "[99999999999999999999, 4)\n",
       "dump.txt:8: not a tensor"},
      {"twice",
       "Tensor 0 x T kTfLiteArenaRw 4 / 0.00 [1] [0, 4)\n"
       "Tensor 0 x T kTfLiteArenaRw 4 / 0.00 [1] [0, 4)\n",
       "dump.txt:9: a second line for tensor 0"},
  };
  for (const BrokenDump& broken : kCases) {
    SCOPED_TRACE(broken.name);
    const auto tensors = ParseInterpreterDump(DumpOf(broken.line), "dump.txt");
    ASSERT_FALSE(tensors.ok());
    EXPECT_THAT(std::string(tensors.status().message()),
                HasSubstr(broken.message));
  }
}

TEST(IsInterpreterDump, KnowsTheHeadOfTheTable) {
  EXPECT_TRUE(IsInterpreterDump(DumpOf("")));
  EXPECT_FALSE(IsInterpreterDump("id,offset\n0,0\n"));
}

}  // namespace
}  // namespace stowage
