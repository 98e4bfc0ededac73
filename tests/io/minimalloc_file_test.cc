// SPDX-License-Identifier: Apache-2.0
// Tests that files are read as MiniMalloc reads them, and that written plans
// are safe by MiniMalloc's own rule. This test implements the rule
// independently, by visiting the buffers in the order of time.
#include "stowage/io/minimalloc_file.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/usage_record.h"
#include "tests/support/status_matchers.h"

namespace stowage::minimalloc_file_test {
namespace {

using support::IsOk;
using ::testing::ElementsAre;

struct ReadCase {
  const char* name;
  const char* csv;
  std::vector<ByteRecord> records;
};

class MinimallocReadTest : public ::testing::TestWithParam<ReadCase> {};

TEST_P(MinimallocReadTest, HasTheRecords) {
  const auto file = ParseMinimallocCsv(GetParam().csv, "in.csv");
  ASSERT_THAT(file, IsOk());
  const std::vector<ByteRecord>& expected = GetParam().records;
  ASSERT_EQ(file->problem.records.size(), expected.size());
  for (size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(file->problem.records[k].tensor_size, expected[k].tensor_size);
    EXPECT_EQ(file->problem.records[k].first_task, expected[k].first_task);
    EXPECT_EQ(file->problem.records[k].last_task, expected[k].last_task);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, MinimallocReadTest,
    ::testing::Values(
        ReadCase{"HalfOpen", "id,lower,upper,size\na,0,2,4\n", {{4, 0, 1}}},
        ReadCase{"Inclusive", "id,start,end,size\na,0,2,4\n", {{4, 0, 2}}},
        ReadCase{"OrderOfColumns",
                 "size,upper,begin,buffer_id\n4,2,0,a\n",
                 {{4, 0, 1}}},
        ReadCase{"NegativeTasks",
                 "id,lower,upper,size\na,-7,-4,4\nb,-5,3,8\n",
                 {{4, 0, 2}, {8, 2, 9}}},
        ReadCase{"AllTasks",
                 "id,lower,upper,size\n"
                 "a,-9223372036854775808,9223372036854775807,4\n",
                 {{4, 0, std::numeric_limits<size_t>::max() - 1}}},
        ReadCase{"BlankLineEnds",
                 "id,lower,upper,size\na,0,2,4\n\nnot read\n",
                 {{4, 0, 1}}},
        ReadCase{"CarriageReturns",
                 "id,lower,upper,size\r\na,0,2,4\r\n\r\nnot read",
                 {{4, 0, 1}}},
        ReadCase{"NoLineEnd", "id,lower,upper,size\na,0,2,4", {{4, 0, 1}}},
        ReadCase{"IdsRepeat",
                 "id,lower,upper,size\na,0,2,4\na,0,1,5\n",
                 {{4, 0, 1}, {5, 0, 0}}},
        ReadCase{"UnknownColumns",
                 "id,x,lower,upper,size,hint\na,,0,2,4,-1\n",
                 {{4, 0, 1}}},
        ReadCase{"NoRows", "id,lower,upper,size\n", {}},
        ReadCase{"Gap",
                 "id,lower,upper,size,gaps\na,-1,9,4,3-5\n",
                 {{4, 0, 3}, {4, 6, 9}}},
        // The buffer keeps its size of 8 bytes, although it holds only bytes 2
        // to 5: records of 0 bytes mark its ends.
        ReadCase{"GapWithBytes",
                 "id,lower,end,size,gaps\na,0,9,8,0-9@2:6\n",
                 {{4, 0, 9}, {0, 0, 0}, {0, 0, 0}}}),
    [](const auto& test) { return test.param.name; });

struct BadCase {
  const char* name;
  const char* csv;
  const char* message;
};

class MinimallocBadTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(MinimallocBadTest, IsRefused) {
  const auto file = ParseMinimallocCsv(GetParam().csv, "in.csv");
  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(file.status().message(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, MinimallocBadTest,
    ::testing::Values(
        BadCase{"Empty", "",
                "in.csv:1: no header; expected the columns id, lower, upper "
                "and size"},
        BadCase{"NoSize", "id,lower,upper\n",
                "in.csv:1: no column size; expected it"},
        BadCase{"Repeats", "id,lower,upper,size,id\n",
                "in.csv:1: column \"id\" repeats; expected it once"},
        BadCase{"TwoNames", "id,lower,upper,size,start\n",
                "in.csv:1: column \"start\" is another name of \"lower\"; "
                "expected one of them"},
        BadCase{"Short", "id,lower,upper,size\na,0,2\n",
                "in.csv:2: 3 fields; expected 4 as in the header"},
        BadCase{"NotANumber", "id,lower,upper,size\na,0,2,four\n",
                "in.csv:2: size is \"four\"; expected a whole number from "
                "-2^63 to 2^63 - 1"},
        BadCase{"TooLarge", "id,lower,upper,size\na,0,2,9223372036854775808\n",
                "in.csv:2: size is \"9223372036854775808\"; expected a whole "
                "number from -2^63 to 2^63 - 1"},
        BadCase{"NegativeSize", "id,lower,upper,size\na,0,2,4\nb,0,2,-4\n",
                "in.csv:3: size is -4; expected at least 0"},
        BadCase{"NoTask", "id,start,upper,size\na,2,2,4\n",
                "in.csv:2: upper is 2; expected more than start, which is 2"},
        BadCase{"NoTaskInclusive", "id,start,end,size\na,2,1,4\n",
                "in.csv:2: end is 1; expected at least start, which is 2"},
        BadCase{"Alignment0", "id,lower,upper,size,alignment\na,0,2,4,0\n",
                "in.csv:2: alignment is 0; expected a power of two"},
        BadCase{"Alignment3", "id,lower,upper,size,alignment\na,0,2,4,3\n",
                "in.csv:2: alignment is 3; expected a power of two"},
        BadCase{"Offset", "id,lower,upper,size,offset\na,0,2,4,-1\n",
                "in.csv:2: offset is -1; expected at least 0"},
        BadCase{"GapOutside",
                "id,lower,upper,size,gaps\na,-1,4,4,\nb,1,4,4,0-2\n",
                "in.csv:3: gap \"0-2\" is outside the lifetime of its buffer; "
                "expected tasks of its interval"},
        BadCase{"HugeGap",
                "id,lower,upper,size,gaps\n"
                "a,-1,4,4,18446744073709551614-18446744073709551615\n",
                "in.csv:2: gap \"18446744073709551614-18446744073709551615\" "
                "is outside the lifetime of its buffer; expected tasks of its "
                "interval"}),
    [](const auto& test) { return test.param.name; });

TEST(MinimallocFile, WritesTheColumnsOfTheInputAndTheOffsetLast) {
  const auto file = ParseMinimallocCsv(
      "offset,id,upper,note,lower,size\n7,b, 3,x y,-1,4\n0,a,4,,1,7\n",
      "in.csv");
  ASSERT_THAT(file, IsOk());
  EXPECT_THAT(file->problem.fixed_offsets, ElementsAre(7, 0));
  EXPECT_EQ(FormatMinimallocPlan(*file, {{7, 0}, 11}),
            "id,upper,note,lower,size,offset\n"
            "b, 3,x y,-1,4,7\n"
            "a,4,,1,7,0\n");
}

// A buffer of a random file.
struct Buffer {
  int64_t lower = 0;
  int64_t upper = 0;
  size_t size = 0;
  size_t alignment = 1;
  int64_t gap_lower = 0;  // no gap if it is not below gap_upper
  int64_t gap_upper = 0;
  size_t kept_begin = 0;  // the bytes that are kept in the gap
  size_t kept_end = 0;
};

rc::Gen<std::vector<Buffer>> AnyBuffers() {
  const rc::Gen<Buffer> one = rc::gen::exec([] {
    Buffer buffer;
    buffer.lower = *rc::gen::inRange<int64_t>(-4, 12);
    const auto length = *rc::gen::inRange<int64_t>(1, 10);
    buffer.upper = buffer.lower + length;
    buffer.size = *rc::gen::inRange<size_t>(0, 40);
    buffer.alignment = size_t{1} << *rc::gen::inRange(0, 5);
    const bool has_gap = *rc::gen::arbitrary<bool>() && length > 2;
    if (!has_gap || buffer.lower < 0) return buffer;
    buffer.gap_lower = *rc::gen::inRange(buffer.lower, buffer.upper - 1);
    buffer.gap_upper = buffer.gap_lower + 1;
    if (buffer.size > 0 && *rc::gen::arbitrary<bool>()) {
      buffer.kept_begin = *rc::gen::inRange<size_t>(0, buffer.size);
      buffer.kept_end =
          *rc::gen::inRange<size_t>(buffer.kept_begin, buffer.size) + 1;
    }
    return buffer;
  });
  return rc::gen::container<std::vector<Buffer>>(one);
}

std::string CsvOf(const std::vector<Buffer>& buffers, bool is_inclusive) {
  std::string csv = absl::StrCat("id,lower,", is_inclusive ? "end" : "upper",
                                 ",size,alignment,gaps\n");
  const int64_t less = is_inclusive ? 1 : 0;
  for (const Buffer& buffer : buffers) {
    absl::StrAppend(&csv, "b,", buffer.lower, ",", buffer.upper - less, ",",
                    buffer.size, ",", buffer.alignment, ",");
    if (buffer.gap_lower < buffer.gap_upper) {
      absl::StrAppend(&csv, buffer.gap_lower, "-", buffer.gap_upper - less);
      if (buffer.kept_end > 0) {
        absl::StrAppend(&csv, "@", buffer.kept_begin, ":", buffer.kept_end);
      }
    }
    absl::StrAppend(&csv, "\n");
  }
  return csv;
}

// Returns whether the buffer at `offset` holds `byte` at `task`.
bool Holds(const Buffer& buffer, size_t offset, int64_t task, size_t byte) {
  if (task < buffer.lower || task >= buffer.upper) return false;
  const bool in_gap = task >= buffer.gap_lower && task < buffer.gap_upper;
  const size_t begin = in_gap ? buffer.kept_begin : 0;
  const size_t end = in_gap ? buffer.kept_end : buffer.size;
  return byte >= offset + begin && byte < offset + end;
}

// Checks the plan byte by byte.
void CheckPlan(const std::vector<Buffer>& buffers,
               const std::vector<size_t>& offsets, size_t total) {
  for (size_t k = 0; k < buffers.size(); ++k) {
    RC_ASSERT(offsets[k] % buffers[k].alignment == 0u);
    RC_ASSERT(offsets[k] + buffers[k].size <= total);
  }
  for (int64_t task = -4; task < 24; ++task) {
    for (size_t byte = 0; byte < total; ++byte) {
      size_t holders = 0;
      for (size_t k = 0; k < buffers.size(); ++k) {
        holders += Holds(buffers[k], offsets[k], task, byte) ? 1u : 0u;
      }
      RC_ASSERT(holders <= 1u);
    }
  }
}

RC_GTEST_PROP(MinimallocFileProperty, PlansThatAreWrittenAreSafe, ()) {
  const std::vector<Buffer> buffers = *AnyBuffers();
  const std::string csv = CsvOf(buffers, *rc::gen::arbitrary<bool>());
  const auto file = ParseMinimallocCsv(csv, "in.csv");
  RC_ASSERT(file.ok());
  const auto problem = Problem::Create(file->problem);
  RC_ASSERT(problem.ok());
  const auto solution = Solve(*problem, "skyline");
  RC_ASSERT(solution.ok());
  const OffsetsAssignment& plan = *solution->offsets();
  const std::vector<std::string> lines =
      absl::StrSplit(FormatMinimallocPlan(*file, plan), '\n');
  const std::vector<std::string> rows = absl::StrSplit(csv, '\n');
  RC_ASSERT(lines.size() == rows.size());
  std::vector<size_t> offsets;
  for (size_t k = 0; k < buffers.size(); ++k) {
    RC_ASSERT(lines[k + 1].rfind(rows[k + 1] + ",", 0) == 0u);
    offsets.push_back(std::stoull(lines[k + 1].substr(rows[k + 1].size() + 1)));
  }
  CheckPlan(buffers, offsets, plan.total_size);
}

}  // namespace
}  // namespace stowage::minimalloc_file_test
