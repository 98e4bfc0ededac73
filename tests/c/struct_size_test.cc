// SPDX-License-Identifier: Apache-2.0
// Tests structs that may grow in later versions: each size is accepted or
// rejected as documented in stowage.h, and no byte beyond the size is written.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/text.h"
#include "stowage/c/stowage.h"
#include "tests/c/c_handles.h"

namespace stowage::c_test {
namespace {

// A struct in memory that has room for a later version. Except for the size of
// the struct, all bytes of the memory have the same value.
template <typename T>
class Later {
 public:
  explicit Later(uint32_t size, unsigned char fill = 0xAB)
      : memory_(kRoom / sizeof(uint64_t)) {
    std::memset(memory_.data(), fill, kRoom);
    std::memcpy(memory_.data(), &size, sizeof(size));
  }

  T* get() { return reinterpret_cast<T*>(memory_.data()); }
  unsigned char Byte(size_t at) const {
    return reinterpret_cast<const unsigned char*>(memory_.data())[at];
  }
  void SetByte(size_t at, unsigned char value) {
    reinterpret_cast<unsigned char*>(memory_.data())[at] = value;
  }

 private:
  static constexpr size_t kRoom = 8192;
  std::vector<uint64_t> memory_;
};

// Checks a function that writes a struct.
template <typename T, typename Call>
void ExpectSizesOfOutput(const Call& call) {
  constexpr auto kSize = static_cast<uint32_t>(sizeof(T));
  for (const uint32_t size : {0u, 1u, 4u, kSize - 1, 4097u, UINT32_MAX}) {
    Later<T> later(size);
    EXPECT_EQ(call(later.get()), STOWAGE_INVALID_ARGUMENT) << size;
    for (size_t i = sizeof(size); i < kSize; ++i) {
      ASSERT_EQ(later.Byte(i), 0xAB) << size;
    }
  }
  for (const uint32_t size : {kSize, kSize + 1, kSize + 64, 4096u}) {
    Later<T> later(size);
    EXPECT_EQ(call(later.get()), STOWAGE_OK) << size;
    EXPECT_EQ(later.get()->struct_size, size);
    for (size_t i = kSize; i < size; ++i) ASSERT_EQ(later.Byte(i), 0);
    EXPECT_EQ(later.Byte(size), 0xAB) << size;
  }
}

TEST(StructSize, OfEveryOutput) {
  const ProblemHandle problem = ProblemOf(SmallSpec());
  const SolutionHandle solution = Solve(problem);
  const stowage_plan plan = PlanOf(solution);
  const char csv[] = "id,lower,upper,size,offset\na,0,1,8,0\n";
  stowage_file* made = nullptr;
  ASSERT_EQ(stowage_file_parse(csv, std::strlen(csv), "csv", &made, nullptr),
            STOWAGE_OK);
  const FileHandle file(made);
  ExpectSizesOfOutput<stowage_error>([&](stowage_error* out) {
    return stowage_builder_alignment(BuilderHandle(stowage_builder_new()).get(),
                                     1, out);
  });
  ExpectSizesOfOutput<stowage_problem_info>([&](stowage_problem_info* out) {
    return stowage_problem_get_info(problem.get(), out, nullptr);
  });
  ExpectSizesOfOutput<stowage_bound>([&](stowage_bound* out) {
    return stowage_problem_bound(problem.get(), out, nullptr);
  });
  ExpectSizesOfOutput<stowage_options>(
      [](stowage_options* out) { return stowage_options_init(out, nullptr); });
  ExpectSizesOfOutput<stowage_summary>([&](stowage_summary* out) {
    return stowage_solution_summary(solution.get(), out, nullptr);
  });
  ExpectSizesOfOutput<stowage_plan>([&](stowage_plan* out) {
    return stowage_solution_plan(solution.get(), out, nullptr);
  });
  ExpectSizesOfOutput<stowage_plan>([&](stowage_plan* out) {
    return stowage_file_plan(file.get(), STOWAGE_OFFSETS, out, nullptr);
  });
  ExpectSizesOfOutput<stowage_violation>([&](stowage_violation* out) {
    return stowage_verify(problem.get(), &plan, out, nullptr);
  });
  const CacheHandle cache(stowage_plan_cache_new(1 << 20, nullptr));
  ExpectSizesOfOutput<stowage_plan_cache_stats>(
      [&](stowage_plan_cache_stats* out) {
        return stowage_plan_cache_get_stats(cache.get(), out, nullptr);
      });
  stowage_stack* stacked = nullptr;
  ASSERT_EQ(stowage_stack_create(nullptr, 0, 1, nullptr, &stacked, nullptr),
            STOWAGE_OK);
  const StackHandle stack(stacked);
  ExpectSizesOfOutput<stowage_stack_info>([&](stowage_stack_info* out) {
    return stowage_stack_get_info(stack.get(), out, nullptr);
  });
  stowage_solution* replanned = nullptr;
  ASSERT_EQ(stowage_replan(problem.get(), solution.get(), nullptr, &replanned,
                           nullptr),
            STOWAGE_OK);
  const SolutionHandle next(replanned);
  ExpectSizesOfOutput<stowage_changes>([&](stowage_changes* out) {
    return stowage_solution_changes(next.get(), out, nullptr);
  });
  std::string text;
  ASSERT_EQ(stowage_write_certificate(
                problem.get(), solution.get(),
                [](void* context, const char* piece, size_t size) -> int32_t {
                  static_cast<std::string*>(context)->append(piece, size);
                  return 0;
                },
                &text, nullptr),
            STOWAGE_OK);
  ExpectSizesOfOutput<stowage_verdict>([&](stowage_verdict* out) {
    return stowage_check_certificate(problem.get(), text.data(), text.size(),
                                     out, nullptr, nullptr, nullptr);
  });
}

// Checks a function that reads a struct. Requires that the function accepts
// `value`.
template <typename T, typename Call>
void ExpectSizesOfInput(const T& value, const Call& call) {
  constexpr auto kSize = static_cast<uint32_t>(sizeof(T));
  const auto with_size = [&](uint32_t size) {
    Later<T> later(size, 0);
    T copy = value;
    copy.struct_size = size;
    std::memcpy(static_cast<void*>(later.get()), &copy, sizeof(copy));
    return later;
  };
  for (const uint32_t size : {0u, 1u, 4u, kSize - 1, 4097u, UINT32_MAX}) {
    EXPECT_EQ(call(with_size(size).get()), STOWAGE_INVALID_ARGUMENT) << size;
  }
  for (const uint32_t size : {kSize, kSize + 1, kSize + 8, 4096u}) {
    EXPECT_EQ(call(with_size(size).get()), STOWAGE_OK) << size;
  }
  for (const uint32_t size : {kSize + 1, kSize + 8, 4096u}) {
    Later<T> later = with_size(size);
    later.SetByte(size - 1, 1);
    EXPECT_EQ(call(later.get()), STOWAGE_UNIMPLEMENTED) << size;
    // Bytes after the struct must not be read.
    Later<T> beyond = with_size(size);
    beyond.SetByte(size, 1);
    EXPECT_EQ(call(beyond.get()), STOWAGE_OK) << size;
  }
}

TEST(StructSize, OfEveryInput) {
  const ProblemHandle problem = ProblemOf(SmallSpec());
  const SolutionHandle solution = Solve(problem);
  ExpectSizesOfInput(DefaultOptions(), [&](const stowage_options* options) {
    auto error = Sized<stowage_error>();
    Solve(problem, options, &error);
    return error.code;
  });
  ExpectSizesOfInput(PlanOf(solution), [&](const stowage_plan* plan) {
    return stowage_verify(problem.get(), plan, nullptr, nullptr);
  });
  ExpectSizesOfInput(
      stowage_replan_options{}, [&](const stowage_replan_options* options) {
        stowage_solution* made = nullptr;
        const stowage_code code = stowage_replan(problem.get(), solution.get(),
                                                 options, &made, nullptr);
        const SolutionHandle owned(made);
        return code;
      });
}

TEST(Options, HaveTheDefaultsOfTheHeader) {
  const stowage_options options = DefaultOptions();
  EXPECT_EQ(options.threads, 1);
  EXPECT_EQ(options.strategy, nullptr);
  EXPECT_EQ(options.time_limit_ns, 100'000'000);
  EXPECT_EQ(options.node_budget, STOWAGE_NONE);
  EXPECT_EQ(options.seed, 1);
  EXPECT_EQ(options.decide, 0);
  EXPECT_EQ(options.relax_to_boxes, 0);
  const SolutionHandle solution = Solve(ProblemOf(SmallSpec()), &options);
  EXPECT_STREQ(stowage_solution_strategy(solution.get()), "skyline");
}

// All padding is in named fields, so structs have the same layout with every
// compiler of a platform.
static_assert(sizeof(stowage_error) == 264);
static_assert(sizeof(stowage_record) == 24);
static_assert(sizeof(stowage_placed_record) == 32);
static_assert(sizeof(stowage_edge) == 16);
static_assert(sizeof(stowage_place) == 32);
static_assert(sizeof(stowage_problem_info) == 40);
static_assert(sizeof(stowage_bound) == 32);
static_assert(sizeof(stowage_progress) == 40);
static_assert(sizeof(stowage_options) == 88);
static_assert(sizeof(stowage_summary) == 88);
static_assert(sizeof(stowage_plan) == 88);
static_assert(sizeof(stowage_violation) == 104);
static_assert(sizeof(stowage_verdict) == 32);
static_assert(sizeof(stowage_plan_cache_stats) == 56);
static_assert(sizeof(stowage_replan_options) == 40);
static_assert(sizeof(stowage_changes) == 32);

TEST(Messages, AreCutAtWholeCharacters) {
  // Tries names of every length, so that the message is cut at each byte of
  // characters that are 1 to 4 bytes long.
  for (size_t length = 0; length < 300; ++length) {
    std::string path = "/nowhere/" + std::string(length, 'x');
    for (int i = 0; i < 40; ++i) path += "a\u00e9\u20ac\U0001F600";
    stowage_file* file = nullptr;
    auto error = Sized<stowage_error>();
    std::memset(error.message, 'z', sizeof(error.message));
    EXPECT_NE(stowage_file_read(path.c_str(), &file, &error), STOWAGE_OK);
    const size_t size = strnlen(error.message, sizeof(error.message));
    ASSERT_LT(size, sizeof(error.message));
    EXPECT_TRUE(IsUtf8(error.message)) << error.message;
    EXPECT_GT(size, sizeof(error.message) - 5);
  }
}

TEST(Messages, AreUtf8WhateverTheTextIs) {
  for (const std::string& bad : std::vector<std::string>{
           "\xFF", "\xC3", "a\xE2\x82", "\xED\xA0\x80", "\xF5\x80\x80\x80"}) {
    stowage_file* file = nullptr;
    auto error = Sized<stowage_error>();
    EXPECT_EQ(stowage_file_read(("/nowhere/" + bad).c_str(), &file, &error),
              STOWAGE_NOT_FOUND);
    EXPECT_TRUE(IsUtf8(error.message)) << error.message;
  }
}

TEST(DescribeProof, IsCutToItsCapacity) {
  char text[64];
  for (size_t capacity = 1; capacity < sizeof(text); ++capacity) {
    std::memset(text, 'z', sizeof(text));
    ASSERT_EQ(stowage_describe_proof(STOWAGE_PROOF_BYTES_LIVE, 5, text,
                                     capacity, nullptr),
              STOWAGE_OK);
    const std::string whole = "the bytes live at task 5";
    EXPECT_EQ(text, whole.substr(0, capacity - 1));
    EXPECT_EQ(text[capacity], 'z');
  }
}

}  // namespace
}  // namespace stowage::c_test
