// Certificates that lie: what a forger may write, and what becomes of it.
#include "src/cli/certificate.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/trace.h"

namespace stowage::cli {
namespace {

using ::testing::HasSubstr;

// Records of 64, 32 and 64 bytes, two of which are alive at a time: 96 bytes
// are needed, and enough.
Trace ThreeRecords() {
  return ParseTraceCsv("id,lower,upper,size\na,0,2,64\nb,1,3,32\nc,2,4,64\n",
                       "three.csv")
      .value();
}

// A certificate for them that claims what `members` say.
std::string Claim(const std::string& members) {
  return absl::StrCat(
      R"({"format":"stowage certificate 1","ids":["a","b","c"],)",
      R"("alignments":[1,1,1],)", members, "}");
}

struct ForgeryCase {
  const char* name;
  const char* members;
  const char* refuted;  // or what the error says
};

class RefutedCertificate : public ::testing::TestWithParam<ForgeryCase> {};

TEST_P(RefutedCertificate, SaysWhy) {
  const absl::StatusOr<CertificateVerdict> verdict =
      CheckCertificate(ThreeRecords(), 1, Claim(GetParam().members));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_THAT(verdict->refuted, HasSubstr(GetParam().refuted));
}

INSTANTIATE_TEST_SUITE_P(
    Certificate, RefutedCertificate,
    ::testing::Values(
        ForgeryCase{"ConflictThatFits",
                    R"("kind":"offsets","status":"infeasible","capacity":96,
                       "lower_bound":97,"conflict":["a","b"])",
                    "the trace shows a bound of 96 bytes, not of 97"},
        ForgeryCase{"ConflictThatFitsIfStacked",
                    R"("kind":"offsets","status":"infeasible","capacity":96,
                       "lower_bound":97,"proof":{"by":"search"},
                       "conflict":["a","b"])",
                    "take 96 bytes one after the other, and fit"},
        ForgeryCase{"BoundAboveAllThereIs",
                    R"("kind":"offsets","status":"infeasible","capacity":99,
                       "lower_bound":161,"proof":{"by":"search"},
                       "conflict":["a","b","c"])",
                    "take 160 bytes, fewer than 161"},
        ForgeryCase{"BoundBelowTheCapacity",
                    R"("kind":"offsets","status":"infeasible","capacity":97,
                       "lower_bound":96,"conflict":["a","b"])",
                    "proves nothing about a capacity of 97"},
        ForgeryCase{"CapacityOfAllThereIs",
                    R"("kind":"offsets","status":"infeasible",
                       "capacity":18446744073709551615,
                       "lower_bound":1,"conflict":[])",
                    "proves nothing about"},
        ForgeryCase{"OptimumAboveTheBound",
                    R"("kind":"objects","status":"optimal","total_size":128,
                       "lower_bound":128,"object_ids":[0,1,0],
                       "object_sizes":[64,64])",
                    "the trace shows a bound of 96 bytes, not of 128"},
        ForgeryCase{"TwoAtOnePlace",
                    R"("kind":"offsets","status":"optimal","total_size":96,
                       "lower_bound":96,"offsets":[0,32,0])",
                    "both hold bytes"}),
    [](const auto& p) { return p.param.name; });

class RefusedCertificate : public ::testing::TestWithParam<ForgeryCase> {};

TEST_P(RefusedCertificate, SaysWhatIsExpected) {
  const absl::Status status =
      CheckCertificate(ThreeRecords(), 1, Claim(GetParam().members)).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().refuted));
}

INSTANTIATE_TEST_SUITE_P(
    Certificate, RefusedCertificate,
    ::testing::Values(
        // Three times 64 bytes would not fit the capacity; there is one.
        ForgeryCase{"ConflictWithItself",
                    R"("kind":"offsets","status":"infeasible","capacity":100,
                       "lower_bound":101,"conflict":["a","a","a"])",
                    "each of them once"},
        ForgeryCase{"ConflictOfStrangers",
                    R"("kind":"offsets","status":"infeasible","capacity":1,
                       "lower_bound":2,"conflict":["d"])",
                    "each of them once"},
        ForgeryCase{"NoKind",
                    R"("status":"infeasible","capacity":1,"conflict":[])",
                    "a kind"},
        ForgeryCase{"NegativeCapacity",
                    R"("kind":"offsets","status":"infeasible","capacity":-1,
                       "conflict":[])",
                    "a number 'capacity'"},
        ForgeryCase{"OtherAlignments",
                    R"("kind":"offsets","alignments":[1,2,1],
                       "status":"optimal","total_size":96,"lower_bound":96,
                       "offsets":[0,64,0])",
                    "the alignments of its rows"},
        ForgeryCase{"NoClaim", R"("kind":"offsets")", "a claim"}),
    [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace stowage::cli
