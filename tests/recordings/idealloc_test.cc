// SPDX-License-Identifier: Apache-2.0
// Tests the reader of idealloc's job files. These files also serve as the
// example for properties of all formats: compression, parts and errors.
#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/recordings/recording.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Rows(const std::vector<uint64_t>& numbers) {
  std::string bytes;
  for (const uint64_t number : numbers) {
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(number >> shift & 0xFF);
    }
  }
  return bytes;
}

std::string Gzip(const std::string& bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(bytes.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(&packed[0]);
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

const std::string kTwoJobs =
    Rows({7, 0, 3, 64, 0, 0, 16, 60, 9, 2, 5, 32, 0, 0, 0, 32});

TEST(IdeallocTest, EachRowIsARecord) {
  const auto recording = ParseRecording(kTwoJobs, "jobs.plc");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->format, "idealloc");
  ASSERT_EQ(recording->parts.size(), 1U);
  const ProblemSpec& problem = recording->parts[0].file.problem;
  EXPECT_THAT(problem.names, ElementsAre("7", "9"));
  EXPECT_THAT(problem.alignments, ElementsAre(16, 1));
  ASSERT_EQ(problem.records.size(), 2U);
  EXPECT_EQ(problem.records[1].tensor_size, 32U);
  EXPECT_EQ(problem.records[1].first_task, 2U);
  EXPECT_EQ(problem.records[1].last_task, 4U);
}

TEST(IdeallocTest, SizesAreRoundedUp) {
  RecordingOptions options;
  options.tensor_alignment = 64;
  const auto recording = ParseRecording(kTwoJobs, "jobs.plc", options);
  ASSERT_TRUE(recording.ok()) << recording.status();
  const auto& records = recording->parts[0].file.problem.records;
  EXPECT_EQ(records[0].tensor_size, 64U);
  EXPECT_EQ(records[1].tensor_size, 64U);
}

TEST(IdeallocTest, RoundedSizesMustFitIn64Bits) {
  RecordingOptions options;
  options.tensor_alignment = 4096;
  const auto recording = ParseRecording(
      Rows({7, 0, 3, UINT64_MAX - 9, 0, 0, 0, 0}), "jobs.plc", options);
  EXPECT_EQ(recording.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(recording.status().message(),
              HasSubstr("id '7': has 18446744073709551606 bytes, of which 64 "
                        "bits cannot count the next multiple of 4096"));
}

TEST(IdeallocTest, FilesMayBeCompressed) {
  const auto plain = ParseRecording(kTwoJobs, "jobs.plc");
  const auto packed = ParseRecording(Gzip(kTwoJobs), "jobs.plc");
  ASSERT_TRUE(packed.ok()) << packed.status();
  EXPECT_EQ(packed->parts[0].file.problem.names,
            plain->parts[0].file.problem.names);
  const std::string cut = Gzip(kTwoJobs).substr(0, 30);
  const auto damaged = ParseRecording(cut, "jobs.plc");
  EXPECT_THAT(damaged.status().message(), HasSubstr("cannot be unpacked"));
}

TEST(IdeallocTest, AGzipFileConsistsOfWholeMembers) {
  const std::string member = Gzip(kTwoJobs);
  const struct {
    std::string name;
    std::string after;
    bool is_read;
  } kCases[] = {
      {"padded to a whole block", std::string(300, '\0'), true},
      {"cut within the next mark", member.substr(0, 1), false},
      {"cut within the next header", member.substr(0, 4), false},
      {"cut within the next data", member.substr(0, 30), false},
      {"followed by other bytes", "end", false},
  };
  for (const auto& [name, after, is_read] : kCases) {
    const auto recording = ParseRecording(member + after, "jobs.plc");
    EXPECT_EQ(recording.ok(), is_read) << name << ": " << recording.status();
    if (is_read) continue;
    EXPECT_THAT(recording.status().message(), HasSubstr("cannot be unpacked"));
  }
}

// Returns a zstd frame whose only block is uncompressed.
std::string ZstdFrame(const std::string& bytes) {
  const auto size = static_cast<char>(bytes.size());
  return std::string("\x28\xB5\x2F\xFD\x20") + size +
         static_cast<char>((bytes.size() << 3 & 0xFF) | 1) +
         static_cast<char>(bytes.size() >> 5) + '\0' + bytes;
}

TEST(IdeallocTest, FilesMayBeCompressedByZstd) {
  // pzstd starts its files with a frame that readers must skip.
  const std::string skipped("\x50\x2A\x4D\x18\x04\0\0\0size", 12);
  for (const std::string& packed :
       {ZstdFrame(kTwoJobs), skipped + ZstdFrame(kTwoJobs)}) {
    const auto recording = ParseRecording(packed, "jobs.plc");
    ASSERT_TRUE(recording.ok()) << recording.status();
    EXPECT_EQ(recording->parts[0].file.problem.records.size(), 2U);
  }
}

// The bytes before the wrong checksum identify the format of the file, so the
// error reports the compression and not the format.
TEST(IdeallocTest, WrongChecksumsAreNoOtherFormat) {
  for (const std::string& bytes :
       {kTwoJobs, std::string("= Start\n+ 0x10 0x20\n")}) {
    std::string packed = Gzip(bytes);
    packed[packed.size() - 8] ^= '\1';
    EXPECT_THAT(ParseRecording(packed, "-").status().message(),
                HasSubstr("cannot be unpacked"));
  }
}

TEST(IdeallocTest, FilesAreRecognizedByTheirFirstRow) {
  for (const std::string& bytes : {kTwoJobs, Gzip(kTwoJobs)}) {
    const auto recording = ParseRecording(bytes, "-");
    ASSERT_TRUE(recording.ok()) << recording.status();
    EXPECT_EQ(recording->format, "idealloc");
  }
  // Other files that begin with zeros are not mistaken for files of idealloc.
  const std::string other_files[] = {
      std::string(64, '\0'),             // lifetimes are empty
      Rows({1, 0, 3, 64, 0, 0, 3, 60}),  // not a power of two
      Rows({1, uint64_t{1} << 50, uint64_t{1} << 51, 64, 0, 0, 16, 60}),
      kTwoJobs.substr(0, 63),
  };
  for (const std::string& bytes : other_files) {
    EXPECT_THAT(ParseRecording(bytes, "-").status().message(),
                HasSubstr("not in a known format of recordings"));
  }
}

TEST(IdeallocTest, SmallFilesMustNotTakeMuchMemory) {
  constexpr size_t kMost = size_t{1} << 25;
  std::string log = "= Start\n";
  while (log.size() <= kMost) log += "+ 0x10 0x10\n- 0x10\n";
  const std::string bombs[] = {std::string(kMost + 64, '\0'), log};
  for (const std::string& bomb : bombs) {
    const auto recording =
        ParseRecording(Gzip(bomb), bomb[0] == '\0' ? "jobs.plc" : "run.mtrace");
    EXPECT_THAT(recording.status().message(),
                HasSubstr("unpacks to more than 33554432 bytes"));
  }
}

struct BadJobsCase {
  const char* name;
  std::string bytes;
  const char* error;
};

class BadJobsTest : public testing::TestWithParam<BadJobsCase> {};

TEST_P(BadJobsTest, IsRefused) {
  const auto recording = ParseRecording(GetParam().bytes, "jobs.plc");
  EXPECT_EQ(recording.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(recording.status().message(), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadJobsTest,
    testing::Values(
        BadJobsCase{"Empty", "",
                    "has 0 bytes; expected rows of 64 bytes: the id, the "},
        BadJobsCase{"EndsInARow", kTwoJobs.substr(1),
                    "has 127 bytes; expected rows of 64"},
        BadJobsCase{"NoLifetime", Rows({7, 3, 3, 64, 0, 0, 0, 64}),
                    "row 0, id 7: lives from 3 to 3"},
        BadJobsCase{"NoBytes", Rows({7, 0, 3, 0, 0, 0, 0, 0}), "has no bytes"},
        BadJobsCase{"Alignment", Rows({7, 0, 3, 64, 0, 0, 3, 64}),
                    "has the alignment 3"},
        BadJobsCase{"TwoOfOneId",
                    Rows({7, 0, 3, 64, 0, 0, 0, 64, 7, 0, 3, 64, 0, 0, 0, 64}),
                    "row 1, id 7: is a second one"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace stowage
