// SPDX-License-Identifier: Apache-2.0
// Tests the functions of stowage/c/dynamic.h, which handle stacks and problems
// with parameters.
#include "stowage/c/dynamic.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/c/stowage.h"
#include "stowage/micro/stack.h"
#include "tests/c/c_handles.h"

namespace stowage::c_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kDynamic[] = R"({
  "parameters": {"seq": {"min": 1, "max": 8}},
  "alignment": 16,
  "records": [
    {"id": "q", "size": "16*seq", "lower": 0, "upper": 2},
    {"id": "k", "size": "128 - 16*seq", "lower": 1, "upper": 3},
    {"id": "v", "size": "32", "lower": 2, "upper": 4}
  ]
})";

constexpr stowage_record kRecords[] = {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}};

DynamicHandle ParseDynamic(const std::string& text,
                           stowage_error* error = nullptr) {
  stowage_dynamic* made = nullptr;
  stowage_dynamic_parse(text.data(), text.size(), "dyn.json", &made, error);
  return DynamicHandle(made);
}

StackHandle Stack(const std::vector<uint64_t>& order,
                  stowage_error* error = nullptr) {
  stowage_stack* made = nullptr;
  stowage_stack_create(kRecords, order.size(), 16, order.data(), &made, error);
  return StackHandle(made);
}

StackHandle PlannedStack(const DynamicHandle& dynamic) {
  stowage_stack* made = nullptr;
  auto error = Sized<stowage_error>();
  EXPECT_EQ(stowage_dynamic_plan(dynamic.get(), STOWAGE_NONE, &made, &error),
            STOWAGE_OK)
      << error.message;
  return StackHandle(made);
}

stowage_stack_info StackInfoOf(const StackHandle& stack) {
  auto info = Sized<stowage_stack_info>();
  EXPECT_EQ(stowage_stack_get_info(stack.get(), &info, nullptr), STOWAGE_OK);
  return info;
}

TEST(CStack, GivesOffsetsForAnySizes) {
  const StackHandle stack = Stack({1, 0, 2});
  const stowage_stack_info info = StackInfoOf(stack);
  EXPECT_EQ(info.count, 3);
  EXPECT_EQ(info.edges, 2);
  EXPECT_THAT(std::vector<uint64_t>(info.order, info.order + 3),
              ElementsAre(1, 0, 2));
  EXPECT_EQ(info.status, STOWAGE_FEASIBLE);
  EXPECT_EQ(info.reserve, STOWAGE_NONE);
  EXPECT_EQ(info.bound, STOWAGE_NONE);
  uint64_t offsets[3] = {};
  uint64_t total = 0;
  const uint64_t sizes[] = {5, 17, 64};
  ASSERT_EQ(
      stowage_stack_offsets(stack.get(), sizes, 3, offsets, &total, nullptr),
      STOWAGE_OK);
  EXPECT_THAT(offsets, ElementsAre(32, 0, 32));
  EXPECT_EQ(total, 96);
}

TEST(CStack, HasATableForDevices) {
  const StackHandle stack = Stack({1, 0, 2});
  const uint8_t* table = nullptr;
  size_t size = 0;
  ASSERT_EQ(stowage_stack_table(stack.get(), &table, &size, nullptr),
            STOWAGE_OK);
  stowage_micro_stack device = {};
  ASSERT_EQ(stowage_micro_stack_check(table, size, &device), STOWAGE_MICRO_OK);
  const size_t sizes[] = {17, 5, 64};  // from the bottom to the top
  size_t offsets[3] = {};
  size_t total = 0;
  ASSERT_EQ(stowage_micro_stack_place(&device, sizes, offsets, &total),
            STOWAGE_MICRO_OK);
  EXPECT_THAT(offsets, ElementsAre(0, 32, 32));
  EXPECT_EQ(total, 96);
}

TEST(CStack, ReportsOverflow) {
  const StackHandle stack = Stack({0, 1, 2});
  const uint64_t sizes[] = {UINT64_MAX, 1, 1};
  uint64_t offsets[3] = {};
  uint64_t total = 7;
  auto error = Sized<stowage_error>();
  EXPECT_EQ(
      stowage_stack_offsets(stack.get(), sizes, 3, offsets, &total, &error),
      STOWAGE_OUT_OF_RANGE);
  EXPECT_EQ(total, 7);
  EXPECT_THAT(error.message, HasSubstr("record 1"));
}

TEST(CDynamic, ReportsWhetherTheCapacitySuffices) {
  const struct {
    const char* capacity;
    uint32_t status;
  } cases[] = {{"143", STOWAGE_INFEASIBLE}, {"144", STOWAGE_OPTIMAL}};
  for (const auto& c : cases) {
    std::string text = kDynamic;
    text.insert(text.find('{') + 1,
                std::string(R"("capacity": )") + c.capacity + ",");
    const DynamicHandle dynamic = ParseDynamic(text);
    ASSERT_NE(dynamic, nullptr);
    const stowage_stack_info info = StackInfoOf(PlannedStack(dynamic));
    EXPECT_EQ(info.status, c.status) << c.capacity;
    EXPECT_EQ(info.reserve, 144);
  }
}

TEST(CDynamic, PlansForAllValues) {
  const DynamicHandle dynamic = ParseDynamic(kDynamic);
  ASSERT_NE(dynamic, nullptr);
  uint64_t count = 0;
  ASSERT_EQ(stowage_dynamic_count(dynamic.get(), &count, nullptr), STOWAGE_OK);
  EXPECT_EQ(count, 3);
  const StackHandle stack = PlannedStack(dynamic);
  const stowage_stack_info info = StackInfoOf(stack);
  // The sum of the sizes of records 1 and 2 is largest when the parameter is
  // smallest.
  EXPECT_EQ(info.bound, 144);
  EXPECT_EQ(info.reserve, 144);
  for (int seq = 1; seq <= 8; ++seq) {
    uint64_t sizes[3] = {};
    uint64_t offsets[3] = {};
    uint64_t total = 0;
    ASSERT_EQ(stowage_dynamic_sizes(dynamic.get(),
                                    ("seq=" + std::to_string(seq)).c_str(),
                                    sizes, 3, nullptr),
              STOWAGE_OK);
    EXPECT_EQ(sizes[0] + sizes[1], 128);
    ASSERT_EQ(
        stowage_stack_offsets(stack.get(), sizes, 3, offsets, &total, nullptr),
        STOWAGE_OK);
    EXPECT_LE(total, info.reserve);
  }
}

TEST(CDynamic, TakesTheOrderOfItsText) {
  auto error = Sized<stowage_error>();
  stowage_stack* made = nullptr;
  const DynamicHandle without = ParseDynamic(kDynamic);
  EXPECT_EQ(stowage_dynamic_stack(without.get(), &made, &error),
            STOWAGE_FAILED_PRECONDITION);
  EXPECT_THAT(error.message, HasSubstr("the problem has no order"));
  std::string text = kDynamic;
  for (const char* place : {"0", "2", "1"}) {
    const size_t at = text.find("\"upper\"", text.rfind("\"stack\"") + 1);
    text.insert(text.find('}', at), std::string(", \"stack\": ") + place);
  }
  const DynamicHandle with = ParseDynamic(text, &error);
  ASSERT_NE(with, nullptr) << error.message;
  ASSERT_EQ(stowage_dynamic_stack(with.get(), &made, &error), STOWAGE_OK)
      << error.message;
  const StackHandle stack(made);
  EXPECT_THAT(std::vector<uint64_t>(StackInfoOf(stack).order,
                                    StackInfoOf(stack).order + 3),
              ElementsAre(0, 2, 1));
}

struct BadDynamicCall {
  std::string name;
  stowage_code code;
  std::string message;
  std::function<stowage_code(stowage_error*)> call;
};

void ExpectErrors(const std::vector<BadDynamicCall>& cases) {
  for (const BadDynamicCall& test : cases) {
    SCOPED_TRACE(test.name);
    auto error = Sized<stowage_error>();
    EXPECT_EQ(test.call(&error), test.code);
    EXPECT_THAT(error.message, HasSubstr(test.message));
    EXPECT_EQ(test.call(nullptr), test.code);
  }
}

TEST(CStack, IsNotCreatedOfBadArguments) {
  const uint64_t order[] = {0, 1, 2};
  const uint64_t twice[] = {0, 1, 1};
  const stowage_record reversed[] = {{0, 0, 1}, {0, 2, 1}, {0, 2, 3}};
  stowage_stack* made = nullptr;
  ExpectErrors({
      {"create without a result", STOWAGE_INVALID_ARGUMENT, "stack: null",
       [&](stowage_error* e) {
         return stowage_stack_create(kRecords, 3, 1, order, nullptr, e);
       }},
      {"create without an order", STOWAGE_INVALID_ARGUMENT, "order: null",
       [&](stowage_error* e) {
         return stowage_stack_create(kRecords, 3, 1, nullptr, &made, e);
       }},
      {"create from too many", STOWAGE_OUT_OF_RANGE, "records: a count of",
       [&](stowage_error* e) {
         return stowage_stack_create(kRecords, SIZE_MAX, 1, order, &made, e);
       }},
      {"a record twice", STOWAGE_INVALID_ARGUMENT, "record 1",
       [&](stowage_error* e) {
         return stowage_stack_create(kRecords, 3, 1, twice, &made, e);
       }},
      {"an interval reversed", STOWAGE_INVALID_ARGUMENT, "record 1",
       [&](stowage_error* e) {
         return stowage_stack_create(reversed, 3, 1, order, &made, e);
       }},
      {"a bad alignment", STOWAGE_INVALID_ARGUMENT, "alignment",
       [&](stowage_error* e) {
         return stowage_stack_create(kRecords, 3, 24, order, &made, e);
       }},
  });
  EXPECT_EQ(made, nullptr);
}

TEST(CStack, RefusesBadArguments) {
  const StackHandle stack = Stack({0, 1, 2});
  const DynamicHandle dynamic = ParseDynamic(kDynamic);
  uint64_t numbers[3] = {};
  uint64_t total = 0;
  const uint8_t* table = nullptr;
  // Passes the handle of a problem instead of the handle of a stack.
  const auto* const other =
      reinterpret_cast<const stowage_stack*>(dynamic.get());
  ExpectErrors({
      {"info of nothing", STOWAGE_INVALID_ARGUMENT, "stack: null",
       [&](stowage_error* e) {
         return stowage_stack_get_info(nullptr, nullptr, e);
       }},
      {"another handle", STOWAGE_INVALID_ARGUMENT, "another kind",
       [&](stowage_error* e) {
         return stowage_stack_offsets(other, numbers, 3, numbers, &total, e);
       }},
      {"too few sizes", STOWAGE_INVALID_ARGUMENT, "count: 2; expected 3",
       [&](stowage_error* e) {
         return stowage_stack_offsets(stack.get(), numbers, 2, numbers, &total,
                                      e);
       }},
      {"no sizes", STOWAGE_INVALID_ARGUMENT, "sizes: null",
       [&](stowage_error* e) {
         return stowage_stack_offsets(stack.get(), nullptr, 3, numbers, &total,
                                      e);
       }},
      {"no total", STOWAGE_INVALID_ARGUMENT, "total: null",
       [&](stowage_error* e) {
         return stowage_stack_offsets(stack.get(), numbers, 3, numbers, nullptr,
                                      e);
       }},
      {"no table", STOWAGE_INVALID_ARGUMENT, "size: null",
       [&](stowage_error* e) {
         return stowage_stack_table(stack.get(), &table, nullptr, e);
       }},
  });
  stowage_stack_free(nullptr);
}

TEST(CDynamic, RefusesBadArguments) {
  const DynamicHandle dynamic = ParseDynamic(kDynamic);
  uint64_t numbers[3] = {};
  stowage_stack* made = nullptr;
  stowage_dynamic* read = nullptr;
  ExpectErrors({
      {"no text", STOWAGE_INVALID_ARGUMENT, "text: null",
       [&](stowage_error* e) {
         return stowage_dynamic_parse(nullptr, 1, "x", &read, e);
       }},
      {"not JSON", STOWAGE_INVALID_ARGUMENT, "x:1",
       [&](stowage_error* e) {
         return stowage_dynamic_parse("{", 1, "x", &read, e);
       }},
      {"no place for the count", STOWAGE_INVALID_ARGUMENT, "count: null",
       [&](stowage_error* e) {
         return stowage_dynamic_count(dynamic.get(), nullptr, e);
       }},
      {"a value out of range", STOWAGE_INVALID_ARGUMENT, "seq",
       [&](stowage_error* e) {
         return stowage_dynamic_sizes(dynamic.get(), "seq=9", numbers, 3, e);
       }},
      {"no value", STOWAGE_INVALID_ARGUMENT, "at: null",
       [&](stowage_error* e) {
         return stowage_dynamic_sizes(dynamic.get(), nullptr, numbers, 3, e);
       }},
      {"a plan of nothing", STOWAGE_INVALID_ARGUMENT, "dynamic: null",
       [&](stowage_error* e) {
         return stowage_dynamic_plan(nullptr, 0, &made, e);
       }},
      {"a stack of nothing", STOWAGE_INVALID_ARGUMENT, "dynamic: null",
       [&](stowage_error* e) {
         return stowage_dynamic_stack(nullptr, &made, e);
       }},
  });
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(read, nullptr);
  stowage_dynamic_free(nullptr);
}

}  // namespace
}  // namespace stowage::c_test
