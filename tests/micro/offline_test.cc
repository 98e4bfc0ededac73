// SPDX-License-Identifier: Apache-2.0
// Tests plans in models: which plans are found, and which are refused.
#include "stowage/micro/offline.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/tflite/model_draft.h"
#include "tests/support/example_model.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;

using Words = std::vector<int32_t>;

constexpr char kPlanName[] = "OfflineMemoryAllocation";
constexpr uint32_t kNoLimit = std::numeric_limits<uint32_t>::max();

std::vector<uint8_t> BytesOf(const Words& words) {
  std::vector<uint8_t> bytes;
  for (const int32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) {
      bytes.push_back(
          static_cast<uint8_t>(static_cast<uint32_t>(word) >> shift));
    }
  }
  return bytes;
}

void AddMetadata(ModelSpec* model, const std::string& name,
                 std::vector<uint8_t> data) {
  tflite::MetadataT& metadata = model->metadata.emplace_back();
  metadata.name = name;
  metadata.buffer = static_cast<uint32_t>(model->buffers.size());
  model->buffers.push_back({std::move(data)});
}

// Returns a model with six tensors in one subgraph and the plan `data`.
ModelSpec Planned(std::vector<uint8_t> data) {
  ModelSpec model = ExampleModel();
  AddMetadata(&model, "min_runtime_version", {'1', '.', '5', 0});
  AddMetadata(&model, kPlanName, std::move(data));
  return model;
}

const Words kSoundPlan = {0, 1, 6, 0, -1, 16, 32, 0, -1};

// Copies bytes to the end of a block that is `shift` bytes larger, so the
// address sanitizer reports reads past the end.
class Copy {
 public:
  explicit Copy(const std::string& bytes, size_t shift = 0)
      : shift_(shift),
        size_(static_cast<uint32_t>(bytes.size())),
        memory_(new uint8_t[bytes.size() + shift]) {
    std::memcpy(data(), bytes.data(), bytes.size());
  }

  uint8_t* data() const { return memory_.get() + shift_; }
  uint32_t size() const { return size_; }

 private:
  size_t shift_;
  uint32_t size_;
  std::unique_ptr<uint8_t[]> memory_;
};

stowage_micro_status Find(const std::string& bytes) {
  const Copy copy(bytes);
  stowage_micro_offline plan = {nullptr, 7};
  const stowage_micro_status status =
      stowage_micro_offline_find(copy.data(), copy.size(), &plan);
  if (status != STOWAGE_MICRO_OK) {
    EXPECT_EQ(plan.offsets, nullptr);
    EXPECT_EQ(plan.count, 7u);
    return status;
  }
  EXPECT_GE(plan.offsets, copy.data());
  EXPECT_LE(plan.offsets + size_t{4} * plan.count, copy.data() + copy.size());
  return status;
}

stowage_micro_status Find(const ModelSpec& model) { return Find(Build(model)); }

TEST(MicroOffline, FindsThePlanAtAnyAddress) {
  const std::string bytes = Build(Planned(BytesOf(kSoundPlan)));
  for (size_t shift = 0; shift < 8; ++shift) {
    const Copy copy(bytes, shift);
    stowage_micro_offline plan = {};
    ASSERT_EQ(stowage_micro_offline_find(copy.data(), copy.size(), &plan),
              STOWAGE_MICRO_OK);
    ASSERT_EQ(plan.count, 6u);
    EXPECT_EQ(std::vector<uint8_t>(plan.offsets, plan.offsets + 24),
              BytesOf({0, -1, 16, 32, 0, -1}));
  }
}

TEST(MicroOffline, CountsTheTensorsOfAllSubgraphs) {
  ModelSpec model = Planned(BytesOf({0, 2, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  model.graphs.emplace_back().tensors.resize(3);
  EXPECT_EQ(Find(model), STOWAGE_MICRO_OK);
  model.graphs.back().tensors.resize(4);
  EXPECT_EQ(Find(model), STOWAGE_MICRO_OFFLINE_TOO_FEW);
  model.graphs.back().tensors.clear();
  EXPECT_EQ(Find(model), STOWAGE_MICRO_OFFLINE_TOO_MANY);
}

TEST(MicroOffline, ComparesTheWholeName) {
  EXPECT_EQ(Find(ExampleModel()), STOWAGE_MICRO_OFFLINE_NOT_FOUND);
  for (const std::string& name :
       {std::string(), std::string("OfflineMemoryAllocatio"),
        std::string("OfflineMemoryAllocations"),
        std::string("OfflineMemoryAllocation\0", 24),
        std::string("offlineMemoryAllocation"),
        std::string("OfflineMemoryAllocatioN")}) {
    ModelSpec model = ExampleModel();
    AddMetadata(&model, name, BytesOf(kSoundPlan));
    EXPECT_EQ(Find(model), STOWAGE_MICRO_OFFLINE_NOT_FOUND) << name;
    AddMetadata(&model, kPlanName, BytesOf(kSoundPlan));
    EXPECT_EQ(Find(model), STOWAGE_MICRO_OK) << name;
  }
}

TEST(MicroOffline, RefusesEveryDefectWithACodeOfItsOwn) {
  const struct {
    Words words;
    stowage_micro_status status;
  } kCases[] = {
      {{1, 1, 6, 0, 0, 0, 0, 0, 0}, STOWAGE_MICRO_OFFLINE_VERSION},
      {{-1, 1, 6, 0, 0, 0, 0, 0, 0}, STOWAGE_MICRO_OFFLINE_VERSION},
      {{0, 2, 6, 0, 0, 0, 0, 0, 0}, STOWAGE_MICRO_OFFLINE_SUBGRAPHS},
      {{0, 1, 5, 0, 0, 0, 0, 0}, STOWAGE_MICRO_OFFLINE_TOO_FEW},
      {{0, 1, 7, 0, 0, 0, 0, 0, 0, 0}, STOWAGE_MICRO_OFFLINE_TOO_MANY},
      {{0, 1, -1, 0, 0, 0, 0, 0, 0}, STOWAGE_MICRO_OFFLINE_TOO_MANY},
      {{0, 1, 6, 0, 0, 0, 0, 0}, STOWAGE_MICRO_OFFLINE_SHORT},
      {{0, 1, 6}, STOWAGE_MICRO_OFFLINE_SHORT},
      {{0, 1, 6, 0, 0, 0, 0, 0, 0, 0}, STOWAGE_MICRO_OFFLINE_TRAILING},
      {{0, 1}, STOWAGE_MICRO_OFFLINE_TRUNCATED},
  };
  for (const auto& it : kCases) {
    EXPECT_EQ(Find(Planned(BytesOf(it.words))), it.status)
        << ::testing::PrintToString(it.words);
  }
  std::vector<uint8_t> bytes = BytesOf(kSoundPlan);
  for (const size_t odd : {size_t{35}, size_t{34}, size_t{33}}) {
    bytes.resize(odd);
    EXPECT_EQ(Find(Planned(bytes)), STOWAGE_MICRO_OFFLINE_ODD_BYTES);
  }
  bytes.resize(10);
  EXPECT_EQ(Find(Planned(bytes)), STOWAGE_MICRO_OFFLINE_TRUNCATED);
  EXPECT_EQ(Find(Planned({})), STOWAGE_MICRO_OFFLINE_NO_DATA);
}

// Older writers store the index 0 in place of the number of subgraphs.
TEST(MicroOffline, TakesAnIndexForTheNumberOfOneSubgraph) {
  const std::vector<uint8_t> bytes = BytesOf({0, 0, 1, 16});
  stowage_micro_offline plan;
  const auto read = [&](uint32_t subgraphs) {
    return stowage_micro_offline_read(bytes.data(), 16, subgraphs, 1, &plan);
  };
  EXPECT_EQ(read(1), STOWAGE_MICRO_OK);
  EXPECT_EQ(read(2), STOWAGE_MICRO_OFFLINE_SUBGRAPHS);
}

TEST(MicroOffline, RefusesAPlanWithoutData) {
  ModelSpec model = Planned(BytesOf(kSoundPlan));
  for (const uint32_t buffer : {4u, 5u, std::numeric_limits<uint32_t>::max()}) {
    model.metadata.back().buffer = buffer;
    EXPECT_EQ(Find(model), STOWAGE_MICRO_OFFLINE_NO_BUFFER);
  }
  model.metadata.back().buffer = 0;
  EXPECT_EQ(Find(model), STOWAGE_MICRO_OFFLINE_NO_DATA);
  // The length of the vector is stored before its data. Here it is set to 0.
  std::string bytes = Build(Planned({'#', '#', '#', '#', '#', '#', '#', '#'}));
  bytes.at(bytes.find("########") - 4) = 0;
  EXPECT_EQ(Find(bytes), STOWAGE_MICRO_OFFLINE_EMPTY);
}

TEST(MicroOffline, RefusesTwoPlans) {
  ModelSpec model = Planned(BytesOf(kSoundPlan));
  AddMetadata(&model, kPlanName, BytesOf(kSoundPlan));
  EXPECT_EQ(Find(model), STOWAGE_MICRO_OFFLINE_TWICE);
}

TEST(MicroOffline, RefusesWhatIsNotAModel) {
  stowage_micro_offline plan = {};
  const uint8_t byte = 0;
  EXPECT_EQ(stowage_micro_offline_find(nullptr, 8, &plan),
            STOWAGE_MICRO_NULL_ARGUMENT);
  EXPECT_EQ(stowage_micro_offline_find(&byte, 1, nullptr),
            STOWAGE_MICRO_NULL_ARGUMENT);
  EXPECT_EQ(stowage_micro_offline_read(nullptr, 12, 1, 0, &plan),
            STOWAGE_MICRO_NULL_ARGUMENT);
  EXPECT_EQ(stowage_micro_offline_find(&byte, kNoLimit, &plan),
            STOWAGE_MICRO_OFFLINE_BAD_MODEL);
  EXPECT_EQ(Find(std::string()), STOWAGE_MICRO_OFFLINE_BAD_MODEL);
  EXPECT_EQ(Find(std::string("\4\0\0\0TFL3", 8)),
            STOWAGE_MICRO_OFFLINE_BAD_MODEL);
  std::string bytes = Build(Planned(BytesOf(kSoundPlan)));
  bytes[7] = '2';
  EXPECT_EQ(Find(bytes), STOWAGE_MICRO_OFFLINE_BAD_MODEL);
}

uint32_t WordAt(const std::string& bytes, size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, 4);
  return word;
}

void SetWord(size_t at, size_t word, std::string* bytes) {
  const auto value = static_cast<uint32_t>(word);
  std::memcpy(&(*bytes)[at], &value, 4);
}

// A file is invalid if the data of its plan extend past its end.
TEST(MicroOffline, RefusesDataThatEndBeyondTheFile) {
  std::string bytes = Build(Planned(BytesOf(kSoundPlan)));
  const std::vector<uint8_t> data = BytesOf(kSoundPlan);
  const size_t old = bytes.find(std::string(data.begin(), data.end())) - 4;
  size_t reference = 0;
  while (reference + WordAt(bytes, reference) != old) ++reference;
  SetWord(reference, bytes.size() - reference, &bytes);
  bytes += bytes.substr(old, 4 + data.size());
  EXPECT_EQ(Find(bytes), STOWAGE_MICRO_OK);
  for (size_t less = 1; less <= 4 + data.size(); ++less) {
    EXPECT_EQ(Find(bytes.substr(0, bytes.size() - less)),
              STOWAGE_MICRO_OFFLINE_BAD_MODEL);
  }
}

// A reference that would wrap around, and thus point backward, is refused.
TEST(MicroOffline, RefusesAReferenceThatWraps) {
  std::string bytes = Build(Planned(BytesOf(kSoundPlan)));
  const size_t root = WordAt(bytes, 0);
  // Only the reference to the root changes, since all others are relative.
  std::string moved = std::string(bytes.size(), '\0') + bytes;
  moved.replace(0, 8, bytes, 0, 8);
  SetWord(0, bytes.size() + root, &moved);
  EXPECT_EQ(Find(moved), STOWAGE_MICRO_OK);
  const size_t description =
      bytes.size() + root - WordAt(moved, bytes.size() + root);
  const size_t field =
      bytes.size() + root + (WordAt(moved, description + 8) & 0xFFFF);
  const size_t subgraphs = field + WordAt(moved, field);
  // The reference wraps to a copy of the subgraphs at the front of the file.
  const size_t copy = 16;
  SetWord(copy, 1, &moved);
  SetWord(copy + 4, subgraphs + 4 + WordAt(moved, subgraphs + 4) - (copy + 4),
          &moved);
  SetWord(field, copy - field, &moved);
  EXPECT_EQ(Find(moved), STOWAGE_MICRO_OFFLINE_BAD_MODEL);
}

// The reader of models also follows a reference to itself. A table that is its
// own description has no fields, so it is a subgraph without tensors.
TEST(MicroOffline, FollowsAReferenceToItself) {
  ModelSpec model = ExampleModel();
  AddMetadata(&model, kPlanName, BytesOf({0, 1, 0}));
  std::string bytes = Build(model);
  const size_t root = WordAt(bytes, 0);
  const size_t description = root - WordAt(bytes, root);
  // The third field of a model is a reference to its subgraphs.
  const size_t field = root + (WordAt(bytes, description + 8) & 0xFFFF);
  const size_t reference = field + WordAt(bytes, field) + 4;
  EXPECT_EQ(Find(bytes), STOWAGE_MICRO_OFFLINE_TOO_FEW);
  std::memset(&bytes[reference], 0, 4);
  EXPECT_EQ(Find(bytes), STOWAGE_MICRO_OK);
}

// Tries every prefix and every file with one wrong byte. Find() checks that no
// byte outside the file is read, and that any plan is inside the file.
TEST(MicroOffline, SurvivesDamagedFiles) {
  const std::string bytes = Build(Planned(BytesOf(kSoundPlan)));
  size_t refused = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    if (Find(bytes.substr(0, size)) != STOWAGE_MICRO_OK) ++refused;
  }
  EXPECT_GT(refused, bytes.size() / 2);
  refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {0x01, 0x04, 0x40, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      if (Find(damaged) != STOWAGE_MICRO_OK) ++refused;
    }
  }
  EXPECT_GT(refused, bytes.size() / 2);
}

// Places buffers at the offsets of a plan that is stored at an odd address.
class Placing {
 public:
  Placing(std::initializer_list<int32_t> offsets,
          std::vector<stowage_micro_buffer> buffers)
      : buffers_(std::move(buffers)) {
    Words words = {0, 1, static_cast<int32_t>(offsets.size())};
    words.insert(words.end(), offsets);
    const std::vector<uint8_t> bytes = BytesOf(words);
    copy_ = std::make_unique<Copy>(std::string(bytes.begin(), bytes.end()), 1);
    EXPECT_EQ(stowage_micro_offline_read(copy_->data(), copy_->size(), 1,
                                         static_cast<uint32_t>(offsets.size()),
                                         &plan_),
              STOWAGE_MICRO_OK);
  }

  stowage_micro_status Place(stowage_micro_offline_rules rules = {16, kNoLimit,
                                                                  nullptr}) {
    const std::vector<stowage_micro_buffer> before = buffers_;
    total_ = 12345;
    witness_[0] = witness_[1] = 99;
    const stowage_micro_status status = stowage_micro_offline_place(
        &plan_, buffers_.data(), static_cast<uint32_t>(buffers_.size()), &rules,
        &total_, witness_);
    if (status == STOWAGE_MICRO_OK) return status;
    EXPECT_EQ(total_, 12345u);
    for (size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(buffers_[i].offset, before[i].offset);
    }
    return status;
  }

  std::vector<uint32_t> Offsets() const {
    std::vector<uint32_t> offsets;
    for (const auto& buffer : buffers_) offsets.push_back(buffer.offset);
    return offsets;
  }
  uint32_t total() const { return total_; }
  const uint32_t* witness() const { return witness_; }
  stowage_micro_offline& plan() { return plan_; }

 private:
  std::vector<stowage_micro_buffer> buffers_;
  std::unique_ptr<Copy> copy_;
  stowage_micro_offline plan_ = {};
  uint32_t total_ = 0;
  uint32_t witness_[2] = {};
};

TEST(MicroOfflinePlace, GivesOffsetsToBuffers) {
  // Buffer 1 is planned at run time. Buffer 2 has 0 bytes, so its offset in the
  // plan is ignored. Buffer 3 is live only after buffer 0.
  Placing placing({32, -1, -77, 32},
                  {{32, 0, 1, 5}, {48, 0, 9, 5}, {0, 0, 9, 5}, {16, 2, 3, 5}});
  EXPECT_EQ(placing.Place(), STOWAGE_MICRO_OK);
  EXPECT_THAT(placing.Offsets(),
              ElementsAre(32, STOWAGE_MICRO_UNPLACED, 0, 32));
  EXPECT_EQ(placing.total(), 64u);

  Placing none({}, {});
  EXPECT_EQ(none.Place(), STOWAGE_MICRO_OK);
  EXPECT_EQ(none.total(), 0u);
}

TEST(MicroOfflinePlace, NamesTheBufferOfABadOffset) {
  const struct {
    int32_t offset;
    stowage_micro_status status;
  } kCases[] = {
      {-2, STOWAGE_MICRO_OFFLINE_NEGATIVE},
      {-16, STOWAGE_MICRO_OFFLINE_NEGATIVE},
      {std::numeric_limits<int32_t>::min(), STOWAGE_MICRO_OFFLINE_NEGATIVE},
      {8, STOWAGE_MICRO_MISALIGNED_OFFSET},
      {1, STOWAGE_MICRO_MISALIGNED_OFFSET},
      {80, STOWAGE_MICRO_CAPACITY_EXCEEDED},
      {std::numeric_limits<int32_t>::max() - 15,
       STOWAGE_MICRO_CAPACITY_EXCEEDED},
  };
  for (const auto& it : kCases) {
    Placing placing({0, it.offset}, {{16, 0, 0, 3}, {32, 1, 1, 4}});
    EXPECT_EQ(placing.Place({16, 111, nullptr}), it.status) << it.offset;
    EXPECT_EQ(placing.witness()[0], 1u);
    EXPECT_EQ(placing.witness()[1], 1u);
  }
  Placing fits({0, 80}, {{16, 0, 0, 3}, {32, 1, 1, 4}});
  EXPECT_EQ(fits.Place({16, 112, nullptr}), STOWAGE_MICRO_OK);
  Placing huge({0, 16}, {{16, 0, 0, 3}, {kNoLimit - 15, 1, 1, 4}});
  EXPECT_EQ(huge.Place(), STOWAGE_MICRO_CAPACITY_EXCEEDED);
  Placing larger({0, 0}, {{16, 0, 0, 3}, {32, 1, 1, 4}});
  EXPECT_EQ(larger.Place({16, 31, nullptr}), STOWAGE_MICRO_CAPACITY_EXCEEDED);
  Placing reversed({0, -1}, {{16, 0, 0, 3}, {16, 2, 1, 4}});
  EXPECT_EQ(reversed.Place(), STOWAGE_MICRO_REVERSED_LIFETIME);
  EXPECT_EQ(reversed.witness()[0], 1u);
}

// Sizes are rounded up as in stowage_micro_plan() and stowage_micro_check().
TEST(MicroOfflinePlace, RoundsSizesUpToTheAlignment) {
  for (const uint32_t capacity : {20u, 31u}) {
    Placing placing({0}, {{20, 0, 0, 3}});
    EXPECT_EQ(placing.Place({16, capacity, nullptr}),
              STOWAGE_MICRO_CAPACITY_EXCEEDED);
    EXPECT_EQ(placing.witness()[0], 0u);
    EXPECT_EQ(placing.witness()[1], 0u);
  }
  Placing placing({0}, {{20, 0, 0, 3}});
  EXPECT_EQ(placing.Place({16, 32, nullptr}), STOWAGE_MICRO_OK);
  EXPECT_EQ(placing.total(), 32u);
  EXPECT_EQ(placing.Place({1, 20, nullptr}), STOWAGE_MICRO_OK);
  EXPECT_EQ(placing.total(), 20u);
  Placing above({16}, {{20, 0, 0, 3}});
  EXPECT_EQ(above.Place({16, 47, nullptr}), STOWAGE_MICRO_CAPACITY_EXCEEDED);
  EXPECT_EQ(above.Place({16, 48, nullptr}), STOWAGE_MICRO_OK);
  EXPECT_EQ(above.total(), 48u);
}

TEST(MicroOfflinePlace, RefusesSizesThatWrapWhenRoundedUp) {
  for (const uint32_t size : {kNoLimit - 14, kNoLimit}) {
    Placing placing({0}, {{size, 0, 0, 3}});
    EXPECT_EQ(placing.Place(), STOWAGE_MICRO_CAPACITY_EXCEEDED) << size;
    EXPECT_EQ(placing.Place({16, 0, nullptr}), STOWAGE_MICRO_CAPACITY_EXCEEDED);
    EXPECT_EQ(placing.Place({1, kNoLimit, nullptr}), STOWAGE_MICRO_OK) << size;
    EXPECT_EQ(placing.total(), size);
  }
  Placing largest({0}, {{kNoLimit - 30, 0, 0, 3}});
  EXPECT_EQ(largest.Place(), STOWAGE_MICRO_OK);
  EXPECT_EQ(largest.total(), kNoLimit - 15);
}

// Buffers do not overlap if they are adjacent or have 0 bytes.
TEST(MicroOfflinePlace, AcceptsAdjacentBuffers) {
  Placing placing({16, 32, 0, 24},
                  {{0, 0, 9, 1}, {32, 0, 9, 1}, {32, 0, 9, 1}, {0, 0, 9, 1}});
  EXPECT_EQ(placing.Place(), STOWAGE_MICRO_OK);
  EXPECT_EQ(placing.total(), 64u);
}

TEST(MicroOfflinePlace, NamesBothBuffersThatOverlap) {
  Placing placing(
      {64, -1, 32, 48},
      {{32, 5, 6, 1}, {512, 0, 9, 1}, {16, 0, 3, 1}, {32, 3, 5, 1}});
  EXPECT_EQ(placing.Place(), STOWAGE_MICRO_OVERLAP);
  EXPECT_EQ(placing.witness()[0], 0u);
  EXPECT_EQ(placing.witness()[1], 3u);
}

// Vela places the input, the output and the scratch memory of its operator at
// the same offset.
TEST(MicroOfflinePlace, LetsTensorsOfACustomOperatorOverlapIfAsked) {
  Placing placing(
      {0, -1, 0, 0},
      {{960, 0, 0, 1}, {0, 0, 0, 1}, {74464, 0, 0, 1}, {9216, 0, 0, 1}});
  EXPECT_EQ(placing.Place(), STOWAGE_MICRO_OVERLAP);
  const uint8_t all[] = {1, 1, 1, 1};
  EXPECT_EQ(placing.Place({16, kNoLimit, all}), STOWAGE_MICRO_OK);
  EXPECT_THAT(placing.Offsets(), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(placing.total(), 74464u);
  // A tensor of another operator, or of none, must not overlap these tensors.
  for (const uint8_t last : {uint8_t{0}, uint8_t{2}}) {
    const uint8_t but_last[] = {1, 1, 1, last};
    EXPECT_EQ(placing.Place({16, kNoLimit, but_last}), STOWAGE_MICRO_OVERLAP);
    EXPECT_EQ(placing.witness()[0], 0u);
    EXPECT_EQ(placing.witness()[1], 3u);
  }
  const uint8_t none[] = {0, 0, 0, 0};
  EXPECT_EQ(placing.Place({16, kNoLimit, none}), STOWAGE_MICRO_OVERLAP);
}

TEST(MicroOfflinePlace, RefusesBadArguments) {
  Placing placing({0}, {{16, 0, 0, 3}});
  for (const uint32_t alignment : {0u, 3u, 24u, kNoLimit}) {
    EXPECT_EQ(placing.Place({alignment, kNoLimit, nullptr}),
              STOWAGE_MICRO_BAD_ALIGNMENT);
  }
  Placing few({0}, {{16, 0, 0, 3}, {16, 0, 0, 3}});
  EXPECT_EQ(few.Place(), STOWAGE_MICRO_OFFLINE_TOO_FEW);
  Placing many({0, 0}, {{16, 0, 0, 3}});
  EXPECT_EQ(many.Place(), STOWAGE_MICRO_OFFLINE_TOO_MANY);

  stowage_micro_buffer buffer = {16, 0, 0, 3};
  const stowage_micro_offline_rules rules = {16, kNoLimit, nullptr};
  uint32_t total = 0;
  const auto place = [&](const stowage_micro_offline* plan,
                         stowage_micro_buffer* buffers,
                         const stowage_micro_offline_rules* asked,
                         uint32_t* sum) {
    return stowage_micro_offline_place(plan, buffers, 1, asked, sum, nullptr);
  };
  EXPECT_EQ(place(nullptr, &buffer, &rules, &total),
            STOWAGE_MICRO_NULL_ARGUMENT);
  EXPECT_EQ(place(&placing.plan(), nullptr, &rules, &total),
            STOWAGE_MICRO_NULL_ARGUMENT);
  EXPECT_EQ(place(&placing.plan(), &buffer, nullptr, &total),
            STOWAGE_MICRO_NULL_ARGUMENT);
  EXPECT_EQ(place(&placing.plan(), &buffer, &rules, nullptr),
            STOWAGE_MICRO_NULL_ARGUMENT);
  EXPECT_EQ(place(&placing.plan(), &buffer, &rules, &total), STOWAGE_MICRO_OK);
}

}  // namespace
}  // namespace stowage
