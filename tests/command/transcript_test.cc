// SPDX-License-Identifier: Apache-2.0
// Tests that commands print the output recorded in tests/command/transcripts.
//
//   # A remark.
//   $ stowage verify small.csv small.overlap.csv
//   unsafe: tensor 'b' and tensor 'c' both hold bytes [8, 10) at task 1
//   [exit 1]
//
// The commands in a file run from top to bottom, in a folder with a copy of
// tests/command/data and the models tiny.tflite, signal.tflite, open.tflite
// (which has operators without kernels), branches.tflite and residual.tflite.
// Times are masked. To record the current output, run this command and then
// review the difference:
//
//   STOWAGE_UPDATE_TRANSCRIPTS=1 build/release/tests/command/command_test
#include "tests/command/transcript.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/command/command.h"

namespace stowage::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kData[] = STOWAGE_SOURCE_DIR "/tests/command/data";
constexpr char kTranscripts[] = STOWAGE_SOURCE_DIR "/tests/command/transcripts";

std::vector<std::string> Transcripts() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(kTranscripts)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class TranscriptTest : public testing::TestWithParam<std::string> {};

TEST_P(TranscriptTest, OutputIsAsRecorded) {
  const CommandFolder folder;
  fs::copy(kData, folder.path() + "/desk", fs::copy_options::recursive);
  fs::copy(STOWAGE_TEXT_MODELS, folder.path() + "/desk");
  fs::copy(STOWAGE_SOURCE_DIR "/data/models/residual_int8.tflite",
           folder.path() + "/desk/residual.tflite");
  fs::create_symlink(STOWAGE_FAULTY_DELEGATE,
                     folder.path() + "/desk/faulty.so");
  ExpectReplay(folder, std::string(kTranscripts) + "/" + GetParam() + ".txt",
               ReplayTranscript);
}

INSTANTIATE_TEST_SUITE_P(All, TranscriptTest, testing::ValuesIn(Transcripts()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace stowage::cli
