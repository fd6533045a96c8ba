/// Charts of the HTML report, as inline SVG: points and lines over two logarithmic axes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qpcast::validate {

/// Text as HTML and XML may hold it, in content and in quoted attributes.
std::string escaped(std::string_view text);

/// Values are in the units that the axes' labels name.
struct ChartPoint {
  double x = 0, y = 0;    ///< above 0
  double lo = 0, hi = 0;  ///< ends of a vertical bar in y's unit, if above 0
  std::string tip;        ///< shown on hovering
};

struct ChartSeries {
  std::string name;                ///< in the legend
  std::vector<ChartPoint> points;  ///< in any order, unless they are joined
  int colour = 0;                  ///< index into the palette
  bool line = false;               ///< joined in the order given
};

struct Chart {
  std::string title;                ///< above it
  std::string x_label, y_label;     ///< what and in which unit
  std::vector<ChartSeries> series;  ///< later ones are drawn over earlier ones
  double tolerance = 0;             ///< relative; above 0: y = x is drawn, and this much off it
  bool square = false;              ///< both axes span the same values
};

/// One <svg> element. Points that are not finite and above 0 have no place on the axes and are left
/// out; a chart without points says so.
std::string svg(const Chart& chart);

/// Colours of the palette, for legends: "var(--c0)" ...
inline constexpr int palette_size = 16;

}  // namespace qpcast::validate
