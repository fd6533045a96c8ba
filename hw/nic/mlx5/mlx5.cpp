#include "hw/nic/mlx5/mlx5.hpp"

#include "hw/nic/mlx5/channel.hpp"

namespace qpcast::hw {

std::map<std::string, std::string> Mlx5Nic::environment() const {
  auto facts = calls_->facts();
  facts["nic"] = name();
  return facts;
}

std::unique_ptr<Region> Mlx5Nic::allocate(std::size_t bytes) {
  return std::make_unique<mlx5::Mlx5Region>(calls_, bytes);
}

std::unique_ptr<Channel> Mlx5Nic::open(Region& region, const ChannelOptions& options) {
  return std::make_unique<mlx5::Mlx5Channel>(calls_, dynamic_cast<mlx5::Mlx5Region&>(region),
                                             options);
}

}  // namespace qpcast::hw
