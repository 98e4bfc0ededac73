// SPDX-License-Identifier: Apache-2.0
// Tests the rules that turn events into records.
#include "stowage/recordings/event_log.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Returns the row of a record, as in a problem file.
std::string Row(const TensorUsageRecord<size_t>& record) {
  return std::to_string(record.first_task) + "," +
         std::to_string(record.last_task + 1) + "," +
         std::to_string(record.tensor_size);
}

struct EventRulesCase {
  const char* name;
  std::function<void(EventLog*)> fill;
  EventRules rules;
  std::vector<std::string> rows;  // lower,upper,size
};

class EventRulesTest : public testing::TestWithParam<EventRulesCase> {};

TEST_P(EventRulesTest, GivesRecords) {
  EventLog log;
  GetParam().fill(&log);
  std::vector<std::string> rows;
  for (const auto& record : log.ToProblem(GetParam().rules).problem.records) {
    rows.push_back(Row(record));
  }
  EXPECT_EQ(rows, GetParam().rows);
}

void AllocAndFree(EventLog* log) {
  log->Alloc(0, 0x10, {64});
  log->Alloc(1, 0x20, {32});
  log->Free(2, 0x10);
  log->Alloc(3, 0x10, {16});
  log->Free(4, 0x10);
}

void FreeLater(EventLog* log) {
  log->Alloc(0, 0x10, {64});
  log->RequestFree(1, 0x10);
  log->Free(3, 0x10);
}

void FreeUnknown(EventLog* log) {
  log->Free(2, 0x30, {8});
  log->Free(3, 0x40);
}

void UseTwice(EventLog* log) {
  log->Alloc(0, 0x10, {64});
  log->Use(2, 0x10);
  log->Use(3, 0x10);
  log->Free(9, 0x10);
}

// Adds three blocks. The second block is used, and its free is requested before
// the block is freed.
void OneOfThree(EventLog* log) {
  log->Alloc(0, 0x10, {64});
  log->Alloc(1, 0x20, {32});
  log->Alloc(2, 0x30, {16});
  log->Use(3, 0x20);
  log->RequestFree(5, 0x20);
  log->Free(7, 0x20);
}

std::vector<EventRulesCase> EventRulesCases() {
  EventRules leave_after;
  leave_after.alive_after = AliveRule::kLeave;
  EventRules leave_before;
  leave_before.alive_before = AliveRule::kLeave;
  EventRules requested;
  requested.frees = FreeRule::kRequested;
  EventRules touches;
  touches.uses = UseRule::kTouches;
  return {
      {"Nothing", [](EventLog*) {}, {}, {}},
      {"LiveAtTheEnd", AllocAndFree, {}, {"0,2,64", "1,5,32", "3,4,16"}},
      {"LiveAtTheEndLeftOut", AllocAndFree, leave_after, {"0,2,64", "3,4,16"}},
      {"FreeCompleted", FreeLater, {}, {"0,3,64"}},
      {"FreeRequested", FreeLater, requested, {"0,1,64"}},
      {"LiveBefore", FreeUnknown, {}, {"0,2,8"}},
      {"LiveBeforeLeftOut", FreeUnknown, leave_before, {}},
      {"LiveBeforeAndFreedFirst",
       [](EventLog* log) {
         log->Free(0, 0x30, {8});
         log->Alloc(1, 0x30, {16});
         log->Free(2, 0x30);
       },
       {},
       {"0,1,8", "1,2,16"}},
      {"Allocation", UseTwice, {}, {"0,9,64"}},
      {"Touches", UseTwice, touches, {"2,4,64"}},
      {"OneRequestOfThree",
       OneOfThree,
       requested,
       {"0,8,64", "1,5,32", "2,8,16"}},
      {"OneUseOfThree", OneOfThree, touches, {"0,8,64", "3,4,32", "2,8,16"}},
      {"NoBytes", [](EventLog* log) { log->Alloc(0, 0x10, {0}); }, {}, {}},
      {"MissingFree",
       [](EventLog* log) {
         log->Alloc(0, 0x10, {64});
         log->Alloc(4, 0x10, {32});
       },
       {},
       {"0,4,64", "4,5,32"}},
      {"GivenEnd",
       [](EventLog* log) {
         log->Alloc(0, 0x10, {64});
         log->SetEnd(100);
       },
       {},
       {"0,100,64"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Cases, EventRulesTest,
                         testing::ValuesIn(EventRulesCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

TEST(EventLogTest, SizesAreRoundedUp) {
  EventLog log;
  log.Alloc(0, 0x10, {1});
  log.Alloc(1, 0x20, {512});
  const ProblemFile file = log.ToProblem({}, /*tensor_alignment=*/512);
  EXPECT_EQ(file.problem.records[0].tensor_size, 512U);
  EXPECT_EQ(file.problem.records[1].tensor_size, 512U);
}

TEST(EventLogTest, AlignmentsAndNamesAreKeptWhereThereAreSome) {
  EventLog plain;
  plain.Alloc(0, 0x10, {8});
  EXPECT_THAT(plain.ToProblem({}).problem.alignments, IsEmpty());
  EXPECT_THAT(plain.ToProblem({}).problem.labels.tensors, IsEmpty());
  EventLog log;
  log.Alloc(0, 0x10, {8, 64, "weights"});
  log.Alloc(1, 0x20, {8});
  const ProblemFile file = log.ToProblem({});
  EXPECT_THAT(file.problem.alignments, ElementsAre(64, 1));
  EXPECT_EQ(file.problem.labels.tensors[0].name, "weights");
  EXPECT_EQ(file.problem.labels.tensors[1].name, "");
  plain.Alloc(1, 0x20, {8, 32});
  EXPECT_THAT(plain.ToProblem({}).problem.alignments, ElementsAre(1, 32));
}

TEST(EventLogTest, TheNoteSaysWhatIsNotInTheLog) {
  EventLog log;
  log.Free(0, 0x30, {8});
  log.Free(1, 0x40);
  log.Alloc(2, 0x50, {16});
  log.Alloc(3, 0x50, {16});
  const std::string note = log.ToProblem({}).note;
  EXPECT_THAT(note, HasSubstr("1 block (8 bytes) live before the recording"));
  EXPECT_THAT(note, HasSubstr("1 block live at its end"));
  EXPECT_THAT(note, HasSubstr("1 free of a block that it does not contain"));
  EXPECT_THAT(note, HasSubstr("1 allocation of memory that was still live"));
}

TEST(EventLogTest, ARequestedFreeIsAnEndIfTheRulesSaySo) {
  EventLog log;
  log.Alloc(0, 0x10, {64});
  log.RequestFree(1, 0x10);
  EventRules rules;
  EXPECT_THAT(log.ToProblem(rules).note, HasSubstr("1 block live at its end"));
  rules.frees = FreeRule::kRequested;
  EXPECT_THAT(log.ToProblem(rules).note, Not(HasSubstr("live at its end")));
}

TEST(EventLogTest, TheNoteHasThePeakByAllocationAndByTouches) {
  EventLog log;
  log.Alloc(0, 0x10, {64});
  log.Alloc(1, 0x20, {32});
  log.Alloc(2, 0x30, {4});
  log.Use(3, 0x10);
  log.Use(4, 0x10);
  log.Use(5, 0x20);
  log.Free(6, 0x10);
  log.Free(7, 0x20);
  log.Free(8, 0x30);
  const std::string both =
      "2 blocks with uses: the peak is 100 bytes by allocation and 68 bytes by "
      "touches";
  EventRules touches;
  touches.uses = UseRule::kTouches;
  EXPECT_EQ(log.ToProblem({}).note,
            both + " (--uses touches, also to verify such a plan)");
  EXPECT_EQ(log.ToProblem(touches).note, both);
  // A peak that 64 bits cannot count is not shown as a number that it has.
  log.Alloc(9, 0x40, {SIZE_MAX});
  log.Alloc(10, 0x50, {SIZE_MAX});
  log.Free(11, 0x40);
  log.Free(12, 0x50);
  EXPECT_THAT(log.ToProblem({}).note,
              HasSubstr("the peak is at least 18446744073709551615 bytes by"));
  EventLog unused;
  unused.Alloc(0, 0x10, {64});
  unused.Free(1, 0x10);
  EXPECT_EQ(unused.ToProblem({}).note, "");
  EXPECT_EQ(unused.ToProblem(touches).note, "no block has uses");
}

}  // namespace
}  // namespace stowage
