/// Memory that the GPU reaches: its own, and host memory mapped into it.
#pragma once

#include <cstddef>
#include <utility>

namespace qpcast::hw::gda {

// Zeroed. @throws DeviceError
void* allocate_pinned(std::size_t bytes);
void* allocate_on_gpu(std::size_t bytes);
void free_pinned(void* data) noexcept;
void free_on_gpu(void* data) noexcept;
/// Copies from wherever `from` lies. @throws DeviceError
void copy_to_host(void* to, const void* from, std::size_t bytes);

/// Owns what one pair of functions allocates and frees.
template <void* (*allocate)(std::size_t), void (*release)(void*) noexcept>
class OwnedMemory {
 public:
  OwnedMemory() = default;
  /// @throws DeviceError
  explicit OwnedMemory(std::size_t bytes) : data_{allocate(bytes)}, bytes_{bytes} {}
  ~OwnedMemory() {
    if (data_) release(data_);
  }
  OwnedMemory(OwnedMemory&& other) noexcept
      : data_{std::exchange(other.data_, nullptr)}, bytes_{std::exchange(other.bytes_, 0)} {}
  OwnedMemory& operator=(OwnedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Pinned host memory, at the same address on both sides.
using PinnedMemory = OwnedMemory<allocate_pinned, free_pinned>;

class GpuMemory : public OwnedMemory<allocate_on_gpu, free_on_gpu> {
 public:
  using OwnedMemory::OwnedMemory;
  void fill(int byte);
  void from_host(const void* host, std::size_t bytes);
  void to_host(void* host, std::size_t bytes) const;
};

}  // namespace qpcast::hw::gda
