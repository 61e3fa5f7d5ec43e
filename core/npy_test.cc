// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/npy.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "concord/core/array_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::HasSubstr;

// A file of that version with that header, as other programs may write it.
std::string Npy(const std::string& header, const std::string& data,
                char version = 1) {
  const auto length = static_cast<char>(header.size());
  std::string content("\x93NUMPY");
  content.append({version, 0, length, 0});
  if (version > 1) content.append({0, 0});
  return content + header + data;
}

std::string Header(const std::string& description, const std::string& shape,
                   const std::string& fortran_order = "False") {
  return absl::StrCat("{'descr': '", description,
                      "', 'fortran_order': ", fortran_order,
                      ", 'shape': ", shape, ", }\n");
}

TEST(NpyTest, EveryElementTypeSurvivesTheRoundTrip) {
  for (ElementType type : AllElementTypes()) {
    Dispatch(type, [](auto tag) {
      using T = typename decltype(tag)::type;
      const HostArray array = HostArray::Of<T>(
          {T{0}, std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
           std::numeric_limits<T>::lowest(), T{7}});
      absl::StatusOr<HostArray> back = ParseNpy(FormatNpy(array), "file");
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_EQ(*back, array);
    });
  }
}

TEST(NpyTest, ShapesSurviveTheRoundTrip) {
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{
           {0}, {1}, {3, 2}, {0, 5}, {5, 0}}) {
    HostArray array(ElementType::kInt8, shape);
    std::fill_n(array.data<char>(), array.size(), 'x');
    absl::StatusOr<HostArray> back = ParseNpy(FormatNpy(array), "file");
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, array);
  }
}

TEST(NpyTest, ElementsStartAtAMultipleOf64Bytes) {
  const HostArray array(ElementType::kInt32, {123456, 0});
  EXPECT_EQ(NpyHeader(array.type(), array.shape()).size() % 64, 0u);
  EXPECT_EQ(NpyHeader(array.type(), array.shape()).back(), '\n');
}

TEST(NpyTest, AllVersionsAndSpellingsOfTheHeaderAreRead) {
  const std::string data("\x01\x00\x00\x00\x02\x00\x00\x00", 8);
  const HostArray wanted = HostArray::Of<std::int32_t>({1, 2});
  for (char version : {1, 2, 3}) {
    EXPECT_EQ(ParseNpy(Npy(Header("<i4", "(2,)"), data, version), "f").value(),
              wanted);
  }
  EXPECT_EQ(ParseNpy(Npy("{\"shape\":(2,),\"fortran_order\":False,"
                         "\"descr\":\"=i4\"}",
                         data),
                     "f")
                .value(),
            wanted);
  // One dimension has the same order in C and in Fortran.
  EXPECT_EQ(ParseNpy(Npy(Header("<i4", "(2,)", "True"), data), "f").value(),
            wanted);
}

struct Malformed {
  std::string content;
  std::string message;
};

TEST(NpyTest, WhatIsWrongIsSaid) {
  const std::string data(8, '\0');
  for (const Malformed& malformed : std::vector<Malformed>{
           {Npy(Header(">i4", "(2,)"), data), "big-endian elements"},
           {Npy(Header("<f2", "(4,)"), data), "unsupported element type '<f2'"},
           {Npy(Header("<c8", "(1,)"), data), "unsupported element type '<c8'"},
           {Npy("{'descr': [('x', '<i4')], 'fortran_order': False, "
                "'shape': (2,), }",
                data),
            "unsupported element type"},
           {Npy(Header("<i4", "(1, 2)", "True"), data), "Fortran order"},
           {Npy(Header("<i4", "(1, 2)", "None"), data),
            "fortran_order is None"},
           {Npy(Header("<i4", "(1, 2, 1)"), data), "has 3 dimensions"},
           {Npy(Header("<i4", "()"), data), "has 0 dimensions"},
           {Npy(Header("<i4", "(-2,)"), data), "is negative"},
           {Npy(Header("<i4", "(4611686018427387904, 4)"), data),
            "larger than any memory"},
           {Npy(Header("<i4", "(99999999999999999999,)"), data),
            "not a 64-bit number"},
           {Npy(Header("<i4", "(two,)"), data), "not a 64-bit number"},
           {Npy(Header("<i4", "2"), data), "is no tuple"},
           {Npy(Header("<i4", "(3,)"), data),
            "takes 12 bytes, but only 8 follow"},
           {Npy(Header("<i4", "(1,)"), data), "4 bytes too many"},
           {Npy("{'descr': '<i4', 'shape': (2,), }", data),
            "no 'fortran_order'"},
           {Npy("{'descr': '<i4", data), "no 'descr'"},
           {Npy("", data), "it is no dictionary"},
           {Npy(Header("<i4", "(2)"), data), "is no tuple"},
           {Npy(Header("<i4", "(2,)") + "more", data),
            "something follows the dictionary"},
           {Npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), "
                "'shape': (1,), }",
                data),
            "'shape' is no key, or is there twice"},
           {Npy("{'descr': '<i4', 'x': {'shape': (1,)}, "
                "'fortran_order': False, 'shape': (2,), }",
                data),
            "'x' is no key"},
           {Npy("{'descr': '<i4', 'fortran_order': False 'shape': (2,)}", data),
            "no end of 'fortran_order'"},
           {Npy("{'descr' '<i4'}", data), "no ':' after 'descr'"},
           {Npy("{descr: '<i4'}", data), "a key is no string"},
           {Npy(Header("<i4\x1b[31m", "(2,)"), data), "'<i4\\x1b[31m'"},
           {Npy(Header("<i4", "(2,\x1b]0;x\x07)"), data), "\\x1b]0;x\\x07"},
           {Npy("{'\x1b': 1}", data), "'\\x1b' is no key"},
           {Npy(Header("<i4", "(2,)"), data, 4), "unknown .npy version 4"},
           {std::string("\x93NUMPY\x01\x01", 8) + data,
            "unknown .npy version 1.1"},
       }) {
    absl::StatusOr<HostArray> array = ParseNpy(malformed.content, "data.npy");
    ASSERT_FALSE(array.ok()) << malformed.message;
    EXPECT_EQ(array.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(array.status().message(), HasSubstr(malformed.message));
    EXPECT_THAT(array.status().message(), HasSubstr("data.npy: "));
    for (const char c : array.status().message()) {
      EXPECT_TRUE(absl::ascii_isprint(c)) << malformed.message;
    }
  }
}

TEST(NpyTest, EveryPrefixOfAFileIsRefused) {
  const std::string whole = FormatNpy(HostArray::Of<std::int32_t>({1, 2, 3}));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::string prefix = whole.substr(0, size);
    ASSERT_TRUE(LooksLikeNpy(prefix)) << size;
    absl::StatusOr<HostArray> array = ParseNpy(prefix, "data.npy");
    ASSERT_FALSE(array.ok()) << size;
    EXPECT_THAT(array.status().message(), HasSubstr("truncated")) << size;
  }
}

}  // namespace
}  // namespace concord
