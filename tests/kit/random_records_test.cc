// SPDX-License-Identifier: Apache-2.0
// Tests that random records are the same on every machine.
#include "stowage/testing/random_records.h"

#include <cstddef>
#include <cstdint>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/testing/families.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {
namespace {

// Computes the 64-bit FNV-1a hash.
class Hash {
 public:
  void Add(uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      state_ = (state_ ^ ((number >> shift) & 0xFF)) * 0x100000001B3;
    }
  }
  void Add(const ProblemSpec& instance) {
    for (const ByteRecord& record : instance.records) {
      Add(record.tensor_size);
      Add(record.first_task);
      Add(record.last_task);
    }
    for (const size_t alignment : instance.alignments) Add(alignment);
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0xCBF29CE484222325;
};

// The expected numbers are hashes of the records of all families. If a change
// to a family changes a hash, failures that were reported with a seed of that
// family can no longer be reproduced.
TEST(RandomRecordsTest, AreTheSameOnEveryCompiler) {
  Hash hash;
  Parameters parameters;
  parameters.max_alignment = 64;
  Hash of_double_precision;
  for (const FamilyInfo& info : AllFamilies()) {
    // The records of the family kDoublePrecision have a separate hash, because
    // this family was added after the other hash had been recorded.
    Hash& of_family =
        info.family == Family::kDoublePrecision ? of_double_precision : hash;
    for (uint64_t seed = 0; seed < 10; ++seed) {
      of_family.Add(RandomInstance(info.family, seed, 20));
      of_family.Add(RandomInstance(info.family, seed, 20, parameters));
    }
  }
  EXPECT_EQ(hash.value(), 15082853311509185856u);
  EXPECT_EQ(of_double_precision.value(), 14512573600713855533u);
}

TEST(RandomRecordsTest, AreTheRecordsOfTheInstance) {
  Hash records;
  Hash instance;
  const ByteRecords sampled = RandomRecords(Family::kDense, 3, 20);
  for (const ByteRecord& record : sampled) {
    records.Add(record.tensor_size);
    records.Add(record.first_task);
    records.Add(record.last_task);
  }
  instance.Add(RandomInstance(Family::kDense, 3, 20));
  EXPECT_EQ(records.value(), instance.value());
}

TEST(RandomRecordsTest, DependOnTheSeed) {
  for (const FamilyInfo& info : AllFamilies()) {
    Hash one;
    Hash two;
    one.Add(RandomInstance(info.family, 1, 20));
    two.Add(RandomInstance(info.family, 2, 20));
    EXPECT_NE(one.value(), two.value()) << info.name;
  }
}

TEST(RandomRecordsTest, SamplesAreBelowTheirLimits) {
  for (const FamilyInfo& info : AllFamilies()) {
    const Sample limits = SampleLimits(info.family);
    for (const Sample& sample : RandomSamples(info.family, 1, 100)) {
      EXPECT_LT(sample.size, limits.size) << info.name;
      EXPECT_LT(sample.gap, limits.gap) << info.name;
      EXPECT_LT(sample.life, limits.life) << info.name;
      EXPECT_LT(sample.kind, limits.kind) << info.name;
      EXPECT_LT(sample.alignment, limits.alignment) << info.name;
    }
  }
}

}  // namespace
}  // namespace stowage::testing
