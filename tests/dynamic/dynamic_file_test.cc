// SPDX-License-Identifier: Apache-2.0
// Tests that writing a problem with parameters and reading it back does not
// change it, and that errors name the line and the value.
#include "stowage/dynamic/dynamic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/io/problem_file.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kPlanned[] =
    R"({"parameters":{"r":{"min":1,"max":3},"s":{"min":2,"max":8,"step":3}},
"where":["r+s <= 7"],
"alignment":8,
"capacity":4096,
"reserve":96,
"ratio":"4/3",
"worst":"r=1,s=2",
"records":[
{"id":"a","size":"8*r*s","lower":0,"upper":2,"name":"x","type":"int8","stack":1},
{"id":"b","size":16,"lower":1,"upper":3,"stack":0}],
"operators":["ADD"]}
)";

constexpr char kScenarios[] =
    R"({"scenarios":["s16","s64"],
"records":[
{"id":"a","size":[98304,393216],"lower":0,"upper":2},
{"id":"b","size":7,"lower":1,"upper":3,"alignment":64}]}
)";

constexpr char kFormulas[] =
    R"({"parameters":{"s":{"min":1,"max":9}},
"records":[
{"id":"a","size":"8*s","lower":0,"upper":2,"offset":0},
{"id":"b","size":32,"lower":1,"upper":3,"offset":"8*s"}]}
)";

constexpr char kGroups[] =
    R"({"parameters":{"s":{"min":1,"max":9}},
"alignment":8,
"records":[
{"id":"a","size":"8*s","lower":0,"upper":2,"fixed":64},
{"id":"b","size":"4*s","lower":1,"upper":3,"group":"halves","at":0},
{"id":"c","size":"4*s","lower":1,"upper":4,"group":"halves","at":40},
{"id":"d","size":7,"lower":1,"upper":3}]}
)";

TEST(DynamicFile, IsWrittenAsItWasRead) {
  for (const char* const text : {kPlanned, kScenarios, kFormulas, kGroups}) {
    const StatusOr<DynamicFile> file = ParseDynamicJson(text, "p.json");
    ASSERT_THAT(file, support::IsOk());
    EXPECT_EQ(FormatDynamicJson(*file), text);
  }
  const StatusOr<DynamicFile> file = ParseDynamicJson(kPlanned, "p.json");
  EXPECT_THAT(file->order, ElementsAre(1, 0));
  EXPECT_EQ(file->reserve, 96u);
  EXPECT_EQ(file->problem.parameters[1].step, 3u);
}

TEST(DynamicFile, IsAProblemAtAValue) {
  struct Case {
    const char* text;
    const char* at;
    size_t size;
    std::vector<size_t> offsets;
  };
  const Case cases[] = {{kPlanned, "r=2,s=5", 80, {16, 0}},
                        {kScenarios, "s64", 393216, {}},
                        {kFormulas, "s=4", 32, {0, 32}}};
  for (const Case& test : cases) {
    const StatusOr<ProblemFile> file =
        DynamicFormat(std::string(test.at)).parse(test.text, "p.json");
    ASSERT_THAT(file, support::IsOk()) << test.at;
    EXPECT_EQ(file->problem.records[0].tensor_size, test.size) << test.at;
    EXPECT_EQ(file->plan.offsets, test.offsets) << test.at;
  }
}

TEST(DynamicFile, NeedsAValueOfItsParameters) {
  const auto message = [](optional<std::string> at) {
    return std::string(
        DynamicFormat(at).parse(kPlanned, "p.json").status().message());
  };
  EXPECT_THAT(message(nullopt),
              HasSubstr("p.json: its sizes depend on parameters; expected --at "
                        "r=1,s=2 or another value"));
  EXPECT_THAT(message("r=1"), HasSubstr("p.json: no value of s"));
}

TEST(DynamicFile, IsKnownByItsKeys) {
  EXPECT_TRUE(IsDynamic(kPlanned));
  EXPECT_TRUE(IsDynamic("\xEF\xBB\xBF {\"records\": [], \"scenarios\" :["));
  EXPECT_FALSE(IsDynamic("{\"records\":[{\"parameters\":1}]}"));
  EXPECT_FALSE(IsDynamic("[\"parameters\":"));
  EXPECT_FALSE(IsDynamic(""));
}

struct FileErrorCase {
  const char* name;
  const char* text;
  const char* message;
};

TEST(DynamicFile, NamesThePlaceOfAnError) {
  const FileErrorCase cases[] = {
      {"NotJson", "{\"parameters\":", "p:1: parameters: it ends too early"},
      {"NoRecords", "{\"parameters\":{}}",
       "p:1: problem: no records; expected a list"},
      {"NoMax", "{\"parameters\":{\n\"s\":{\"min\":1}},\"records\":[]}",
       "p:2: parameters.s: no upper bound: s; expected a max"},
      {"UnknownKey", "{\"parameters\":{},\"records\":[],\"truth\":1}",
       "unknown key \"truth\"; expected one of parameters, where"},
      {"Fraction",
       "{\"parameters\":{\"s\":{\"min\":1,\"max\":1.5}},\"records\":[]}",
       "parameters.s.max: is 1.5; expected a whole number"},
      {"SizeKind",
       "{\"parameters\":{},\"records\":[\n{\"id\":\"a\",\"size\":true,"
       "\"lower\":"
       "0,\"upper\":1}]}",
       "p:2: records[0].size: is true; expected a string"},
      {"TableLength",
       "{\"scenarios\":[\"x\"],\"records\":[{\"id\":\"a\",\"size\":[1,2],"
       "\"lower\":0,\"upper\":1}]}",
       "records[0].size: has 2 sizes; expected 1, one for each scenario"},
      {"Interval",
       "{\"parameters\":{},\"records\":[{\"id\":\"a\",\"size\":1,\"lower\":3,"
       "\"upper\":3}]}",
       "records[0].upper: is 3; expected more than the lower 3"},
      {"SameId",
       "{\"parameters\":{},\"records\":[{\"id\":\"a\",\"size\":1,\"lower\":0,"
       "\"upper\":3},{\"id\":\"a\",\"size\":1,\"lower\":0,\"upper\":3}]}",
       "records[1].id: is \"a\" again; expected another id"},
      {"Position",
       "{\"parameters\":{},\"records\":[{\"id\":\"a\",\"size\":1,\"lower\":0,"
       "\"upper\":3,\"stack\":1}]}",
       "records[0].stack: is 1; expected the positions 0 to 0, each once"},
      {"HalfAPlan",
       "{\"parameters\":{},\"records\":[{\"id\":\"a\",\"size\":1,\"lower\":0,"
       "\"upper\":3,\"stack\":0},{\"id\":\"b\",\"size\":1,\"lower\":0,"
       "\"upper\":"
       "3}]}",
       "records: 1 of 2 records have a place; expected all or none"},
      {"Alignment", "{\"parameters\":{},\"alignment\":3,\"records\":[]}",
       "alignment: is 3; expected a power of two"},
  };
  for (const FileErrorCase& test : cases) {
    const Status status = ParseDynamicJson(test.text, "p").status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << test.name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(test.message))
        << test.name;
  }
}

TEST(DynamicFile, NamesTheLineOfWhatHasNoMeaning) {
  const FileErrorCase cases[] = {
      {"Range",
       "{\"parameters\":{\"n\":{\"min\":1,\"max\":2},\n"
       "\"s\":{\"min\":2,\"max\":1}},\"records\":[]}",
       "p:2: empty range: s has min 2"},
      {"Size",
       "{\"parameters\":{\"s\":{\"min\":1,\"max\":9}},\"records\":[\n"
       "{\"id\":\"a\",\"size\":\"s\",\"lower\":0,\"upper\":1},\n"
       "{\"id\":\"b\",\n\"size\":\"4*(s-3)\",\"lower\":0,\"upper\":1}]}",
       "p:4: negative size: b at s=1: -8 bytes; expected at least 0"},
      {"Syntax",
       "{\"parameters\":{\"s\":{\"min\":1,\"max\":9}},\"records\":[\n"
       "{\"id\":\"a\",\"size\":\"4*\",\"lower\":0,\"upper\":1}]}",
       "p:2: size of a: syntax: column 3"},
      {"Limit",
       "{\"parameters\":{\"s\":{\"min\":1,\"max\":9}},\"where\":[\"s < 5\",\n"
       "\"s\"],\"records\":[]}",
       "p:2: where[1]: no comparison"},
      {"NoValue",
       "{\"parameters\":{\"s\":{\"min\":1,\"max\":9}},\n"
       "\"where\":[\"s > 9\"],\"records\":[]}",
       "p:2: no value satisfies where"},
      {"Whole", "{\"parameters\":{},\n\"records\":[]}",
       "p: no parameters and no scenarios"},
      {"AtWithoutGroup",
       "{\"parameters\":{\"s\":{\"min\":1,\"max\":9}},\"records\":[\n"
       R"({"id":"a","size":1,"lower":0,"upper":1,"at":8}]})",
       "p:2: records[0].at: without a group"},
      {"FixedOverlap",
       "{\"parameters\":{\"s\":{\"min\":1,\"max\":9}},\"records\":[\n"
       "{\"id\":\"a\",\"size\":\"s\",\"lower\":0,\"upper\":1,\"fixed\":0},\n"
       R"({"id":"b","size":1,"lower":0,"upper":1,"fixed":8}]})",
       "p:3: fixed offsets of 'a' and 'b' overlap: the first has 9 bytes at "
       "most"},
  };
  for (const FileErrorCase& test : cases) {
    DynamicFile file;
    const Status status = ReadDynamicProblem(test.text, "p", &file).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << test.name;
    EXPECT_THAT(std::string(status.message()), StartsWith(test.message))
        << test.name;
  }
}

TEST(DynamicFile, NamesWhatIsNotSupported) {
  const char* const texts[] = {
      R"({"parameters":{},"records":[],"holes":[]})",
      R"({"parameters":{},"records":[{"id":"a","size":1,"lower":0,"upper":1,"min":64}]})"};
  const char* const places[] = {"p:1: holes: not supported with parameters",
                                "p:1: records[0].min: not supported with"};
  for (size_t i = 0; i < 2; ++i) {
    const Status status = ParseDynamicJson(texts[i], "p").status();
    EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
    EXPECT_THAT(std::string(status.message()), HasSubstr(places[i]));
  }
}

}  // namespace
}  // namespace stowage
