// SPDX-License-Identifier: Apache-2.0
// Tests the documents that the reader of problems refuses, and the message for
// each of them.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/io/read_json.h"
#include "stowage/io/byte_source.h"
#include "stowage/io/problem_file.h"

namespace stowage {
namespace {

struct BadJson {
  const char* name;
  std::string json;
  const char* message;
  absl::StatusCode code = absl::StatusCode::kInvalidArgument;
};

class BadJsonTest : public testing::TestWithParam<BadJson> {};

TEST_P(BadJsonTest, IsRefused) {
  const absl::StatusOr<ProblemFile> trace =
      ParseProblemJson(GetParam().json, "p.json");
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.status().code(), GetParam().code) << trace.status();
  EXPECT_EQ(std::string(trace.status().message()), GetParam().message);
}

std::string NameOf(const testing::TestParamInfo<BadJson>& info) {
  return info.param.name;
}

// Returns a problem of one record. The text `field` is added to the record.
std::string RecordWith(absl::string_view field) {
  return absl::StrCat(
      "{\"records\":[\n{\"id\":\"a\",\"size\":4,\"lower\":0,\"upper\":2",
      field.empty() ? "" : ",", field, "}]}");
}

// Returns a problem of two records. The text `field` is added to the problem.
std::string ProblemWith(absl::string_view field) {
  return absl::StrCat(
      "{\"records\":[{\"id\":\"a\",\"size\":4,\"lower\":0,\"upper\":2},\n"
      "{\"id\":\"b\",\"size\":4,\"lower\":0,\"upper\":2}],\n",
      field, "}");
}

// Returns a problem of one record with users. The text `fields`, which
// describes the order of tasks, is added to the problem.
std::string OrderWith(absl::string_view fields) {
  return absl::StrCat("{\"records\":[{\"id\":\"a\",\"size\":4,\"users\":[0]}],",
                      fields, "}");
}

#define NUMBER "; expected a whole number from 0 to 18446744073709551615"

INSTANTIATE_TEST_SUITE_P(
    Text, BadJsonTest,
    testing::ValuesIn<BadJson>({
        {"Empty", "",
         "p.json:1: problem: it ends too early; expected the rest of a problem "
         "in JSON"},
        {"OnlyBlanks", "\n\n",
         "p.json:3: problem: it ends too early; expected the rest of a problem "
         "in JSON"},
        {"CutShort", "{\"records\":[\n{\"id\":",
         "p.json:2: records[0].id: it ends too early; expected the rest of a "
         "problem in JSON"},
        {"NotJson", "{\"records\":[\n{\"id\":nil}]}",
         "p.json:2: records[0].id: not JSON at byte 21; expected a problem in "
         "JSON"},
        {"TrailingComma", "{\"records\":[],}",
         "p.json:1: records: not JSON at byte 15; expected a problem in JSON"},
        {"Comment", "{\"records\":[] // none\n}",
         "p.json:1: records: not JSON at byte 15; expected a problem in JSON"},
        {"NotUtf8", "{\"records\":[{\"id\":\"\xFF\"}]}",
         "p.json:1: records[0].id: not JSON at byte 20; expected a problem in "
         "JSON"},
        {"TwoDocuments", "{\"records\":[]}\n{}",
         "p.json:2: problem: not JSON at byte 16; expected a problem in JSON"},
        {"NulAtTheEnd", std::string("{\"records\":[]}\0", 15),
         "p.json:1: problem: a NUL after the problem; expected its end"},
        {"NulInside", std::string("{\"records\":\0[]}", 15),
         "p.json:1: records: not JSON at byte 12; expected a problem in JSON"},
        {"List", "[]", "p.json:1: problem: is a list; expected an object"},
        {"Number", "3 ", "p.json:1: problem: is 3; expected an object"},
        {"DeepNesting", std::string(100000, '['),
         "p.json:1: problem: is a list; expected an object"},
        {"DeepNestingInside",
         absl::StrCat("{\"records\":", std::string(100000, '[')),
         "p.json:1: records[0]: is a list; expected an object"},
    }),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Types, BadJsonTest,
    testing::ValuesIn<BadJson>({
        {"Null", RecordWith("\"fixed\":null"),
         "p.json:2: records[0].fixed: is null" NUMBER},
        {"Boolean", RecordWith("\"fixed\":true"),
         "p.json:2: records[0].fixed: is true" NUMBER},
        {"Text", RecordWith("\"fixed\":\"4\""),
         "p.json:2: records[0].fixed: is \"4\"" NUMBER},
        {"Negative", RecordWith("\"fixed\":-1"),
         "p.json:2: records[0].fixed: is -1" NUMBER},
        {"Fraction", RecordWith("\"fixed\":0.5"),
         "p.json:2: records[0].fixed: is 0.5" NUMBER},
        {"Exponent", RecordWith("\"fixed\":1e3"),
         "p.json:2: records[0].fixed: is 1e3" NUMBER},
        {"Above64Bits", RecordWith("\"fixed\":18446744073709551616"),
         "p.json:2: records[0].fixed: is 18446744073709551616" NUMBER},
        {"BeyondFloatingPoint", RecordWith("\"fixed\":1e999\n"),
         "p.json:2: records[0].fixed: is 1e999" NUMBER},
        {"NegativeAtLineEnd", RecordWith("\"fixed\":-7\n\n"),
         "p.json:2: records[0].fixed: is -7" NUMBER},
        {"ObjectForNumber", RecordWith("\"fixed\":{}"),
         "p.json:2: records[0].fixed: is an object" NUMBER},
        {"ListForNumber", RecordWith("\"fixed\":[]"),
         "p.json:2: records[0].fixed: is a list" NUMBER},
        {"NumberForText", RecordWith("\"group\":7"),
         "p.json:2: records[0].group: is 7; expected a string"},
        {"EmptyText", RecordWith("\"group\":\"\""),
         "p.json:2: records[0].group: is \"\"; expected some text, without a "
         "NUL"},
        {"NulInText", RecordWith("\"group\":\"a\\u0000b\""),
         "p.json:2: records[0].group: is \"a\\000b\"; expected some text, "
         "without a NUL"},
        {"ControlInName", RecordWith("\"name\":\"a\\nb\""),
         "p.json:2: records[0].name: is \"a\\nb\"; expected text without "
         "control characters"},
        {"EmptyName", RecordWith("\"name\":\"\""),
         "p.json:2: records[0].name: is \"\"; expected some text, without a "
         "NUL"},
        {"NumberForType", RecordWith("\"type\":7"),
         "p.json:2: records[0].type: is 7; expected a string"},
        {"ListForShape", RecordWith("\"shape\":[1]"),
         "p.json:2: records[0].shape: is a list; expected a string"},
        {"NegativeProducer", RecordWith("\"producer\":-1"),
         "p.json:2: records[0].producer: is -1" NUMBER},
        {"ConsumersThatFall", RecordWith("\"consumers\":[2,2]"),
         "p.json:2: records[0].consumers[1]: is 2; expected rising tasks, each "
         "once"},
        {"NumberForOperator", ProblemWith("\"operators\":[7]"),
         "p.json:3: operators[0]: is 7; expected a string"},
        {"ControlInOperator", ProblemWith("\"operators\":[\"\",\"\\u007f\"]"),
         "p.json:3: operators[1]: is \"\\177\"; expected text without control "
         "characters"},
        {"OperatorsBeyondTheOrder",
         "{\"records\":[{\"id\":\"a\",\"size\":4,\"users\":[0]}],"
         "\"tasks\":1,\"edges\":[],\"order\":\"partial\","
         "\"operators\":[\"ADD\",\"MUL\"]}",
         "p.json: operators: 2 names; expected one for each of 1 tasks"},
        {"NumberForList", ProblemWith("\"apart\":7"),
         "p.json:3: apart: is 7; expected a list"},
        {"NumberForInnerList", ProblemWith("\"apart\":[[\"a\",\"b\"],7]"),
         "p.json:3: apart[1]: is 7; expected a list"},
        {"NumberForId", ProblemWith("\"never\":[[\"a\",\n7]]"),
         "p.json:4: never[0][1]: is 7; expected a string"},
        {"UnknownKey", RecordWith("\"colour\":1"),
         "p.json:2: records[0]: unknown key \"colour\"; expected id, size, "
         "lower, upper, users, alignment, fixed, min, max, group, at, pools, "
         "offset, object, pool, name, type, shape, producer or consumers"},
        {"UnknownKeyOfProblem", ProblemWith("\"colour\":1"),
         "p.json:3: unknown key \"colour\"; expected records, alignment, "
         "holes, apart, "
         "never, prefer_apart, same_or_apart, tasks, edges, streams, waits, "
         "order, execution_order, capacity, pools or operators"},
        {"RepeatedKey", RecordWith("\"size\":4"),
         "p.json:2: records[0]: key \"size\" twice; expected it once"},
        {"RepeatedKeyOfProblem", ProblemWith("\"records\":[]"),
         "p.json:3: key \"records\" twice; expected it once"},
        {"NoRecords", "{}", "p.json:1: no records; expected a list"},
        {"NoId", "{\"records\":[{\"size\":4}]}",
         "p.json:1: records[0]: no id; expected a string"},
        {"NoSize", "{\"records\":[{\"id\":\"a\"}]}",
         "p.json:1: records[0]: no size" NUMBER},
        {"NoCostOfPreference",
         ProblemWith("\"prefer_apart\":[{\"first\":\"a\",\"second\":\"b\"}]"),
         "p.json:3: prefer_apart[0]: no cost" NUMBER},
    }),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Records, BadJsonTest,
    testing::ValuesIn<BadJson>({
        {"RepeatedId",
         "{\"records\":[{\"id\":\"a\",\"size\":4,\"lower\":0,\"upper\":2},\n"
         "{\"id\":\"a\",\"size\":4,\"lower\":0,\"upper\":2}]}",
         "p.json:2: records[1]: id \"a\" repeats records[0]; expected a unique "
         "id"},
        {"NoLower", "{\"records\":[{\"id\":\"a\",\"size\":4,\"upper\":2}]}",
         "p.json:1: records[0]: no lower; expected lower and upper in every "
         "record, without users"},
        {"NoUpper", "{\"records\":[{\"id\":\"a\",\"size\":4,\"lower\":2}]}",
         "p.json:1: records[0]: no upper; expected lower and upper in every "
         "record, without users"},
        {"LowerAndUsers", RecordWith("\"users\":[0]"),
         "p.json:2: records[0]: an interval beside users; expected users in "
         "every record, without lower and upper"},
        {"UsersOfSome",
         "{\"records\":[{\"id\":\"a\",\"size\":4,\"lower\":0,\"upper\":2},\n"
         "{\"id\":\"b\",\"size\":4,\"users\":[0]}]}",
         "p.json:2: records[1]: users beside intervals; expected lower and "
         "upper in every record, without users"},
        {"IntervalsOfSome",
         "{\"records\":[{\"id\":\"b\",\"size\":4,\"users\":[0]},\n"
         "{\"id\":\"a\",\"size\":4,\"lower\":0,\"upper\":2}]}",
         "p.json:2: records[1]: no users; expected users in every record, "
         "without lower and upper"},
        {"NoUser", "{\"records\":[{\"id\":\"b\",\"size\":4,\"users\":[]}]}",
         "p.json:1: records[0].users: no task; expected at least one"},
        {"EmptyInterval",
         "{\"records\":[{\"id\":\"a\",\"size\":4,\"lower\":2,\"upper\":2}]}",
         "p.json:1: records[0]: upper is 2; expected more than lower, which is "
         "2: upper is one past the last task"},
        {"Alignment", RecordWith("\"alignment\":3"),
         "p.json:2: records[0].alignment: is 3; expected a power of two"},
        {"DefaultAlignment", "{\"alignment\":3,\"records\":[]}",
         "p.json:1: alignment: is 3; expected a power of two"},
        {"AtWithoutGroup", RecordWith("\"at\":0"),
         "p.json:2: records[0]: at without a group; expected both"},
        {"OffsetAndObject", RecordWith("\"offset\":0,\"object\":0"),
         "p.json:2: records[0]: both offset and object; expected one of them"},
        {"PoolWithoutOffset", RecordWith("\"pool\":\"p\""),
         "p.json:2: records[0]: pool without offset; expected both, or the "
         "pools that may be used in pools"},
        {"OffsetsOfSome",
         "{\"records\":[{\"id\":\"a\",\"size\":4,\"lower\":0,\"upper\":2,"
         "\"offset\":0},\n{\"id\":\"b\",\"size\":4,\"lower\":0,\"upper\":2}]}",
         "p.json:2: records[1]: no offset; expected it in every record, or in "
         "none"},
    }),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Constraints, BadJsonTest,
    testing::ValuesIn<BadJson>({
        {"UnknownIdApart",
         ProblemWith("\"apart\":[[\"a\",\"b\"],[\"a\",\"c\"]]"),
         "p.json: apart[1][1]: no record is called \"c\"; expected the id of a "
         "record"},
        {"UnknownIdNever", ProblemWith("\"never\":[[\"a\",\"c\"]]"),
         "p.json: never[0][1]: no record is called \"c\"; expected the id of a "
         "record"},
        {"UnknownIdPreference",
         ProblemWith("\"prefer_apart\":[{\"first\":\"c\",\"second\":\"b\","
                     "\"cost\":1}]"),
         "p.json: prefer_apart[0].first: no record is called \"c\"; expected "
         "the id of a record"},
        {"NeverOfOne", ProblemWith("\"never\":[[\"a\"]]"),
         "p.json:3: never[0]: 1 ids; expected two"},
        {"NeverOfThree", ProblemWith("\"never\":[[\"a\",\"b\",\"a\"]]"),
         "p.json:3: never[0]: 3 ids; expected two"},
        {"UnknownIdSameOrApart",
         ProblemWith("\"same_or_apart\":[[\"a\",\"c\"]]"),
         "p.json: same_or_apart[0][1]: no record is called \"c\"; expected the "
         "id of a record"},
        {"SameOrApartOfOne", ProblemWith("\"same_or_apart\":[[\"a\"]]"),
         "p.json:3: same_or_apart[0]: 1 entries; expected two ids, and the "
         "bytes that need not be copied or nothing"},
        {"SameOrApartOfFour",
         ProblemWith("\"same_or_apart\":[[\"a\",\"b\",1,2]]"),
         "p.json:3: same_or_apart[0]: 4 entries; expected two ids, and the "
         "bytes that need not be copied or nothing"},
        {"SameOrApartOfThreeIds",
         ProblemWith("\"same_or_apart\":[[\"a\",\"b\",\"a\"]]"),
         "p.json:3: same_or_apart[0][2]: is \"a\"" NUMBER},
        {"SameOrApartOfANumber",
         ProblemWith("\"same_or_apart\":[[\"a\",4096]]"),
         "p.json:3: same_or_apart[0][1]: is 4096; expected a string"},
        {"EmptyHole", ProblemWith("\"holes\":[{\"begin\":4,\"end\":4}]"),
         "p.json:3: holes[0]: end is 4; expected more than begin, which is 4"},
        {"HoleOfNoTask",
         ProblemWith("\"holes\":[{\"begin\":4,\"end\":8,\"lower\":3,"
                     "\"upper\":3}]"),
         "p.json:3: holes[0]: upper is 3; expected more than lower, which is "
         "3"},
        {"HoleUpToNothing",
         ProblemWith("\"holes\":[{\"begin\":4,\"end\":8,\"upper\":0}]"),
         "p.json:3: holes[0].upper: is 0; expected one past the last task"},
        {"HoleOfUnknownPool",
         ProblemWith("\"holes\":[{\"begin\":4,\"end\":8,\"pool\":\"p\"}]"),
         "p.json: holes[0].pool: no pool is called \"p\"; expected the name of "
         "a pool"},
        {"HoleOfNoPool",
         ProblemWith("\"holes\":[{\"begin\":4,\"end\":8}],"
                     "\"pools\":[{\"name\":\"p\"}]"),
         "p.json: holes[0]: no pool; expected the name of one"},
        {"RepeatedPool",
         ProblemWith("\"pools\":[{\"name\":\"p\"},{\"name\":\"p\"}]"),
         "p.json:3: pools[1]: name \"p\" repeats pools[0]; expected a unique "
         "name"},
        {"UnknownPool", RecordWith("\"pools\":[{\"name\":\"p\",\"cost\":1}]"),
         "p.json: records[0].pools: no pool is called \"p\"; expected the name "
         "of a pool"},
        {"PoolTwice",
         RecordWith("\"pools\":[{\"name\":\"p\"},{\"name\":\"q\"},"
                    "{\"name\":\"p\"}]"),
         "p.json:2: records[0]: pool \"p\" twice in pools; expected each once"},
        {"UnknownChosenPool", RecordWith("\"offset\":0,\"pool\":\"p\""),
         "p.json: records[0].pool: no pool is called \"p\"; expected the name "
         "of a pool"},
    }),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Orders, BadJsonTest,
    testing::ValuesIn<BadJson>({
        {"FreeWithStreams", OrderWith("\"streams\":[[0]],\"order\":\"free\""),
         "p.json: streams: the order is free; expected edges, or \"order\": "
         "\"partial\""},
        {"FreeWithWaits", OrderWith("\"waits\":[[0,0]],\"order\":\"free\""),
         "p.json: waits: the order is free; expected edges, or \"order\": "
         "\"partial\""},
        {"FreeWithoutEdges", OrderWith("\"tasks\":1,\"order\":\"free\""),
         "p.json: order: free without edges; expected tasks and edges, of "
         "which "
         "there may be none"},
        {"FreeWithoutTasks", OrderWith("\"edges\":[],\"order\":\"free\""),
         "p.json: order: free without tasks; expected tasks and edges, of "
         "which "
         "there may be none"},
        {"FreeWithIntervals",
         ProblemWith("\"tasks\":2,\"edges\":[],\"order\":\"free\""),
         "p.json: order: records have lower and upper; expected users in every "
         "record"},
        {"FreeWithUnknownUsers",
         OrderWith("\"tasks\":0,\"edges\":[],\"order\":\"free\""),
         "p.json: records[0].users: task 0; expected tasks below 0"},
        {"FreeCycle",
         OrderWith("\"tasks\":2,\"edges\":[[0,1],[1,0]],\"order\":\"free\""),
         "p.json: edges: free order: task 0 and 1 more wait for each other in "
         "a "
         "cycle; expected an order"},
        {"FreeTooManyTasks",
         OrderWith("\"tasks\":1099511627776,\"edges\":[],\"order\":\"free\""),
         "p.json: edges: free order: 1099511627776 tasks; expected at most "
         "16777217",
         absl::StatusCode::kResourceExhausted},
        {"ExecutionOrderOfPartial",
         OrderWith("\"tasks\":1,\"edges\":[],\"execution_order\":[0],"
                   "\"order\":\"partial\""),
         "p.json: execution_order: the order is not free; expected \"order\": "
         "\"free\""},
        {"ExecutionOrderAlone", OrderWith("\"execution_order\":[0]"),
         "p.json: execution_order: the order is not free; expected \"order\": "
         "\"free\""},
        {"ExecutionOrderOfText", OrderWith("\"execution_order\":[\"a\"]"),
         "p.json:1: execution_order[0]: is \"a\"; expected a whole number from "
         "0 to 18446744073709551615"},
        {"Other", OrderWith("\"order\":\"total\""),
         "p.json:1: order: is \"total\"; expected \"partial\" or \"free\""},
        {"None", OrderWith("\"capacity\":8"),
         "p.json: records: they have users, but there is no order; expected "
         "\"order\": \"partial\", or lower and upper in every record"},
        {"NoneButTasks", ProblemWith("\"tasks\":4"),
         "p.json: tasks: there is no order; expected \"order\": \"partial\""},
        {"WithIntervals",
         ProblemWith("\"tasks\":2,\"edges\":[],\"order\":\"partial\""),
         "p.json: order: records have lower and upper; expected users in every "
         "record"},
        {"EdgesAndStreams",
         OrderWith("\"tasks\":1,\"edges\":[],\"streams\":[[0]],"
                   "\"order\":\"partial\""),
         "p.json: order: both edges and streams; expected one of them"},
        {"NeitherEdgesNorStreams",
         OrderWith("\"tasks\":1,\"order\":\"partial\""),
         "p.json: order: neither edges nor streams; expected one of them"},
        {"WaitsOfEdges",
         OrderWith(
             "\"tasks\":1,\"edges\":[],\"waits\":[],\"order\":\"partial\""),
         "p.json: waits: there are no streams; expected streams, or edges "
         "alone"},
        {"EdgesWithoutTasks", OrderWith("\"edges\":[],\"order\":\"partial\""),
         "p.json: order: edges without tasks; expected the number of tasks"},
        {"EdgeOfOne",
         OrderWith("\"tasks\":1,\"edges\":[[0]],\"order\":\"partial\""),
         "p.json:1: edges[0]: 1 tasks; expected the one before and the one "
         "after"},
        {"UserOutOfRange",
         "{\"records\":[{\"id\":\"a\",\"size\":4,\"users\":[0,2]}],\"tasks\":2,"
         "\"edges\":[],\"order\":\"partial\"}",
         "p.json: records[0].users: task 2; expected tasks below 2"},
        {"Cycle",
         OrderWith("\"tasks\":2,\"edges\":[[0,1],[1,0]],\"order\":\"partial\""),
         "p.json: edges: task order: task 0 and 1 more wait for each other in "
         "a "
         "cycle; expected an order"},
        {"OtherNumberOfTasks",
         OrderWith("\"tasks\":3,\"streams\":[[0],[1]],\"order\":\"partial\""),
         "p.json: tasks: is 3; expected 2, as many as in streams"},
        {"TooWide",
         OrderWith("\"tasks\":200,\"edges\":[],\"order\":\"partial\""),
         "p.json: edges: task order: it takes 200 chains; expected 64 at most "
         "(edges between tasks that need not run at once make fewer)",
         absl::StatusCode::kResourceExhausted},
        {"FarTooWide",
         OrderWith("\"tasks\":4294967294,\"edges\":[],\"order\":\"partial\""),
         "p.json: edges: task order: it takes more than 1024 chains; expected "
         "64 at most (edges between tasks that need not run at once make "
         "fewer)",
         absl::StatusCode::kResourceExhausted},
    }),
    NameOf);

// Provides blanks without end.
class EndlessSource : public ByteSource {
 public:
  absl::StatusOr<size_t> Read(absl::Span<char> buffer) override {
    std::fill(buffer.begin(), buffer.end(), ' ');
    return buffer.size();
  }
};

TEST(BadProblemSource, IsReadUpToALimit) {
  EndlessSource source;
  const absl::Status status =
      problem_file::ReadJson(&source, "p", 1000).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_EQ(std::string(status.message()),
            "p: too long; expected at most 1000 bytes of a problem");
}

class BrokenSource : public ByteSource {
 public:
  absl::StatusOr<size_t> Read(absl::Span<char> /*buffer*/) override {
    return absl::UnavailableError("the disk is gone");
  }
};

TEST(BadProblemSource, SaysWhatItsSourceReports) {
  BrokenSource source;
  EXPECT_EQ(problem_file::ReadJson(&source, "p").status(),
            absl::UnavailableError("the disk is gone"));
}

}  // namespace
}  // namespace stowage
