// SPDX-License-Identifier: Apache-2.0
// Tests that every name that a document uses as code exists: types and
// functions in the sources, files in the project, verbs and options in the
// command, and variables in the build or in the environment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "stowage/feature.h"
#include "tests/house/project_files.h"

namespace stowage::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Names = std::set<std::string>;

// Returns pairs of a page and a name that the page uses although this project
// does not define it. Such a name comes from another project or from the build,
// or is an example.
const std::set<std::pair<std::string, std::string>>& ForeignNames() {
  static const auto* const names =
      new std::set<std::pair<std::string, std::string>>{
          {"docs/certificates.md",
           "certificate"},  // the first word of such a file
          {"docs/cli.md", "manifest.json"},
          {"docs/cli.md", "problem.json"},
          {"docs/cli.md", "MicroMutableOpResolver"},
          {"docs/embedding.md", "find_package"},
          {"docs/embedding.md", "gc-sections"},  // of the linker
          {"docs/embedding.md", "stowage/version.h"},
          {"docs/micro.md", "GetTensor"},
          {"docs/micro.md", "MicroMutableOpResolver"},
          {"docs/micro.md", "NonPersistentMemoryPlannerShim"},
          {"docs/micro.md", "OfflineMemoryAllocation"},
          {"docs/micro.md", "TFLite_Detection_PostProcess"},
          {"docs/micro.md", "arena_used_bytes"},
          {"docs/micro.md", "stdint.h"},
          {"docs/operators.md", "TFLite_Detection_PostProcess"},
          {"docs/packaging.md", "FetchContent_Declare"},
          {"docs/packaging.md", "NotFound"},
          {"docs/packaging.md", "Unimplemented"},
          {"docs/packaging.md", "find_package"},
          {"docs/porting.md", "OutOfRange"},
          {"docs/porting.md", "ReallocationGraph"},
          {"docs/porting.md", "Unimplemented"},
          {"docs/porting.md", "gpu"},
          {"docs/porting.md", "memory_management/types.h"},
          {"docs/porting.md",
           "tensorflow/lite/delegates/gpu/common/memory_management.h"},
          {"docs/pull-requests.md", "STOWAGE_REVISION"},
          {"docs/pull-requests.md", "STOWAGE_URL"},
          {"docs/pull-requests.md", "plan.md"},
          {"docs/recordings/heaptrack.md", "raw"},  // of heaptrack
          {"docs/recordings/not-planned.md", "dhat-heap.json"},
          {"docs/recordings/onnx.md", "Dropout"},
          {"docs/recordings/onnx.md", "NonMaxSuppression"},
          {"docs/recordings/onnx.md", "NonZero"},
          {"docs/recordings/onnx.md", "Scan"},
          {"docs/recordings/torch-profile.md", "c10/core/DeviceType.h"},
          {"docs/recordings/not-planned.md", "raw"},          // of heaptrack
          {"docs/recordings/valgrind.md", "log-file"},        // of valgrind
          {"docs/recordings/valgrind.md", "trace-children"},  // of valgrind
          {"docs/recordings/valgrind.md", "trace-malloc"},    // of valgrind
          {"docs/test-your-planner.md", "Unimplemented"},
          {"docs/verify-by-value.md", "PrintInterpreterState"},
          {"fuzz/README.md", "manifest.json"},
          {"src/adapters/tflite_gpu/README.md", "ArenaPlanner"},
          {"src/adapters/tflite_gpu/README.md", "SimpleMemoryArena"},
          {"src/adapters/tflite_gpu/README.md", "memory_management/types.h"},
          {"src/adapters/tflite_gpu/README.md",
           "tensorflow/lite/delegates/gpu/common/memory_management.h"},
          {"strategies/arena_best_fit/README.md", "ArenaPlanner"},
          {"strategies/arena_best_fit/README.md", "SimpleMemoryArena"},
          {"strategies/micro_first_fit/README.md", "GreedyMemoryPlanner"},
          {"strategies/micro_first_fit/README.md", "OfflineMemoryAllocation"},
          {"tests/data/vectors/README.md", "graph_info.cc"},
          {"tests/data/vectors/README.md",
           "tensorflow/lite/delegates/gpu/common/memory_management_test.cc"},
      };
  return *names;
}

bool IsAlnum(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c));
}
bool IsDigit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c));
}
bool IsLower(char c) {
  return absl::ascii_islower(static_cast<unsigned char>(c));
}
bool IsUpper(char c) {
  return absl::ascii_isupper(static_cast<unsigned char>(c));
}
bool IsWord(char c) { return IsAlnum(c) || c == '_'; }

// Adds the identifiers in `text` to `names`.
void AddWords(absl::string_view text, Names* names) {
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    while (i < text.size() && IsWord(text[i])) ++i;
    if (i == begin) {
      ++i;
    } else {
      names->emplace(text.substr(begin, i - begin));
    }
  }
}

// Adds the identifiers in a C, C++ or JavaScript source to `names`, without
// those in comments and string literals.
void AddIdentifiers(absl::string_view source, Names* names) {
  bool is_block = false;
  for (absl::string_view line : absl::StrSplit(source, '\n')) {
    std::string code;
    char quote = '\0';
    for (size_t i = 0; i < line.size(); ++i) {
      const absl::string_view rest = line.substr(i);
      if (is_block) {
        is_block = !absl::StartsWith(rest, "*/");
      } else if (quote != '\0') {
        if (line[i] == '\\') {
          ++i;
        } else if (line[i] == quote) {
          quote = '\0';
        }
      } else if (absl::StartsWith(rest, "//")) {
        break;
      } else if (absl::StartsWith(rest, "/*")) {
        is_block = true;
      } else if (line[i] == '"') {
        quote = line[i];
        code += ' ';
      } else {
        code += line[i];
      }
    }
    AddWords(code, names);
  }
}

// For each occurrence of `prefix` in the text, returns the characters after it,
// up to the first character for which `is_part` is false.
std::vector<std::string> AllAfter(absl::string_view text,
                                  absl::string_view prefix,
                                  const std::function<bool(char)>& is_part) {
  std::vector<std::string> found;
  for (size_t at = text.find(prefix); at != absl::string_view::npos;
       at = text.find(prefix, at + 1)) {
    size_t end = at + prefix.size();
    while (end < text.size() && is_part(text[end])) ++end;
    found.emplace_back(
        text.substr(at + prefix.size(), end - at - prefix.size()));
  }
  return found;
}

bool IsLowerWord(char c) { return IsLower(c) || IsDigit(c) || c == '-'; }

// Returns the words after "--" in a text, which are the names of options.
Names OptionsIn(absl::string_view text) {
  Names options;
  const auto is_part = [](char c) { return IsLowerWord(c) || c == '_'; };
  for (const std::string& name : AllAfter(text, "--", is_part)) {
    if (!name.empty() && IsLower(name[0])) options.insert(name);
  }
  return options;
}

// Returns the verbs in a text: the words after "stowage" where it is the name
// of the command.
Names VerbsIn(absl::string_view text) {
  Names verbs;
  const std::string whole = absl::StrCat("\n", text);
  for (const char* before :
       {"\nstowage ", "$ stowage ", "| stowage ", "/stowage "}) {
    for (const std::string& verb : AllAfter(whole, before, IsLowerWord)) {
      if (!verb.empty() && IsLower(verb[0])) verbs.insert(verb);
    }
  }
  return verbs;
}

// Returns the names in a text that begin with STOWAGE_.
Names VariablesIn(absl::string_view text) {
  Names variables;
  for (const std::string& end : AllAfter(text, "STOWAGE_", IsWord)) {
    variables.insert(absl::StrCat("STOWAGE_", end));
  }
  return variables;
}

// Holds the code in a Markdown page.
struct Code {
  std::vector<std::string> spans;   // code between backticks
  std::vector<std::string> blocks;  // code between fences
};

Code CodeIn(absl::string_view markdown) {
  Code code;
  std::string prose;
  bool is_block = false;
  for (absl::string_view line : absl::StrSplit(markdown, '\n')) {
    if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "```")) {
      is_block = !is_block;
      if (is_block) code.blocks.emplace_back();
    } else if (is_block) {
      absl::StrAppend(&code.blocks.back(), line, "\n");
    } else {
      absl::StrAppend(&prose, line, " ");
    }
  }
  const std::vector<std::string> parts = absl::StrSplit(prose, '`');
  for (size_t i = 1; i < parts.size(); i += 2) code.spans.push_back(parts[i]);
  return code;
}

// Returns the parts of the C++ name in a code span, or nothing if the span is
// not a name. A span is a name if it contains "::", if it ends with a call, or
// if it begins with a capital letter and has lower-case letters.
Names DeclaredIn(absl::string_view span) {
  size_t end = 0;
  while (end < span.size() && (IsWord(span[end]) || span[end] == ':')) ++end;
  const absl::string_view name = span.substr(0, end);
  const absl::string_view rest = span.substr(end);
  const bool is_called =
      absl::StartsWith(rest, "(") && absl::EndsWith(rest, ")");
  if (name.empty() || (!rest.empty() && !is_called)) return {};
  const std::vector<std::string> parts = absl::StrSplit(name, "::");
  if (parts[0] == "absl") return {};
  const bool is_mixed =
      IsUpper(name[0]) && absl::c_any_of(name, absl::ascii_islower);
  if (parts.size() == 1 && !is_called && !is_mixed) return {};
  Names names;
  for (const std::string& part : parts) AddWords(part, &names);
  return names;
}

bool IsFileName(absl::string_view span) {
  const std::string suffix(span.substr(span.rfind('.') + 1));
  static const auto* const suffixes =
      new Names{"h", "cc", "c", "py", "md", "csv", "cmake", "txt", "json"};
  return span.find('.', 1) != absl::string_view::npos &&
         !absl::StartsWith(span, ".") && suffixes->count(suffix) > 0 &&
         absl::c_all_of(span, [](char c) {
           return IsWord(c) || c == '.' || c == '/' || c == '-';
         });
}

// Returns whether the name contains a placeholder, such as "NAME", that the
// reader replaces.
bool IsPattern(absl::string_view name) {
  for (const char* part : {"NAME", "FILE", "TARGET"}) {
    if (absl::StrContains(name, part)) return true;
  }
  return false;
}

TEST(DocumentNames, AreFoundInCode) {
  const Code code =
      CodeIn("a `B::c` and `--d\ne`\n```sh\nstowage f --g\n```\n");
  EXPECT_THAT(code.spans, ElementsAre("B::c", "--d e"));
  EXPECT_THAT(code.blocks, ElementsAre("stowage f --g\n"));
  EXPECT_THAT(OptionsIn("--a-b=1 [--c] ---"), UnorderedElementsAre("a-b", "c"));
  EXPECT_THAT(
      VerbsIn("stowage a\nx | stowage b\nbuild/stowage c\nmy stowage d"),
      UnorderedElementsAre("a", "b", "c"));
  EXPECT_THAT(VariablesIn("-DSTOWAGE_A=1 STOWAGE_B"),
              UnorderedElementsAre("STOWAGE_A", "STOWAGE_B"));
}

TEST(DocumentNames, AreThoseOfCpp) {
  EXPECT_THAT(DeclaredIn("Solve"), ElementsAre("Solve"));
  EXPECT_THAT(DeclaredIn("stowage::Solve(a, b)"),
              UnorderedElementsAre("stowage", "Solve"));
  EXPECT_THAT(DeclaredIn("solve()"), ElementsAre("solve"));
  EXPECT_THAT(DeclaredIn("solve"), IsEmpty());
  EXPECT_THAT(DeclaredIn("ADD"), IsEmpty());
  EXPECT_THAT(DeclaredIn("absl::Status"), IsEmpty());
  EXPECT_THAT(DeclaredIn("A b"), IsEmpty());
  Names names;
  AddIdentifiers("a(\"b \\\" c\"); // d\n/* e\n f */ g", &names);
  EXPECT_THAT(names, UnorderedElementsAre("a", "g"));
  EXPECT_TRUE(IsFileName("src/a-b.h"));
  EXPECT_FALSE(IsFileName("a.b"));
  EXPECT_FALSE(IsFileName("csv"));
  EXPECT_FALSE(IsFileName(".csv"));
  EXPECT_FALSE(IsFileName("x = a.h"));
}

// Collects all names that the project defines, and the pages that use them.
class DocumentNamesTest : public ::testing::Test {
 protected:
  DocumentNamesTest() {
    for (const std::string& path : ProjectFiles(root_)) Read(path);
  }

  // Expects that each name in `used`, all of which occur in `page`, is also in
  // `known`.
  void Expect(const std::string& page, const Names& used, const Names& known,
              absl::string_view kind) {
    for (const std::string& name : used) {
      if (known.count(name) > 0 || IsPattern(name)) continue;
      if (ForeignNames().count({page, name}) > 0) {
        unused_.erase({page, name});
        continue;
      }
      ADD_FAILURE() << page << ": `" << name << "`: there is no such " << kind
                    << "; expected one that exists";
    }
  }

  void CheckPage(const std::string& page) {
    const Code code = CodeIn(pages_[page]);
    Names declared;
    Names files;
    for (const std::string& span : code.spans) {
      if (IsFileName(span)) {
        if (!Exists(page, span)) files.insert(span);
      } else {
        declared.merge(DeclaredIn(span));
      }
      Expect(page, OptionsIn(span), options_, "option");
    }
    Expect(page, files, {}, "file");
    for (const auto* texts : {&code.spans, &code.blocks}) {
      for (const std::string& text : *texts) {
        Expect(page, VerbsIn(text), verbs_, "verb");
        Expect(page, VariablesIn(text), variables_, "variable");
        for (const std::string& name : AllAfter(text, "stowage::", IsWord)) {
          declared.insert(name);
        }
      }
    }
    // These pages are for users of the library, who see only its public
    // headers.
    const bool is_public = page == "README.md" || page == "docs/embedding.md" ||
                           page == "docs/packaging.md" ||
                           page == "docs/porting.md" ||
                           page == "docs/replanning.md";
    Names known = is_public ? public_ : declared_;
    known.insert(targets_.begin(), targets_.end());
    known.insert("");
    Expect(page, declared, known, "name");
  }

  const std::string root_ = STOWAGE_SOURCE_DIR;
  std::map<std::string, std::string> pages_;  // by path
  std::set<std::string> paths_;
  Names public_;    // names in public headers
  Names declared_;  // names in any source
  Names targets_;   // libraries of the build
  Names verbs_;
  Names options_;
  Names variables_;
  std::set<std::pair<std::string, std::string>> unused_ = ForeignNames();

 private:
  // Returns whether the file `name` exists. `name` may be the path of the file,
  // the end of its path, or its path relative to the page.
  bool Exists(const std::string& page, const std::string& name) const {
    const auto folder = std::filesystem::path(page).parent_path();
    const std::string near = (folder / name).lexically_normal().string();
    if (paths_.count(near) > 0) return true;
    return absl::c_any_of(paths_, [&](const std::string& path) {
      return path == name || absl::EndsWith(path, absl::StrCat("/", name));
    });
  }

  void ReadBuild(const std::string& text) {
    for (const char* function :
         {"stowage_add_library(", "stowage_shared_library(",
          "stowage_strategy_library(", "add_library(stowage::"}) {
      for (const std::string& name : AllAfter(text, function, IsWord)) {
        AddTarget(name);
      }
    }
    for (const std::string& name :
         AllAfter(text, "stowage_delegate(", IsWord)) {
      AddTarget(absl::StrCat("delegate_", name));
    }
  }

  // Adds a target of the build. Skips names from the definitions of the CMake
  // functions and from comments.
  void AddTarget(const std::string& name) {
    const std::string last = name.substr(name.rfind('_') + 1);
    if (!last.empty() && last != "name" && last != "NAME") {
      targets_.insert(name);
    }
  }

  void Read(const std::string& path) {
    paths_.insert(path);
    if (absl::EndsWith(path, ".csv")) return;
    const std::string text = ReadFileOrDie(absl::StrCat(root_, "/", path));
    if (absl::EndsWith(path, ".md")) {
      if (path != "CHANGELOG.md") pages_[path] = text;
      return;
    }
    if (absl::StrContains(path, "house/document_names_test")) return;
    variables_.merge(VariablesIn(text));
    if (absl::EndsWith(path, "CMakeLists.txt")) ReadBuild(text);
    if (absl::StartsWith(path, "include/") &&
        !absl::StrContains(path, "/micro/")) {
      AddIdentifiers(text, &public_);
    }
    for (const char* suffix : {".h", ".c", ".cc", ".js", ".py"}) {
      if (absl::EndsWith(path, suffix)) AddIdentifiers(text, &declared_);
    }
    const bool is_program = absl::EndsWith(path, ".cc") &&
                            (absl::StartsWith(path, "src/command/") ||
                             absl::StartsWith(path, "bench/"));
    if (is_program || path == "dev") options_.merge(OptionsIn(text));
    if (is_program) {
      std::string line = text;
      line.erase(std::remove_if(line.begin(), line.end(), absl::ascii_isspace),
                 line.end());
      for (const std::string& verb :
           AllAfter(line, "add_subcommand(\"", IsLowerWord)) {
        verbs_.insert(verb);
      }
    }
  }
};

TEST_F(DocumentNamesTest, Exist) {
  ASSERT_GT(pages_.size(), 30);
  for (const auto& [page, text] : pages_) CheckPage(page);
  for (const auto& [page, name] : unused_) {
    ADD_FAILURE() << page << " does not use `" << name
                  << "`; expected foreign names that are used";
  }
}

// docs/packaging.md lists all libraries.
TEST_F(DocumentNamesTest, OfLibrariesAreComplete) {
  ASSERT_GT(targets_.size(), 10);
  const std::string& page = pages_["docs/packaging.md"];
  const std::string components = page.substr(page.find("Components are"));
  for (const std::string& name : targets_) {
    if (absl::StartsWith(name, "delegate_")) {
      EXPECT_TRUE(absl::StrContains(page, name.substr(strlen("delegate"))))
          << name;
    } else {
      EXPECT_TRUE(absl::StrContains(page, absl::StrCat("`stowage::", name)))
          << name;
      EXPECT_TRUE(absl::StrContains(components, absl::StrCat("`", name, "`")))
          << name;
    }
  }
}

TEST_F(DocumentNamesTest, OfFeaturesAreComplete) {
  for (const Feature feature : kAllFeatures) {
    EXPECT_TRUE(absl::StrContains(pages_["docs/adding-a-strategy.md"],
                                  absl::StrCat("`", FeatureName(feature), "`")))
        << FeatureName(feature);
  }
}

}  // namespace
}  // namespace stowage::house
