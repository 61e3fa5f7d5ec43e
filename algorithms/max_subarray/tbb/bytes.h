// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The part of kernel.h, which includes it, for bytes: a leaf in each 16-bit
// lane of a vector, and a pair of neighbours of each leaf at a time. What is
// transposed are pairs, which takes a step less than bytes, and they come apart
// by shifts where they are. A run is best if it ends at one of a pair's
// elements and began before the pair or with it, or if it is an element alone:
// so a pair takes no more operations than a single element twice.

namespace concord::max_subarray {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

inline constexpr int kByteLeaves = CONCORD_SIMD_BYTES / 2;

// The squares that are transposed: so many pairs of as many leaves, 16 bytes
// wide, within which every CPU interleaves.
inline constexpr int kPairs = 8;

// After so many elements the lanes have to be emptied: 256 of them are between
// -32,768 and 32,512, or at most 65,280.
inline constexpr int kByteStretch = 256;

// Eight pairs from each of several addresses, `distance` bytes apart, as many
// as a vector takes. Put together in registers: a load of what several stores
// have just written would wait. GCC 12 makes more of it than it is.
template <typename V>
inline V LoadPairs(const char* from, [[maybe_unused]] std::int64_t distance) {
#if CONCORD_SIMD_BYTES > 16
  const auto part = [&](int i) {
    return _mm_loadu_si128(
        reinterpret_cast<const __m128i*>(from + i * distance));
  };
#if CONCORD_SIMD_BYTES == 64
  __m512i row = _mm512_castsi128_si512(part(0));
  row = _mm512_inserti32x4(row, part(1), 1);
  row = _mm512_inserti32x4(row, part(2), 2);
  return (V)_mm512_inserti32x4(row, part(3), 3);
#else
  return (V)_mm256_inserti128_si256(_mm256_castsi128_si256(part(0)), part(1),
                                    1);
#endif
#else
  V row;
  std::memcpy(&row, from, sizeof(row));
  return row;
#endif
}

// Kadane's loop over pairs in every lane, without the places. A run's sum is
// the difference of two prefix sums.
template <typename T>
class PairSums {
 public:
  using Lane =
      std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>;
  using V = Vector<Lane>;

  // Clang compiles an implicit constructor without the vector instructions.
  PairSums() {}

  // Both elements of each lane; the first is in the lower half.
  void Append(V pair) {
    const auto elements = (Vector<T>)pair;
    alone_ = elements > alone_ ? elements : alone_;
    const V one = sum_ + First(pair);
    const V two = one + (pair >> 8);
    const V top = one > two ? one : two;
    least_ = sum_ < least_ ? sum_ : least_;
    const V rise = top - least_;
    prefix_ = top > prefix_ ? top : prefix_;
    best_ = rise > best_ ? rise : best_;
    least_ = one < least_ ? one : least_;
    sum_ = two;
  }

  V sum() const { return sum_; }
  V prefix() const { return prefix_; }
  V suffix() const { return sum_ - least_; }
  V best() const {
    const auto pair = (V)alone_;
    const V first = First(pair), second = pair >> 8;
    const V alone = first > second ? first : second;
    return alone > best_ ? alone : best_;
  }

 private:
  static V First(V pair) {
    if constexpr (std::is_signed_v<T>) {
      return (V)((Vector<std::uint16_t>)pair << 8) >> 8;
    } else {
      return pair & 0xff;
    }
  }

  V sum_{};
  // Of the prefixes before the last element, the empty one among them.
  V least_{};
  V prefix_ = Broadcast(std::numeric_limits<Lane>::lowest());
  V best_ = prefix_;
  // The largest first and second element.
  Vector<T> alone_ = Broadcast(std::numeric_limits<T>::lowest());
};

// What stretches come to, in lanes of 32 bits; Combine of
// max_subarray_summary.h without the places.
template <int kCount>
struct WideSums {
  using V = Row<std::int32_t, kCount>;
  V sum, prefix, suffix, best;

  void Append(const WideSums& right) {
    const V through = sum + right.prefix;
    const V across = suffix + right.prefix;
    const V back = suffix + right.sum;
    sum += right.sum;
    prefix = through > prefix ? through : prefix;
    suffix = back > right.suffix ? back : right.suffix;
    best = across > best ? across : best;
    best = right.best > best ? right.best : best;
  }
};
using ByteLeafSums = WideSums<kByteLeaves>;

// Of kByteLeaves leaves of kLength elements each, one after the other.
template <typename T, int kLength>
ByteLeafSums SumByteLeaves(const T* in) {
  static_assert(kLength % kByteStretch == 0);
  using V = ByteLeafSums::V;
  constexpr int kLine = 64;
  ByteLeafSums leaves;
#pragma GCC unroll 1
  for (int stretch = 0; stretch < kLength; stretch += kByteStretch) {
    PairSums<T> sums;
#pragma GCC unroll 1
    for (int i = stretch; i < stretch + kByteStretch; i += 2 * kPairs) {
      // The leaves are too many streams for the CPU to fetch ahead by itself.
      // As much of the next ones as is gone through of these, from the first to
      // the last element.
      const T* const next = in + kByteLeaves * (kLength + i);
#pragma GCC unroll 8
      for (int j = 0; j < kByteLeaves * 2 * kPairs; j += kLine) {
        __builtin_prefetch(next + j);
      }
      typename PairSums<T>::V rows[kPairs];
#pragma GCC unroll 8
      for (int j = 0; j < kPairs; ++j) {
        rows[j] = LoadPairs<typename PairSums<T>::V>(
            reinterpret_cast<const char*>(in + j * kLength + i),
            kPairs * kLength);
      }
      Transpose<kByteLeaves>(rows);
#pragma GCC unroll 8
      for (int j = 0; j < kPairs; ++j) sums.Append(rows[j]);
    }
    const ByteLeafSums next = {__builtin_convertvector(sums.sum(), V),
                               __builtin_convertvector(sums.prefix(), V),
                               __builtin_convertvector(sums.suffix(), V),
                               __builtin_convertvector(sums.best(), V)};
    if (stretch == 0) {
      leaves = next;
    } else {
      leaves.Append(next);
    }
  }
  return leaves;
}

// Summaries of these leaves, of which the first has this number.
template <typename T, int kLength>
void SummarizeByteLeaves(const T* in, std::int64_t number,
                         LeafSummary<T>* out) {
  using Sum = SumOf<T>;
  const ByteLeafSums leaves = SumByteLeaves<T, kLength>(in);
  for (int leaf = 0; leaf < kByteLeaves; ++leaf) {
    out[leaf] = SummaryOf(static_cast<Sum>(leaves.sum[leaf]), number + leaf);
    out[leaf].prefix = static_cast<Sum>(leaves.prefix[leaf]);
    out[leaf].suffix = static_cast<Sum>(leaves.suffix[leaf]);
    out[leaf].best = static_cast<Sum>(leaves.best[leaf]);
  }
}

template <int kDistance, typename R, std::size_t... kLane>
inline R RotateDown(R row, std::index_sequence<kLane...>) {
  return __builtin_shufflevector(row, row,
                                 ((kLane + kDistance) % sizeof...(kLane))...);
}

// Combines each lane with the one kDistance further on, then with those twice
// as far, and so on, of which lane 0 is the sum of all.
template <int kDistance, int kCount>
inline void CombineLanes(WideSums<kCount>& sums) {
  if constexpr (kDistance < kCount) {
    using Lanes = std::make_index_sequence<kCount>;
    sums.Append({RotateDown<kDistance>(sums.sum, Lanes()),
                 RotateDown<kDistance>(sums.prefix, Lanes()),
                 RotateDown<kDistance>(sums.suffix, Lanes()),
                 RotateDown<kDistance>(sums.best, Lanes())});
    CombineLanes<2 * kDistance>(sums);
  }
}

// Adds the summary of these leaves, combined, to the tree; one leaf at a time
// would take a sixth of the time of all.
//
// The places travel in the lowest bits of the sums that they belong to, where
// they take part in no comparison but one of equal sums: four bits for where a
// run begins, above four for where it ends, both counted from the last leaf, so
// that larger is earlier. Of equal runs the operator wants the one that begins
// first, and of those the one that ends first; of prefixes the shortest and of
// suffixes the longest. The sums of 16 leaves fit the 24 bits that are left.
template <typename T, int kLength>
void AddByteLeaves(const T* in, std::int64_t number, TreeOfSummaries<T>& tree) {
  constexpr int kCount = kByteLeaves / 2;  // those of one register
  constexpr int kEndBits = 4, kBits = 2 * kEndBits;
  constexpr int kMask = (1 << kEndBits) - 1;
  static_assert(kCount <= 1 << kEndBits);
  static_assert(kCount * kLength * 255 < 1 << (31 - kBits));
  using Sum = SumOf<T>;
  using V = typename WideSums<kCount>::V;
  const ByteLeafSums leaves = SumByteLeaves<T, kLength>(in);
  V place;
  for (int i = 0; i < kCount; ++i) place[i] = kCount - 1 - i;
  for (int first = 0; first < kByteLeaves; first += kCount) {
    const auto part = [&](const ByteLeafSums::V& row) {
      V lanes;
      std::memcpy(&lanes, reinterpret_cast<const char*>(&row) + first * 4,
                  sizeof(lanes));
      return lanes * (1 << kBits);
    };
    WideSums<kCount> sums = {part(leaves.sum), part(leaves.prefix) + place,
                             part(leaves.suffix) + (place << kEndBits),
                             part(leaves.best) + (place << kEndBits) + place};
    CombineLanes<1>(sums);
    const std::int64_t last = number + first + kCount - 1;
    const auto sum_of = [](const V& row) {
      return static_cast<Sum>(row[0] >> kBits);
    };
    const auto end_of = [&](const V& row) { return last - (row[0] & kMask); };
    const auto begin_of = [&](const V& row) {
      return last - (row[0] >> kEndBits & kMask);
    };
    tree.Add({sum_of(sums.sum), sum_of(sums.prefix), sum_of(sums.suffix),
              sum_of(sums.best), end_of(sums.prefix), begin_of(sums.suffix),
              begin_of(sums.best), end_of(sums.best)});
  }
}

}  // namespace CONCORD_SIMD
}  // namespace concord::max_subarray
