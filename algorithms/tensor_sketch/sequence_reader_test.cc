// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/sequence_reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <htslib/bgzf.h>
#include <unistd.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "concord/algorithms/tensor_sketch/alphabet.h"

namespace concord::tensor_sketch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string TemporaryFile(const std::string& content) {
  static int count = 0;
  const std::string path =
      absl::StrCat(testing::TempDir(), "/sequences", ++count);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// "w" writes BGZF, "wg" ordinary gzip.
std::string Compress(const std::string& content, const char* mode) {
  const std::string path = TemporaryFile("");
  BGZF* file = bgzf_open(path.c_str(), mode);
  EXPECT_EQ(bgzf_write(file, content.data(), content.size()),
            static_cast<ssize_t>(content.size()));
  EXPECT_EQ(bgzf_close(file), 0);
  return ReadBytes(path);
}

std::string Bgzf(const std::string& content) { return Compress(content, "w"); }
std::string Gzip(const std::string& content) { return Compress(content, "wg"); }

// 100 lines of 60 letters.
std::string LongFasta() {
  std::string fasta = ">long\n";
  for (int i = 0; i < 6000; ++i) {
    fasta += "ACGT"[i * i % 7 % 4];
    if (i % 60 == 59) fasta += '\n';
  }
  return fasta;
}

absl::StatusOr<Sequences> Read(const std::string& content,
                               absl::string_view alphabet = "ACGT") {
  return ReadSequences(TemporaryFile(content), alphabet);
}

// One line that says what is wrong.
void ExpectError(const std::string& content, const std::string& message) {
  const absl::StatusOr<Sequences> sequences = Read(content);
  ASSERT_FALSE(sequences.ok());
  EXPECT_EQ(sequences.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(sequences.status().message()), HasSubstr(message));
  EXPECT_EQ(sequences.status().message().find('\n'), absl::string_view::npos);
}

TEST(SequenceReaderTest, ReadsFasta) {
  const auto sequences =
      Read(">one words\nAC\nGT\n>two\n>three\r\nTT\r\nA\r\n");
  ASSERT_TRUE(sequences.ok()) << sequences.status();
  EXPECT_THAT(sequences->letters, ElementsAre(0, 1, 2, 3, 3, 3, 0));
  EXPECT_THAT(sequences->offsets, ElementsAre(0, 4, 4, 7));
  EXPECT_EQ(sequences->skipped, 0);
}

TEST(SequenceReaderTest, ReadsFastq) {
  // Qualities may look like the beginning of a record.
  const auto sequences =
      Read("@one\nACGT\n+\n@III\n@two\n\n+two\n\n@three\nTT\nA\n+\n+>\n@\n");
  ASSERT_TRUE(sequences.ok()) << sequences.status();
  EXPECT_THAT(sequences->letters, ElementsAre(0, 1, 2, 3, 3, 3, 0));
  EXPECT_THAT(sequences->offsets, ElementsAre(0, 4, 4, 7));
}

TEST(SequenceReaderTest, BlanksBehindQualitiesAreNone) {
  const auto sequences = Read("@one\nACGT \n+\n@III \t\n@two\nA\n+\nI");
  ASSERT_TRUE(sequences.ok()) << sequences.status();
  EXPECT_THAT(sequences->offsets, ElementsAre(0, 4, 5));
}

TEST(SequenceReaderTest, NeedsNoNewlineAtTheEnd) {
  EXPECT_EQ(Read(">a\nACG")->letters.size(), 3);
  EXPECT_EQ(Read("@a\nACG\n+\nIII")->letters.size(), 3);
}

TEST(SequenceReaderTest, LinesMayEndInReturns) {
  const std::string fasta = ">one words\nAC\nGT\n\n>two\n>three\nTT\nA\n";
  const std::string fastq = "@one\nACGT\n+\n@III\n@two\n\n+two\n\n";
  for (const std::string& lines : {fasta, fastq}) {
    const auto with_newlines = Read(lines);
    for (const char* end : {"\r", "\r\n"}) {
      const auto sequences = Read(absl::StrReplaceAll(lines, {{"\n", end}}));
      ASSERT_TRUE(sequences.ok()) << sequences.status();
      EXPECT_EQ(sequences->letters, with_newlines->letters);
      EXPECT_EQ(sequences->offsets, with_newlines->offsets);
    }
  }
  ExpectError(">a\rAC\rG7\r", "line 3: '7' cannot stand in a sequence");
}

// Lines of which the reader sees a part at a time.
TEST(SequenceReaderTest, ReadsLinesOfAnyLength) {
  for (const int letters : {65'279, 65'280, 65'281, 200'000}) {
    const std::string name(letters, '>');
    const std::string line(letters, 'T');
    for (const char* end : {"\n", "\r", "\r\n"}) {
      const auto fasta = Read(
          absl::StrCat(">", name, end, line, end, line, end, ">b", end, "AC"));
      ASSERT_TRUE(fasta.ok()) << fasta.status();
      EXPECT_THAT(fasta->offsets, ElementsAre(0, 2 * letters, 2 * letters + 2));
      const auto fastq =
          Read(absl::StrCat("@", name, end, line, end, "+", name, end, line,
                            end, "@b", end, "A", end, "+", end, "I"));
      ASSERT_TRUE(fastq.ok()) << fastq.status();
      EXPECT_THAT(fastq->offsets, ElementsAre(0, letters, letters + 1));
    }
    ExpectError(absl::StrCat("@a\n", line, "\n+\n", line, "I\n"),
                "line 4: more quality values than");
  }
}

TEST(SequenceReaderTest, ReadsLinesOfMoreThan2To31Letters) {
  constexpr std::int64_t kMebibytes = 2049;
  // Without the marker that ends a file.
  const auto part = [](const std::string& content) {
    const std::string whole = Bgzf(content);
    return whole.substr(0, whole.size() - 28);
  };
  const std::string mebibyte = part(std::string(1 << 20, 'N'));
  const std::string path = TemporaryFile(part(">a\nAC"));
  std::ofstream file(path, std::ios::binary | std::ios::app);
  for (int i = 0; i < kMebibytes; ++i) file << mebibyte;
  file << Bgzf("GT\n");
  file.close();
  const auto sequences = ReadSequences(path, "ACGT");
  ASSERT_TRUE(sequences.ok()) << sequences.status();
  EXPECT_THAT(sequences->letters, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(sequences->skipped, kMebibytes << 20);
}

TEST(SequenceReaderTest, IgnoresCaseInTheFileAndInTheAlphabet) {
  EXPECT_THAT(Read(">a\nacGT", "AcGt")->letters, ElementsAre(0, 1, 2, 3));
}

TEST(SequenceReaderTest, SkipsAndCountsLettersOutsideTheAlphabet) {
  const auto sequences = Read(">a\nANC-*n\n>b\nNNN\n");
  ASSERT_TRUE(sequences.ok()) << sequences.status();
  EXPECT_THAT(sequences->letters, ElementsAre(0, 1));
  EXPECT_THAT(sequences->offsets, ElementsAre(0, 2, 2));
  EXPECT_EQ(sequences->skipped, 7);
}

TEST(SequenceReaderTest, CountsSkippedLettersAsNeedingQualities) {
  EXPECT_THAT(Read("@a\nNAN\n+\nIII\n")->letters, ElementsAre(0));
  ExpectError("@a\nNAN\n+\nI", "3 quality values, of which there are 1");
}

TEST(SequenceReaderTest, ReadsCompressedFiles) {
  const std::string fasta = LongFasta();
  const std::vector<std::uint8_t> letters = Read(fasta)->letters;
  ASSERT_EQ(letters.size(), 6000);
  EXPECT_EQ(Read(Gzip(fasta))->letters, letters);
  EXPECT_EQ(Read(Bgzf(fasta))->letters, letters);
}

TEST(SequenceReaderTest, ReadsAllMembersOfAGzipFile) {
  EXPECT_THAT(Read(Gzip(">a\nAC\n") + Gzip(">b\nG\n"))->letters,
              ElementsAre(0, 1, 2));
}

TEST(SequenceReaderTest, ReadsStandardInput) {
  const std::string path = TemporaryFile(Gzip(">a\nACGT\n"));
  const int saved = dup(STDIN_FILENO);
  const int file = open(path.c_str(), O_RDONLY);
  dup2(file, STDIN_FILENO);
  const auto sequences = ReadSequences("-", "ACGT");
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(file);
  ASSERT_TRUE(sequences.ok()) << sequences.status();
  EXPECT_THAT(sequences->letters, ElementsAre(0, 1, 2, 3));
}

TEST(SequenceReaderTest, ReadsRealData) {
  const auto lambda = ReadSequences("testing/data/lambda_virus.fa.gz", "ACGT");
  ASSERT_TRUE(lambda.ok()) << lambda.status();
  EXPECT_EQ(lambda->letters.size(), 48'502);
  EXPECT_EQ(lambda->offsets.size(), 2);
  EXPECT_EQ(lambda->skipped, 0);
  const auto reads = ReadSequences("testing/data/longreads.fq.gz", "ACGT");
  ASSERT_TRUE(reads.ok()) << reads.status();
  EXPECT_EQ(reads->letters.size() + reads->skipped, 2'056'551);
  EXPECT_EQ(reads->offsets.size(), 6001);
}

TEST(SequenceReaderTest, SaysThatThereIsNoSuchFile) {
  const auto sequences = ReadSequences("/no/such/file", "ACGT");
  EXPECT_EQ(sequences.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(sequences.status().message(),
            "cannot read /no/such/file: No such file or directory");
}

TEST(SequenceReaderTest, RejectsWhatCannotBeRead) {
  EXPECT_EQ(ReadSequences("/", "ACGT").status(),
            absl::InvalidArgumentError("cannot read /: Is a directory"));
  // Nothing is mapped at address 0, not even for a superuser.
  EXPECT_EQ(ReadSequences("/proc/self/mem", "ACGT").status(),
            absl::InvalidArgumentError(
                "cannot read /proc/self/mem: Input/output error"));
}

TEST(SequenceReaderTest, RejectsWhatHoldsNoSequence) {
  ExpectError("", "is empty");
  ExpectError("\n\n  \n", "is empty");
  ExpectError(Gzip(""), "is empty");
}

TEST(SequenceReaderTest, RejectsWhatIsNeitherFastaNorFastq) {
  ExpectError("\nACGT\n",
              "line 2: neither FASTA nor FASTQ: 'A' where '>' or '@'");
  ExpectError(std::string("\x7f\x45LF\0\1", 6),
              "line 1: neither FASTA nor FASTQ: the byte 0x7f");
}

TEST(SequenceReaderTest, RejectsBinaryContent) {
  ExpectError(std::string(">a\nAC\0GT\n", 9),
              "line 2: the byte 0x00 cannot stand in a sequence");
  ExpectError(">a\nAC\n\xff\xfeG\n",
              "line 3: the byte 0xff cannot stand in a sequence");
}

TEST(SequenceReaderTest, RejectsForeignCharacters) {
  ExpectError(">a\nAC7\n", "line 2: '7' cannot stand in a sequence");
  ExpectError(">a\nAC\n@b\nGT\n", "line 3: '@' cannot stand in a sequence");
}

TEST(SequenceReaderTest, RejectsFastqThatIsCutShort) {
  ExpectError("@a\nAC\n+\nII\n@b\nACGT",
              "line 6: the file ends where the last sequence needs a line "
              "with '+'");
  ExpectError("@a\nACGT\n+\nII\n",
              "line 4: the file ends where the last sequence needs 4 quality "
              "values, of which there are 2");
  ExpectError("@a\nACGT\n+\n", "4 quality values, of which there are 0");
}

TEST(SequenceReaderTest, RejectsFastqThatDoesNotAddUp) {
  ExpectError("@a\nAC\n+\nIII\n",
              "line 4: more quality values than the 2 letters");
  ExpectError("@a\nAC\n+\nII\nGT\n",
              "line 5: 'G' where '@' would begin a sequence");
}

TEST(SequenceReaderTest, RejectsGzipThatIsCutShortAnywhere) {
  const std::string whole = Gzip(LongFasta());
  for (std::size_t size = 1; size < whole.size(); ++size) {
    EXPECT_FALSE(Read(whole.substr(0, size)).ok())
        << size << " of " << whole.size() << " bytes";
  }
  ExpectError(whole.substr(0, whole.size() / 2),
              "the compressed file is cut short or damaged");
}

TEST(SequenceReaderTest, RejectsBgzfThatIsCutShortAnywhere) {
  const std::string whole = Bgzf(LongFasta());
  for (std::size_t size = 1; size < whole.size(); ++size) {
    EXPECT_FALSE(Read(whole.substr(0, size)).ok())
        << size << " of " << whole.size() << " bytes";
  }
  ExpectError(whole.substr(0, whole.size() - 28), "it has no end marker");
}

TEST(SequenceReaderTest, RejectsDamagedGzip) {
  std::string damaged = Gzip(LongFasta());
  damaged[damaged.size() / 2] ^= 0x55;
  ExpectError(damaged, "the compressed file is cut short or damaged");
  std::string checksum = Gzip(">a\nACGT\n");
  checksum[checksum.size() - 8] ^= 1;
  ExpectError(checksum, "the compressed file is cut short or damaged");
}

TEST(SequenceReaderTest, ChecksTheAlphabet) {
  EXPECT_TRUE(CheckAlphabet("ACDEFGHIKLMNPQRSTVWY").ok());
  EXPECT_TRUE(CheckAlphabet("01").ok());
  EXPECT_EQ(CheckAlphabet("").message(), "the alphabet has no letters");
  EXPECT_EQ(CheckAlphabet("ACGa").message(),
            "'a' stands twice in the alphabet ACGa");
  EXPECT_EQ(CheckAlphabet("AC>T").message(),
            "'>' cannot be a letter of the alphabet AC>T");
}

}  // namespace
}  // namespace concord::tensor_sketch
