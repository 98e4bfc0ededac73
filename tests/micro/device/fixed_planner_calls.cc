// SPDX-License-Identifier: Apache-2.0
// Compares, call by call and on the device, the answers of the table planner
// and of the linear planner with those of the original planners. Where an
// original planner is known to be wrong, the test expects a different answer
// and counts it.
#include <cstddef>
#include <cstdint>

#include "stowage/micro/linear_planner.h"
#include "stowage/micro/table_planner.h"
#include "tests/micro/declared_planner.h"
#include "tests/micro/device/device.h"
#include "tests/micro/device/planner_calls.h"

namespace {

// These files are written by write_tables.cc.
#include "tests/micro/device/linear_vectors.inc"
#include "tests/micro/device/shim_vectors.inc"

using TablePlanner =
    stowage::micro::TablePlannerFor<tflite::MicroMemoryPlanner, TfLiteStatus,
                                    kTfLiteOk, kTfLiteError>;
using LinearPlanner =
    stowage::micro::LinearPlannerFor<tflite::MicroMemoryPlanner, TfLiteStatus,
                                     kTfLiteOk, kTfLiteError>;

// Counts the answers that equal those of the original planner. Counts all other
// answers by the reason for the difference.
struct Count {
  int equal;
  int maximum;  // where the original answers 0 for the maximum
  // The original planner returns an offset below 0 for a buffer that has no
  // offset.
  int no_place;
  // The original planner continues after it has refused a buffer, or returns an
  // offset for a buffer that it does not have.
  int refused;
};

// Returns the highest end of all rows that have an offset.
int32_t EndOf(const uint32_t (*rows)[4], uint32_t count) {
  int32_t end = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const auto offset = static_cast<int32_t>(rows[i][3]);
    const auto size = static_cast<int32_t>(rows[i][0]);
    if (offset >= 0 && offset + size > end) end = offset + size;
  }
  return end;
}

// Computes the expected answers of the table planner from the answers of the
// original planner.
class Declared {
 public:
  Declared(const uint32_t (*rows)[4], uint32_t count)
      : rows_(rows), count_(count) {}

  int32_t Answer(const Call& call, Count* count) {
    const bool was_refused = is_refused_;
    const bool is_add =
        call.operation == k_add || call.operation == k_add_offline;
    const bool has_row = is_add && call.answer == 1 && added_ < count_;
    const bool has_place =
        !has_row || static_cast<int32_t>(rows_[added_][3]) >= 0;
    if (is_add) is_refused_ = was_refused || call.answer == 0 || !has_place;
    if (has_row) ++added_;
    if (is_add && is_refused_) return Instead(0, call, has_place, count);
    if (call.operation == k_get && was_refused) {
      return Instead(kNone, call, true, count);
    }
    if (call.operation == k_get && call.answer < 0) {
      return Instead(kNone, call, false, count);
    }
    if (call.operation != k_max || was_refused) {
      ++count->equal;
      return call.answer;
    }
    ++count->maximum;
    return EndOf(rows_, count_);
  }

 private:
  static int32_t Instead(int32_t answer, const Call& call, bool has_place,
                         Count* count) {
    if (answer == call.answer) {
      ++count->equal;
    } else if (has_place) {
      ++count->refused;
    } else {
      ++count->no_place;
    }
    return answer;
  }

  const uint32_t (*rows_)[4];
  uint32_t count_;
  uint32_t added_ = 0;
  bool is_refused_ = false;
};

void ExpectTableAnswers() {
  int sequences = 0;
  Count count = {0, 0, 0, 0};
  for (const Sequence& sequence : kShimSequences) {
    const uint32_t(*const rows)[4] = kShimRows + sequence.first_row;
    TablePlanner planner(rows, sequence.rows);
    Declared declared(rows, sequence.rows);
    for (uint32_t i = 0; i < sequence.count; ++i) {
      const Call& call = kShimCalls[sequence.first + i];
      const int32_t expected = declared.Answer(call, &count);
      EXPECT(AnswerOf(&planner, call, nullptr) == expected);
    }
    ++sequences;
  }
  EXPECT(sequences == 25);
  EXPECT(count.equal == 277);
  EXPECT(count.maximum == 16);
  EXPECT(count.no_place == 8);
  EXPECT(count.refused == 110);
}

void ExpectLinearAnswers() {
  int sequences = 0;
  for (const Sequence& sequence : kLinearSequences) {
    LinearPlanner planner;
    EXPECT(planner.preserves_all_tensors());
    for (uint32_t i = 0; i < sequence.count; ++i) {
      const Call& call = kLinearCalls[sequence.first + i];
      EXPECT(AnswerOf(&planner, call, nullptr) == call.answer);
    }
    ++sequences;
  }
  EXPECT(sequences == 15);
}

}  // namespace

extern "C" void test_fixed_planner_calls(void) {
  ExpectTableAnswers();
  ExpectLinearAnswers();
}
