// SPDX-License-Identifier: Apache-2.0
// Runs the script in docs/pull-requests.md with a `gh` that records its calls.
// The first run of the script creates a comment, and later runs edit this
// comment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <ostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

using testing::HasSubstr;

// Returns the shell script in the page.
std::string ScriptOfPage() {
  const std::string page =
      ReadWholeFile(absl::StrCat(STOWAGE_SOURCE_DIR, "/docs/pull-requests.md"));
  const std::string fence = "```sh\n";
  const size_t begin = page.find(fence);
  EXPECT_NE(begin, std::string::npos);
  const size_t first = begin + fence.size();
  return page.substr(first, page.find("```", first) - first);
}

struct CommentCase {
  std::string name;
  // The ids of the comments that `gh` finds, one per line.
  std::string old_comments;
  std::string plan;  // output of `stowage diff`
  // The call of `gh` that writes the comment, or empty if there is none.
  std::string call;
  std::string body;  // the text that this call writes
};

std::ostream& operator<<(std::ostream& out, const CommentCase& c) {
  return out << c.name;
}

const CommentCase kComments[] = {
    {"the first comment", "", "<!-- stowage:plan -->\nArena +9 %\n",
     "--method POST repos/o/r/issues/7/comments", "Arena +9 %"},
    {"an old comment", "42\n", "<!-- stowage:plan -->\nArena +9 %\n",
     "--method PATCH repos/o/r/issues/comments/42", "Arena +9 %"},
    {"several old comments", "42\n43\n", "<!-- stowage:plan -->\nArena +9 %\n",
     "--method PATCH repos/o/r/issues/comments/42", "Arena +9 %"},
    {"no change", "", "", "", ""},
    {"no change any more", "42\n", "",
     "--method PATCH repos/o/r/issues/comments/42", "as large as before"},
};

class PullRequestComment : public testing::TestWithParam<CommentCase> {};

TEST_P(PullRequestComment, IsMadeOnceAndEditedAfterThat) {
  const CommentCase& c = GetParam();
  const CommandFolder folder;
  folder.Write("comment-plan.sh", ScriptOfPage());
  folder.Write("plan.md", c.plan);
  folder.Write("old", c.old_comments);
  folder.Write("gh",
               "#!/bin/sh\n"
               "case $* in *--paginate*) cat old; exit;; esac\n"
               "echo \"$*\" >> calls\n"
               "for last; do :; done\n"
               "cat \"${last#body=@}\" >> calls\n");
  const CommandResult result = folder.Run(
      "chmod +x gh; touch calls; PATH=\"$PWD:$PATH\" REPOSITORY=o/r "
      "PULL_REQUEST=7 sh comment-plan.sh plan.md && cat calls");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  if (c.call.empty()) {
    EXPECT_EQ(result.out, "");
    return;
  }
  EXPECT_THAT(result.out, HasSubstr(c.call));
  EXPECT_THAT(result.out, HasSubstr("<!-- stowage:plan -->\n"));
  EXPECT_THAT(result.out, HasSubstr(c.body));
}

INSTANTIATE_TEST_SUITE_P(Page, PullRequestComment,
                         testing::ValuesIn(kComments));

}  // namespace
}  // namespace stowage::cli
