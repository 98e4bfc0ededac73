// SPDX-License-Identifier: Apache-2.0
// Compares the drop-in for TensorFlow Lite Micro with TensorFlow Lite Micro's
// greedy planner, call by call and with half the workspace. Also tests calls
// that the greedy planner accepts but the drop-in must refuse.
#include "stowage/micro/tflm_planner.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/micro/planner.h"
#include "tests/micro/declared_planner.h"
#include "tests/support/vectors.h"

namespace stowage::micro {
namespace {

using nlohmann::json;
using support::LoadJsonLines;
using ::testing::ElementsAre;

std::string* printed = nullptr;

void PrintLine(const char* line) { *printed += std::string(line) + "\n"; }

template <class Planner>
using DropIn = PlannerFor<tflite::MicroMemoryPlanner, TfLiteStatus, kTfLiteOk,
                          kTfLiteError, PrintLine, Planner>;
using SmallPlanner = DropIn<Planner>;

constexpr int kFree = -1;

std::vector<uint32_t> Witness(const Planner& planner) {
  return {planner.witness()[0], planner.witness()[1]};
}

// Holds a planner and its workspace.
class Planned {
 public:
  // Initializes the planner with half of the workspace of the greedy planner.
  TfLiteStatus Init(size_t bytes) {
    workspace_.assign(bytes / 2 / sizeof(uint32_t) + 1, 0);
    return planner_.Init(reinterpret_cast<unsigned char*>(workspace_.data()),
                         static_cast<int>(bytes / 2));
  }

  // Makes a call and returns the answer in the format of the vectors.
  json Call(const json& call) {
    const std::string op = call.at("op");
    if (op == "init") {
      return Init(call.at("workspace").get<size_t>()) == kTfLiteOk;
    }
    if (op == "count") return planner_.GetBufferCount();
    if (op == "max") return planner_.GetMaximumMemorySize();
    if (op == "get") {
      int offset = 0;
      if (planner_.GetOffsetForBuffer(call.at("buffer"), &offset) !=
          kTfLiteOk) {
        return nullptr;
      }
      return offset;
    }
    if (op == "print") {
      std::string text;
      printed = &text;
      planner_.PrintMemoryPlan();
      printed = nullptr;
      return text;
    }
    const int size = call.at("size");
    const int first = call.at("first");
    const int last = call.at("last");
    if (op == "add") {
      return planner_.AddBuffer(size, first, last) == kTfLiteOk;
    }
    const int offset = call.at("offset");
    return planner_.AddBuffer(size, first, last, offset) == kTfLiteOk;
  }

  SmallPlanner& planner() { return planner_; }
  void Scribble() { workspace_.assign(workspace_.size(), 0xABCDEF01); }

 private:
  std::vector<uint32_t> workspace_;
  SmallPlanner planner_;
};

bool HasOffsetBelowMinusOne(const json& calls) {
  for (const json& call : calls) {
    if (call.at("op") == "add_offline" && call.at("offset") < -1) return true;
  }
  return false;
}

bool RefusesOffsetsBelowMinusOne(const json& calls) {
  Planned planned;
  for (const json& call : calls) {
    const json result = planned.Call(call);
    if (call.at("op") == "add_offline" && call.at("offset") < -1) {
      return result == false;
    }
  }
  return false;
}

TEST(PlannerFor, AnswersEveryCallAsTheGreedyPlanner) {
  int equal = 0;
  int overlapping = 0;
  int negative = 0;
  for (const json& vector :
       LoadJsonLines("vectors_micro_planner_public.jsonl")) {
    if (vector.at("planner") != "greedy") continue;
    SCOPED_TRACE(vector.at("name").get<std::string>());
    const json& calls = vector.at("calls");
    if (HasOffsetBelowMinusOne(calls)) {
      ++negative;
      EXPECT_TRUE(RefusesOffsetsBelowMinusOne(calls));
      continue;
    }
    Planned planned;
    const bool overlaps = vector.at("overlap");
    for (const json& call : calls) {
      const json result = planned.Call(call);
      if (!overlaps) {
        ASSERT_EQ(result, call.at("ret")) << call;
      } else if (call.at("op") == "get") {
        ASSERT_EQ(result, nullptr) << call;
      }
    }
    if (overlaps) {
      ++overlapping;
      const uint32_t* const witness = planned.planner().planner().witness();
      EXPECT_LT(witness[0], witness[1]);
      EXPECT_LT(witness[1], planned.planner().planner().count());
    } else {
      ++equal;
    }
  }
  EXPECT_EQ(equal + overlapping + negative, 60);
  EXPECT_GE(equal, 45);
  EXPECT_GE(negative, 4);
}

TEST(PlannerFor, RefusesWhatHasNoPlan) {
  Planned planned;
  SmallPlanner& planner = planned.planner();
  EXPECT_EQ(planner.AddBuffer(16, 0, 1), kTfLiteError) << "before Init";
  ASSERT_EQ(planned.Init(400), kTfLiteOk);
  EXPECT_EQ(planner.AddBuffer(-1, 0, 1), kTfLiteError);
  EXPECT_EQ(planner.AddBuffer(16, 1, 0), kTfLiteError);
  EXPECT_EQ(planner.AddBuffer(16, 0, 1, -2), kTfLiteError);
  EXPECT_EQ(planner.AddBuffer(16, 0, 1, kFree), kTfLiteOk);
  int offset = 7;
  EXPECT_EQ(planner.GetOffsetForBuffer(-1, &offset), kTfLiteError);
  EXPECT_EQ(planner.GetOffsetForBuffer(1, &offset), kTfLiteError);
  EXPECT_EQ(planner.GetOffsetForBuffer(0, nullptr), kTfLiteError);
  EXPECT_EQ(offset, 7);
  EXPECT_FALSE(planner.preserves_all_tensors());
}

TEST(PlannerFor, NamesOfflineOffsetsThatOverlap) {
  Planned planned;
  ASSERT_EQ(planned.Init(400), kTfLiteOk);
  SmallPlanner& planner = planned.planner();
  EXPECT_EQ(planner.AddBuffer(64, 0, 3), kTfLiteOk);
  EXPECT_EQ(planner.AddBuffer(32, 0, 1, 0), kTfLiteOk);
  EXPECT_EQ(planner.AddBuffer(32, 1, 2, 16), kTfLiteOk);
  int offset = 0;
  EXPECT_EQ(planner.GetOffsetForBuffer(0, &offset), kTfLiteError);
  EXPECT_EQ(planner.planner().witness()[0], 1u);
  EXPECT_EQ(planner.planner().witness()[1], 2u);
  EXPECT_EQ(planner.GetMaximumMemorySize(), 0u);
}

// TensorFlow Lite Micro ignores the result of Init, so all later calls must
// fail.
TEST(PlannerFor, AddsNothingAfterAFailedInit) {
  SmallPlanner planner;
  std::array<uint32_t, 20> workspace = {};
  auto* const bytes = reinterpret_cast<unsigned char*>(workspace.data());
  ASSERT_EQ(planner.Init(bytes, 80), kTfLiteOk);
  ASSERT_EQ(planner.AddBuffer(16, 0, 1), kTfLiteOk);
  EXPECT_EQ(planner.Init(nullptr, 80), kTfLiteError);
  EXPECT_EQ(planner.GetBufferCount(), 0);
  EXPECT_EQ(planner.AddBuffer(16, 0, 1), kTfLiteError);
  for (const int size : {INT32_MIN, -1712, -1, 0, 19}) {
    EXPECT_EQ(planner.Init(bytes, size), size < 0 ? kTfLiteError : kTfLiteOk)
        << size;
    EXPECT_EQ(planner.AddBuffer(16, 0, 1), kTfLiteError) << size;
  }
}

TEST(PlannerFor, KeepsTheMaximumWithoutItsWorkspace) {
  Planned planned;
  ASSERT_EQ(planned.Init(400), kTfLiteOk);
  SmallPlanner& planner = planned.planner();
  EXPECT_EQ(planner.AddBuffer(64, -1, 3), kTfLiteOk);
  EXPECT_EQ(planner.AddBuffer(32, 0, 1, 64), kTfLiteOk);
  int offset = 7;
  EXPECT_EQ(planner.GetOffsetForBuffer(0, &offset), kTfLiteOk);
  EXPECT_EQ(offset, 0);
  planned.Scribble();
  EXPECT_EQ(planner.GetMaximumMemorySize(), 96u);
  EXPECT_EQ(planner.GetBufferCount(), 2);
  EXPECT_EQ(planned.Call({{"op", "print"}}),
            "The plan's workspace has been written.\n");
}

// The size of this arena does not fit in the ints of TensorFlow Lite Micro's
// interface.
TEST(PlannerFor, RefusesAnArenaOf2GiB) {
  Planned planned;
  ASSERT_EQ(planned.Init(400), kTfLiteOk);
  SmallPlanner& planner = planned.planner();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(planner.AddBuffer(INT32_MAX - 15, 0, 1), kTfLiteOk);
  }
  int offset = 7;
  EXPECT_EQ(planner.GetOffsetForBuffer(0, &offset), kTfLiteError);
  EXPECT_EQ(offset, 7);
  EXPECT_EQ(planner.GetMaximumMemorySize(), 0u);
  EXPECT_EQ(planner.planner().witness()[0], Planner::kNoBuffer);
}

// If the workspace has been overwritten since the plan was made, the planner
// must still write nothing outside it. The test overwrites either the whole
// workspace or only the numbers of buffers, which follow the records and begin
// with word 12.
TEST(Planner, WritesNothingOutsideOfAnOverwrittenWorkspace) {
  constexpr size_t kWords = 50;  // for 10 buffers
  constexpr uint32_t kGuard = 0xABCDEF01;
  // The word that overwrites the workspace. Each half of it is the number of a
  // nonexistent buffer whose record would be in the guard words.
  constexpr uint32_t kTwoNumbers = 0x00280028;
  for (const size_t first_overwritten : {size_t{0}, size_t{12}}) {
    SCOPED_TRACE(first_overwritten);
    std::vector<uint32_t> memory(8 * kWords, kGuard);
    Planner planner;
    ASSERT_EQ(planner.Init(memory.data(), 4 * kWords, 16), STOWAGE_MICRO_OK);
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(planner.Add(64, 0, 1), STOWAGE_MICRO_OK);
    }
    ASSERT_EQ(planner.Plan(), STOWAGE_MICRO_OK);
    for (size_t i = first_overwritten; i < kWords; ++i) memory[i] = kTwoNumbers;
    EXPECT_EQ(planner.Add(64, 0, 1), STOWAGE_MICRO_OK);
    static_cast<void>(planner.Plan());
    for (size_t i = kWords; i < memory.size(); ++i) {
      ASSERT_EQ(memory[i], kGuard) << i;
    }
  }
}

TEST(Planner, NamesTheBuffersThatAPlanIsRefusedFor) {
  constexpr uint32_t kNone = Planner::kNoBuffer;
  std::array<uint32_t, 20> workspace = {};
  Planner planner;
  const auto init = [&](uint32_t alignment) {
    ASSERT_EQ(planner.Init(workspace.data(), sizeof(workspace), alignment),
              STOWAGE_MICRO_OK);
    EXPECT_THAT(Witness(planner), ElementsAre(kNone, kNone));
    EXPECT_EQ(planner.Add(0x80000000, 0, 1), STOWAGE_MICRO_OK);
  };
  init(16);
  EXPECT_EQ(planner.Plan(), STOWAGE_MICRO_OK);
  EXPECT_THAT(Witness(planner), ElementsAre(kNone, kNone));
  EXPECT_EQ(planner.Add(0x80000000, 1, 2), STOWAGE_MICRO_OK);
  EXPECT_EQ(planner.Plan(), STOWAGE_MICRO_OVERFLOW);
  EXPECT_THAT(Witness(planner), ElementsAre(kNone, kNone)) << "the arena";
  EXPECT_EQ(planner.Add(UINT32_MAX, 3, 3), STOWAGE_MICRO_OK);
  EXPECT_EQ(planner.Plan(), STOWAGE_MICRO_OVERFLOW);
  EXPECT_THAT(Witness(planner), ElementsAre(2, 2)) << "rounded up";
  init(16);
  EXPECT_EQ(planner.Add(16, 0, 1, 8), STOWAGE_MICRO_OK);
  EXPECT_EQ(planner.Plan(), STOWAGE_MICRO_MISALIGNED_OFFSET);
  EXPECT_THAT(Witness(planner), ElementsAre(1, 1));
  init(16);
  EXPECT_EQ(planner.Add(16, 0, 1, 32), STOWAGE_MICRO_OK);
  EXPECT_EQ(planner.Add(32, 1, 2, 16), STOWAGE_MICRO_OK);
  EXPECT_EQ(planner.Plan(), STOWAGE_MICRO_OVERLAP);
  EXPECT_THAT(Witness(planner), ElementsAre(1, 2));
  EXPECT_EQ(planner.total(), 0u);
  init(3);
  EXPECT_EQ(planner.Plan(), STOWAGE_MICRO_BAD_ALIGNMENT);
  EXPECT_THAT(Witness(planner), ElementsAre(kNone, kNone));
}

TEST(Planner, FindsAnAlignedPlaceInAMisalignedWorkspace) {
  alignas(4) std::array<unsigned char, 2 * Planner::kBytesPerBuffer + 4>
      workspace = {};
  for (size_t shift = 0; shift < 4; ++shift) {
    Planner planner;
    ASSERT_EQ(planner.Init(workspace.data() + shift,
                           workspace.size() - shift - (shift == 0 ? 4 : 0), 16),
              STOWAGE_MICRO_OK);
    EXPECT_EQ(planner.Add(20, 0, 1), STOWAGE_MICRO_OK);
    EXPECT_EQ(planner.Add(20, 1, 2), STOWAGE_MICRO_OK);
    EXPECT_EQ(planner.Add(20, 2, 3), STOWAGE_MICRO_TOO_MANY_BUFFERS);
    uint32_t offset = 0;
    EXPECT_EQ(planner.GetOffset(0, &offset), STOWAGE_MICRO_OK);
    EXPECT_EQ(offset, 32u);
    EXPECT_EQ(planner.total(), 64u);
  }
}

}  // namespace
}  // namespace stowage::micro
