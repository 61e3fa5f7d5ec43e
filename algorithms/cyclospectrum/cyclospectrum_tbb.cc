// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// By tiles of values. The pieces that start with one mass have rising masses as
// they grow, so those whose mass lies in a given range are neighbours, and a
// pointer for each start goes through all ranges in turn. What the pointers
// have passed is how many smaller pieces there are: where the range belongs in
// the spectrum. So any range can be made on its own, in the cache, and every
// element of the spectrum is written once. Where there are more pieces than
// values in the range, they are counted; where there are fewer, they are
// gathered and sorted.
//
// What a piece lacks of the circle is a piece too, so the spectrum is its own
// mirror image (v and total - v), and only half of it is worked out.
//
// The method is our own; it is a search in a matrix with sorted rows, X + Y
// (L. H. Harper, T. H. Payne, J. E. Savage and E. Straus, "Sorting X + Y",
// 1975), by counting.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/cyclospectrum/cyclospectrum.h"
#include "algorithms/cyclospectrum/cyclospectrum_tbb_writers.h"
#include "algorithms/radix_sort/radix_sort_tbb_local.h"
#include "backends/tbb/streaming.h"
#include "backends/tbb/tbb_backend.h"
#include "core/registry.h"

namespace concord {
namespace {

// Values of a tile that is counted: as counters, half of a first-level cache.
constexpr std::int64_t kCountedValues = 4096;

// Pieces of a tile that is sorted: so many that the pointers, of which each is
// looked at once for a tile, do not matter, and few enough for the cache.
constexpr std::int64_t kSortedPieces = std::int64_t{16} << 10;

// Counting takes looking at every value of a range, sorting several moves of
// each piece.
constexpr int kValuesOfPiece = 4;

// A circle of masses, by the sums of its masses up to each of them, twice
// around: the piece from `first` to before `last` has sums[last] - sums[first].
template <typename T>
class Circle {
 public:
  using Mass = std::make_unsigned_t<T>;

  Circle(absl::Span<const T> masses, T total)
      : n_(static_cast<std::int64_t>(masses.size())),
        total_(static_cast<Mass>(total)) {
    sums_.reserve(2 * masses.size() + 1);
    sums_.push_back(0);
    for (int round = 0; round < 2; ++round) {
      for (const T mass : masses) {
        sums_.push_back(sums_.back() + static_cast<Mass>(mass));
      }
    }
  }

  std::int64_t n() const { return n_; }
  Mass total() const { return total_; }
  const Mass* sums() const { return sums_.data(); }
  std::int64_t size() const { return n_ * (n_ - 1) + 2; }
  // The values [0, half()) and those that mirror them are all that there are.
  Mass half() const { return total_ / 2 + 1; }

  // For each start, the end of the first piece that has `value` or more, which
  // is at most the total, not 0. Starts further on have their ends further on.
  void EndsAt(Mass value, std::vector<std::int64_t>& ends) const {
    ends.resize(static_cast<std::size_t>(n_));
    std::int64_t end = 0;
    for (std::int64_t first = 0; first < n_; ++first) {
      end = std::max(end, first + 1);
      while (sums_[end] - sums_[first] < value) ++end;
      ends[first] = end;
    }
  }

  // How many elements of the spectrum are smaller.
  std::int64_t Rank(Mass value) const {
    std::int64_t rank = value > 0 ? 1 : 0;  // the piece of no masses
    std::int64_t end = 0;
    for (std::int64_t first = 0; first < n_; ++first) {
      end = std::max(end, first + 1);
      while (sums_[end] - sums_[first] < value) ++end;
      rank += end - first - 1;
    }
    return rank;
  }

 private:
  std::int64_t n_;
  Mass total_;
  std::vector<Mass> sums_;
};

// Values [begin, end), and where they belong.
template <typename Mass>
struct Range {
  Mass begin;
  Mass end;
  std::int64_t first_rank;
  std::int64_t end_rank;
};

// Ranges that together are the lower half of the spectrum, each of at most so
// many pieces unless they are all equal.
template <typename T>
std::vector<Range<typename Circle<T>::Mass>> CutIntoRanges(
    const Circle<T>& circle, std::int64_t most) {
  using Mass = typename Circle<T>::Mass;
  std::vector<Range<Mass>> ranges;
  std::vector<Range<Mass>> open = {
      {0, circle.half(), 0, circle.Rank(circle.half())}};
  while (!open.empty()) {
    const Range<Mass> range = open.back();
    open.pop_back();
    if (range.end_rank == range.first_rank) continue;
    if (range.end_rank - range.first_rank <= most ||
        range.end - range.begin == 1) {
      ranges.push_back(range);
      continue;
    }
    const Mass middle = range.begin + (range.end - range.begin) / 2;
    const std::int64_t rank = circle.Rank(middle);
    open.push_back({middle, range.end, rank, range.end_rank});
    open.push_back({range.begin, middle, range.first_rank, rank});
  }
  return ranges;
}

// Takes the values of a range in ascending order to their places in the
// spectrum, and the values that mirror them to theirs.
template <typename T>
class SpectrumSink {
 public:
  using Mass = typename Circle<T>::Mass;

  SpectrumSink(const Circle<T>& circle, T* spectrum, std::int64_t first_rank,
               bool stream)
      : total_(circle.total()),
        up_(spectrum + first_rank, stream),
        down_(spectrum + circle.size() - first_rank, stream) {}

  void Add(Mass value, std::int64_t count) {
    up_.Write(static_cast<T>(value), count);
    const Mass mirrored = total_ - value;
    // Half of the total mirrors itself.
    if (mirrored != value) down_.Write(static_cast<T>(mirrored), count);
  }
  void Add(Mass value) {
    up_.Write(static_cast<T>(value));
    const Mass mirrored = total_ - value;
    if (mirrored != value) down_.Write(static_cast<T>(mirrored));
  }

 private:
  Mass total_;
  RunWriter<T, /*kDownwards=*/false> up_;
  RunWriter<T, /*kDownwards=*/true> down_;
};

// The values of a range and their counts.
template <typename T>
class HistogramSink {
 public:
  using Mass = typename Circle<T>::Mass;
  using Entries = std::vector<std::pair<Mass, std::int64_t>>;

  explicit HistogramSink(Entries& entries) : entries_(entries) {}

  void Add(Mass value, std::int64_t count = 1) {
    if (!entries_.empty() && entries_.back().first == value) {
      entries_.back().second += count;
    } else {
      entries_.push_back({value, count});
    }
  }

 private:
  Entries& entries_;
};

// Works out one range.
template <typename T>
class RangeWorker {
 public:
  using Mass = typename Circle<T>::Mass;

  explicit RangeWorker(const Circle<T>& circle) : circle_(circle) {}

  template <typename Sink>
  void Run(const Range<Mass>& range, Sink& sink) {
    circle_.EndsAt(range.begin, ends_);
    std::int64_t left = range.end_rank - range.first_rank;
    Mass at = range.begin;
    while (left > 0) {
      const Mass values = range.end - at;
      if (values / kValuesOfPiece <= static_cast<std::uint64_t>(left)) {
        const Mass end = at + std::min<Mass>(values, kCountedValues);
        // A counter may have to hold half of the spectrum.
        left -= circle_.n() < kNarrowCounters
                    ? Count(at, end, narrow_counts_, sink)
                    : Count(at, end, wide_counts_, sink);
        at = end;
        continue;
      }
      // As wide as it takes if they are spread evenly.
      const std::int64_t wanted = std::max(kSortedPieces, 2 * circle_.n());
      Mass width = values;
      if (left > wanted) {
        width = static_cast<Mass>(static_cast<double>(values) *
                                  static_cast<double>(wanted) /
                                  static_cast<double>(left));
        width = std::min(values, std::max<Mass>(width, 1));
      }
      left -= Sort(at, at + width, sink);
      at += width;
    }
  }

 private:
  static constexpr std::int64_t kNarrowCounters = std::int64_t{1} << 16;

  template <typename Counter, typename Sink>
  std::int64_t Count(Mass begin, Mass end, std::vector<Counter>& counters,
                     Sink& sink) {
    counters.resize(kCountedValues);
    Counter* const counts = counters.data();
    if (begin == 0) ++counts[0];
    const Mass values = end - begin;
    const Mass* const sums = circle_.sums();
    for (std::int64_t first = 0; first < circle_.n(); ++first) {
      const Mass base = sums[first] + begin;
      std::int64_t last = ends_[first];
      for (Mass value; (value = sums[last] - base) < values; ++last) {
        ++counts[value];
      }
      ends_[first] = last;
    }
    std::int64_t pieces = 0;
    for (Mass value = 0; value < values; ++value) {
      const auto count = static_cast<std::int64_t>(counts[value]);
      if (count == 0) continue;
      counts[value] = 0;
      sink.Add(begin + value, count);
      pieces += count;
    }
    return pieces;
  }

  template <typename Sink>
  std::int64_t Sort(Mass begin, Mass end, Sink& sink) {
    std::int64_t pieces = 0;
    const auto add = [&](Mass value) {
      if (pieces == static_cast<std::int64_t>(gathered_.size())) {
        gathered_.resize(2 * gathered_.size() + kSortedPieces);
      }
      gathered_[pieces++] = value;
    };
    if (begin == 0) add(0);
    const Mass values = end - begin;
    const Mass* const sums = circle_.sums();
    for (std::int64_t first = 0; first < circle_.n(); ++first) {
      const Mass base = sums[first] + begin;
      std::int64_t last = ends_[first];
      for (Mass value; (value = sums[last] - base) < values; ++last) add(value);
      ends_[first] = last;
    }
    spare_.resize(gathered_.size());
    int bits = 1;
    while (bits < 8 * static_cast<int>(sizeof(Mass)) && values >> bits != 0) {
      ++bits;
    }
    const Mass* const sorted =
        SortInCache<Mass>(gathered_.data(), spare_.data(), gathered_.data(),
                          pieces, /*from=*/0, bits);
    for (std::int64_t i = 0; i < pieces; ++i) sink.Add(begin + sorted[i]);
    return pieces;
  }

  const Circle<T>& circle_;
  // By start: the end of the next piece that has not been taken.
  std::vector<std::int64_t> ends_;
  std::vector<std::uint32_t> narrow_counts_;
  std::vector<std::uint64_t> wide_counts_;
  std::vector<Mass> gathered_;
  std::vector<Mass> spare_;
};

class CyclospectrumTbb : public Cyclospectrum {
 public:
  explicit CyclospectrumTbb(std::shared_ptr<TbbBackend> backend)
      : backend_(std::move(backend)) {}

  absl::Status Run(ConstArrayView masses, ArrayView out, ArrayView counts,
                   ArrayView distinct, const Options& options) override {
    absl::Status status = CheckCyclospectrumArguments(
        masses, out, counts, distinct, options, Memory::Host(),
        "cyclospectrum/tbb/value_tiles");
    if (!status.ok()) return status;
    absl::StatusOr<std::int64_t> total = TotalMass(masses);
    if (!total.ok()) return total.status();
    return DispatchMasses(masses.type(), [&](auto tag) {
      using T = decltype(tag);
      const Circle<T> circle(masses.span<T>(), static_cast<T>(*total));
      return options.as == As::kSpectrum
                 ? WriteSpectrum(circle, out)
                 : WriteHistogram(circle, out, counts, distinct);
    });
  }

 private:
  // Enough for all threads to have work to the end, and not of so few pieces
  // that the pointers cost more than they.
  template <typename T>
  auto RangesOf(const Circle<T>& circle) const {
    return CutIntoRanges(circle,
                         std::max(circle.size() / (16 * backend_->threads()),
                                  16 * kSortedPieces));
  }

  // Calls f(i) for all 0 <= i < count, on all threads.
  template <typename F>
  void ForEach(std::size_t count, const F& f) {
    if (count == 1 || backend_->threads() == 1) {
      for (std::size_t i = 0; i < count; ++i) f(i);
    } else {
      backend_->ForEach(count, f);
    }
  }

  template <typename T>
  absl::Status WriteSpectrum(const Circle<T>& circle, ArrayView out) {
    T* const spectrum = out.data<T>();
    if (circle.total() == 0) {
      std::fill_n(spectrum, out.size(), T{0});
      return absl::OkStatus();
    }
    const bool stream = out.bytes() >= kStreamingBytes;
    const auto ranges = RangesOf(circle);
    ForEach(ranges.size(), [&](std::size_t i) {
      {
        SpectrumSink<T> sink(circle, spectrum, ranges[i].first_rank, stream);
        RangeWorker<T>(circle).Run(ranges[i], sink);
      }
      FinishStreaming();
    });
    return absl::OkStatus();
  }

  template <typename T>
  absl::Status WriteHistogram(const Circle<T>& circle, ArrayView out,
                              ArrayView counts, ArrayView distinct) {
    using Mass = typename Circle<T>::Mass;
    using Entries = typename HistogramSink<T>::Entries;
    std::vector<Entries> parts = {{{0, circle.size()}}};
    if (circle.total() > 0) {
      const auto ranges = RangesOf(circle);
      parts.assign(ranges.size(), {});
      ForEach(ranges.size(), [&](std::size_t i) {
        HistogramSink<T> sink(parts[i]);
        RangeWorker<T>(circle).Run(ranges[i], sink);
      });
    }
    std::int64_t entries = 0;
    const auto add = [&](Mass value, std::int64_t count) {
      if (entries < out.size()) {
        out.data<T>()[entries] = static_cast<T>(value);
        counts.data<std::int64_t>()[entries] = count;
      }
      ++entries;
    };
    for (const Entries& part : parts) {
      for (const auto& [value, count] : part) add(value, count);
    }
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      for (auto entry = part->rbegin(); entry != part->rend(); ++entry) {
        const Mass mirrored = circle.total() - entry->first;
        if (mirrored != entry->first) add(mirrored, entry->second);
      }
    }
    *distinct.data<std::int64_t>() = entries;
    if (entries <= out.size()) return absl::OkStatus();
    return absl::InvalidArgumentError("'out' has no room for the histogram");
  }

  std::shared_ptr<TbbBackend> backend_;
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kInt32, ElementType::kInt64};
  contract.boundaries = {kSortedPieces, 16 * kSortedPieces, 32 * kSortedPieces};
  contract.notes =
      "counts where pieces are many for their masses, sorts in the cache where "
      "they are few";
  return contract;
}

const bool kRegistered = Registry<Cyclospectrum>::Get().Add(
    "tbb", "value_tiles", /*rank=*/10,
    "ranges of values, counted or sorted in the cache, and their mirror images",
    MakeContract(), [](std::shared_ptr<Backend> backend) {
      return std::make_unique<CyclospectrumTbb>(AsTbb(std::move(backend)));
    });

}  // namespace
}  // namespace concord
