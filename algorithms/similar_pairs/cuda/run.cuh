// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What all CUDA implementations have in common on the host's side: points are
// made, then bands of panels get both looks, one band after the other, so that
// the bits of the pairs that are left need no more memory than one band's,
// whatever they are. Nothing has to be known on the host: the launches are the
// same for any sketches.

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_RUN_CUH_

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/similar_pairs/cuda/band.cuh"
#include "concord/algorithms/similar_pairs/cuda/points.cuh"
#include "concord/algorithms/similar_pairs/cuda/second_look.cuh"
#include "concord/algorithms/similar_pairs/distance.h"
#include "concord/algorithms/similar_pairs/similar_pairs.h"
#include "concord/backends/cuda/on_cuda.cuh"
#include "concord/core/errors.h"

namespace concord::similar_pairs {

// 256 MiB of bits, unless those of one panel take more: a band has 58 panels of
// 2,227, and its launches take microseconds of its millisecond.
inline constexpr int64_t kTilesOfBand = int64_t{1} << 17;
inline constexpr int64_t kMostPanelsOfBand = 1024;

// What a run keeps in scratch memory: so many bytes of each.
class Places {
 public:
  template <typename T>
  int64_t Add(int64_t count) {
    constexpr int64_t kLine = 128;
    const int64_t at = bytes_;
    bytes_ += DivideUp(count * static_cast<int64_t>(sizeof(T)), kLine) * kLine;
    return at;
  }
  int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_ = 0;
};

// Row panels [first, end).
struct PanelRange {
  int64_t first;
  int64_t end;
};

inline int64_t PanelsOf(int64_t sketches) { return DivideUp(sketches, kPanel); }

// What all implementations are, to those who share the panels out.
class SimilarPairsByPanels : public OnCuda<SimilarPairs> {
 public:
  using OnCuda<SimilarPairs>::OnCuda;

  // Queues the search for the pairs of which the first sketch is in these
  // panels. They are written in order from the beginning of `out` on, as far as
  // there is room, and how many there are to `count`.
  virtual absl::Status Find(ConstArrayView in, const Options& options,
                            PanelRange panels, const PairsOut& out,
                            int64_t* count) = 0;

  absl::Status Compute(ConstArrayView in, const Outputs& outputs,
                       const Options& options) final {
    return Find(
        in, options, {0, PanelsOf(in.size() / options.dim)},
        {outputs.pairs.data<int64_t>(),
         outputs.distances.has_value() ? outputs.distances->data<double>()
                                       : nullptr,
         outputs.pairs.size() / 2},
        outputs.count.data<int64_t>());
  }
};

// `Form` is one of points.cuh.
template <typename Form>
class SimilarPairsOnCuda : public SimilarPairsByPanels {
 public:
  using SimilarPairsByPanels::SimilarPairsByPanels;

  absl::Status Find(ConstArrayView in, const Options& options,
                    PanelRange panels, const PairsOut& out,
                    int64_t* count) final {
    RETURN_IF_ERROR(
        CudaStatus(cudaMemsetAsync(count, 0, sizeof(int64_t), stream()),
                   "clearing the count of similar_pairs"));
    if (in.size() / options.dim < 2) return absl::OkStatus();
    return DispatchSketches(in.type(), [&](auto tag) {
      return Launch(in.data<decltype(tag)>(), in.size() / options.dim, options,
                    panels, out, count);
    });
  }

 protected:
  // Queues the first look at a band.
  virtual absl::Status Look(const Form& form, const Band& band) = 0;

  // Of blocks that take tiles in turn, if so many fit into a multiprocessor.
  int64_t BlocksFor(const Band& band, int64_t each) const {
    return std::min(band.tiles(), each * backend()->multiprocessors());
  }

 private:
  using Number = typename Form::Number;

  // Scratch memory behind the points.
  struct Work {
    uint32_t* bits;
    uint8_t* has_any;
    uint32_t* counts;
    int64_t* begins;
  };

  template <typename T>
  absl::Status Launch(const T* rows, int64_t sketches, const Options& options,
                      PanelRange panels, const PairsOut& out, int64_t* count) {
    const int64_t dim = options.dim;
    Form points = {};
    Work work = {};
    T* middle;
    double* widths;
    RETURN_IF_ERROR(Reserve(sketches, dim, points, work, middle, widths));
    RETURN_IF_ERROR(
        MakePoints(rows, options.distance2, points, middle, widths));
    const auto limit = static_cast<typename Squares<T>::Sum>(options.distance2);
    for (int64_t first = panels.first; first < panels.end;) {
      const Band band = {
          first, first + PanelsOfBand({first, panels.end}, points.shape.panels),
          points.shape.panels, work.bits, work.has_any};
      RETURN_IF_ERROR(FindPairs(rows, points, band, limit, work, out, count));
      first = band.end;
    }
    if (out.distances == nullptr || out.room == 0) return absl::OkStatus();
    constexpr int64_t kWarps = kWriteThreads / kWarpSize;
    return Queue(
        WriteDistances<T>,
        {std::min(DivideUp(out.room, kWarps), ManyBlocks()), kWriteThreads},
        rows, dim, limit, out, count);
  }

  template <typename T>
  absl::Status Reserve(int64_t sketches, int64_t dim, Form& points, Work& work,
                       T*& middle, double*& widths) {
    Shape& shape = points.shape;
    shape.sketches = sketches;
    shape.panels = PanelsOf(sketches);
    shape.dim = dim;
    shape.padded_dim = DivideUp(dim, Form::kPadding) * Form::kPadding;
    const int64_t panels = shape.panels;
    const int64_t tiles =
        std::min(std::max(panels, kTilesOfBand), panels * panels);
    const int64_t rows = std::min(panels, kMostPanelsOfBand) * kPanel;
    Places places;
    const int64_t numbers =
        places.Add<Number>(panels * shape.padded_dim * kPanel);
    const int64_t floats = places.Add<float>(panels * Form::kFloats);
    const int64_t scale = places.Add<Scale>(1);
    const int64_t middles = places.Add<T>(dim);
    const int64_t all_widths =
        places.Add<double>(DivideUp(sketches, kWidthRows));
    const int64_t bits = places.Add<uint32_t>(tiles * kPanel * kTileWords);
    const int64_t has_any = places.Add<uint8_t>(tiles * kQuarters);
    const int64_t counts = places.Add<uint32_t>(rows);
    const int64_t begins = places.Add<int64_t>(rows);
    RETURN_IF_ERROR(scratch().Reserve(places.bytes()));
    shape.scale = scratch().template data<Scale>(scale);
    points = Form{shape, scratch().template data<Number>(numbers),
                  scratch().template data<float>(floats)};
    middle = scratch().template data<T>(middles);
    widths = scratch().template data<double>(all_widths);
    work = {scratch().template data<uint32_t>(bits),
            scratch().template data<uint8_t>(has_any),
            scratch().template data<uint32_t>(counts),
            scratch().template data<int64_t>(begins)};
    return absl::OkStatus();
  }

  template <typename T>
  absl::Status MakePoints(const T* rows, double limit, const Form& points,
                          T* middle, double* widths) {
    const int64_t widths_count = DivideUp(points.shape.sketches, kWidthRows);
    constexpr int kWidthThreads = 256;
    RETURN_IF_ERROR(Queue(
        FindMiddle<T>, {std::min(points.shape.dim, ManyBlocks()), kSample},
        rows, points.shape.sketches, points.shape.dim, middle));
    RETURN_IF_ERROR(Queue(
        MeasureWidths<T>,
        {DivideUp(widths_count, kWidthThreads / kWarpSize), kWidthThreads},
        rows, points.shape.sketches, points.shape.dim, middle, widths));
    RETURN_IF_ERROR(Queue(ChooseScale, {1, kScaleThreads}, widths, widths_count,
                          limit, points.shape.dim, Form::kUsual,
                          points.shape.scale));
    return Queue(FillPoints<Form, T>, {points.shape.panels, kFillThreads}, rows,
                 middle, points);
  }

  template <typename T>
  absl::Status FindPairs(const T* rows, const Form& points, const Band& band,
                         typename Squares<T>::Sum limit, const Work& work,
                         const PairsOut& out, int64_t* count) {
    RETURN_IF_ERROR(CudaStatus(
        cudaMemsetAsync(
            work.counts, 0,
            static_cast<std::size_t>(band.rows()) * sizeof(*work.counts),
            stream()),
        "clearing the counts of rows"));
    RETURN_IF_ERROR(Look(points, band));
    RETURN_IF_ERROR(
        Queue(Decide<T>, {std::min(band.tiles(), ManyBlocks()), kDecideThreads},
              rows, points.shape.dim, band, limit, work.counts));
    RETURN_IF_ERROR(Queue(ScanRows, {1, kScanThreads}, work.counts, band.rows(),
                          work.begins, count));
    return Queue(
        WritePairs,
        {DivideUp(band.rows(), kWriteThreads / kWarpSize), kWriteThreads}, band,
        work.counts, work.begins, out);
  }

  // The first ones of those that are left, each beside all of so many that come
  // behind it.
  int64_t PanelsOfBand(PanelRange range, int64_t panels) const {
    const int64_t left = range.end - range.first;
    const int64_t asked = tuning("band") == 0 ? left : tuning("band");
    return std::min(
        {std::max<int64_t>(kTilesOfBand / (panels - range.first), 1), left,
         asked, kMostPanelsOfBand});
  }

  // For work that is shared out in turn.
  int64_t ManyBlocks() const {
    return int64_t{16} * backend()->multiprocessors();
  }
};

// The tuning option of all of them.
inline OptionSpec BandOption() {
  return OptionSpec::Number("band",
                            "panels of 128 sketches that are compared with all "
                            "others at a time; 0 is its own choice",
                            /*default_value=*/0, /*least=*/0,
                            /*most=*/kMostPanelsOfBand);
}

// Of all of them, but for what they keep from call to call.
inline Contract ContractOnCuda() {
  return SimilarPairsContract({kPanel, 2 * kPanel, 3 * kPanel})
      .Notes("takes --band");
}

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_RUN_CUH_
