// SPDX-License-Identifier: Apache-2.0
// Tests the seed inputs for fuzzing of recordings. There is an input for each
// format, and each input has the format after which it is named.
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/io/input_file.h"
#include "stowage/io/problem_file.h"
#include "stowage/recordings/recording.h"
#include "tests/support/real_data.h"

namespace stowage {
namespace {

constexpr char kRecordingSeeds[] = STOWAGE_SOURCE_DIR "/fuzz/seeds/recordings";

// Returns the names of the formats that recognize the file.
std::set<std::string> FormatsOfSeed(const std::string& path) {
  const auto file = InputFile::Open(path);
  EXPECT_TRUE(file.ok()) << file.status();
  if (!file.ok()) return {};
  const auto bytes = (*file)->Contents();
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  if (!bytes.ok()) return {};
  std::set<std::string> names;
  for (const FileFormat& format : RecordingFileFormats()) {
    if (format.detect(*bytes, "fuzz")) {
      names.insert(format.name);
    }
  }
  return names;
}

TEST(RecordingsSeedTest, EachIsOfTheFormatItsNameBeginsWith) {
  std::set<std::string> seen;
  for (const std::string& path : support::FilesIn(kRecordingSeeds, "")) {
    const std::string file = path.substr(path.rfind('/') + 1);
    const std::string format = file.substr(0, file.find('_'));
    EXPECT_THAT(FormatsOfSeed(path), testing::ElementsAre(format)) << file;
    seen.insert(format);
  }
  std::set<std::string> all;
  for (const RecordingFormatInfo& info : RecordingFormats()) {
    all.insert(std::string(info.name));
  }
  EXPECT_EQ(seen, all);
}

}  // namespace
}  // namespace stowage
