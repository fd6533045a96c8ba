#include "hw/nic/mlx5/queue_pair.hpp"

#include <catch2/catch.hpp>
#include <utility>

#include "hw/nic/device_error.hpp"
#include "hw/nic/mlx5/dc_target.hpp"
#include "hw/nic/mlx5/fake_calls.hpp"
#include "model/error.hpp"

using namespace qpcast;
using namespace qpcast::hw;
using namespace qpcast::hw::mlx5;

namespace {

/// A command written down by hand, byte by byte from the reference manual: all others are zero.
using Bytes = std::vector<std::pair<std::size_t, std::uint8_t>>;
std::vector<std::uint8_t> command_of(const Bytes& bytes) {
  std::vector<std::uint8_t> command(272);
  for (const auto& [offset, value] : bytes) command.at(offset) = value;
  return command;
}

constexpr std::size_t context = 24;  // of a QP command
constexpr std::size_t address_path = context + 24;

Address a_peer() {
  Address peer;
  peer.qp_number = 0x00abcdef;
  peer.packet_number = 0x654321;
  peer.mtu_code = 4;
  peer.lid = 0x0102;
  for (std::size_t i = 0; i < 16; ++i) peer.gid.at(i) = static_cast<std::uint8_t>(0xf0 + i);
  return peer;
}

QueuePairOptions options(Memory memory, bool gpu_rings = true) {
  return {1000, memory, gpu_rings, Completions::ring, Transport::rc};
}

}  // namespace

TEST_CASE("every byte of the five commands") {
  FakeCalls calls;
  {
    QueuePair qp{calls, options(Memory::gpu)};
    qp.connect(a_peer());
  }
  REQUIRE(calls.commands.size() == 5);
  // 1,024 entries of 64 B are 0x10000 B a ring; doorbell records follow at 0x20000 and 0x20040.
  CHECK(calls.registered == 0x21000);
  SECTION("CREATE_CQ") {
    CHECK(calls.commands[0] == command_of({{0, 0x04},
                                           {1, 0x00},
                                           {16, 0x02},  // record is in user memory
                                           {23, 0x77},  // its id
                                           {28, 10},    // log size
                                           {30, 0xf0},
                                           {31, 0x0d},  // doorbell page
                                           {39, 0x1d},  // event queue
                                           {77, 0x02},  // record at 0x20000
                                           {85, 0x01},  // ring at 0x10000
                                           {91, 0x77},
                                           {92, 0x80}}));
  }
  SECTION("CREATE_QP") {
    CHECK(calls.commands[1] == command_of({{0, 0x05},
                                           {1, 0x00},
                                           {context + 2, 0x18},  // migrated
                                           {context + 5, 0x0a},
                                           {context + 6, 0x0b},
                                           {context + 7, 0x0c},      // pd
                                           {context + 10, 10 << 3},  // log size
                                           {context + 14, 0xf0},
                                           {context + 15, 0x0d},  // doorbell
                                           {context + 126, 0x0c},
                                           {context + 127, 0x01},  // send CQ
                                           {context + 158, 0x0c},
                                           {context + 159, 0x01},  // receive CQ
                                           {context + 165, 0x02},
                                           {context + 167, 0x40},  // record
                                           {context + 172, 0x03},  // no RQ
                                           {context + 208, 0x10},
                                           {context + 231, 0x77},
                                           {267, 0x77},
                                           {268, 0x80}}));
  }
  SECTION("RST2INIT") {
    CHECK(calls.commands[2] == command_of({{0, 0x05},
                                           {1, 0x02},
                                           {10, 0x1b},
                                           {11, 0x01},
                                           {context + 2, 0x18},
                                           {address_path + 37, 2},
                                           {context + 145, 0x01},
                                           {context + 146, 0x60}}));
  }
  SECTION("INIT2RTR") {
    Bytes bytes{{0, 0x05},
                {1, 0x03},
                {10, 0x1b},
                {11, 0x01},
                {context + 8, 4 << 5 | 30},  // MTU, size
                {context + 21, 0xab},
                {context + 22, 0xcd},
                {context + 23, 0xef},  // remote QP
                {address_path + 9, 3},
                {address_path + 11, 64},
                {address_path + 34, 0xc0 | 0x0d},
                {address_path + 35, 0xef},  // UDP port
                {address_path + 37, 2},
                {address_path + 38, 0x02},
                {address_path + 39, 0x11},
                {address_path + 40, 0x22},
                {address_path + 41, 0x33},
                {address_path + 42, 0x44},
                {address_path + 43, 0x55},
                {context + 145, 0x01},
                {context + 146, 0x60},
                {context + 148, 12},
                {context + 149, 0x65},
                {context + 150, 0x43},
                {context + 151, 0x21}};
    for (std::uint8_t i = 0; i < 16; ++i)
      bytes.emplace_back(address_path + 16 + i, static_cast<std::uint8_t>(0xf0 + i));
    CHECK(calls.commands[3] == command_of(bytes));
  }
  SECTION("RTR2RTS") {
    CHECK(calls.commands[4] == command_of({{0, 0x05},
                                           {1, 0x04},
                                           {10, 0x1b},
                                           {11, 0x01},
                                           {address_path + 8, 14 << 3},
                                           {context + 113, 0x07},
                                           {context + 114, 0xe0},
                                           {context + 121, 0x12},
                                           {context + 122, 0x34},
                                           {context + 123, 0x56}}));
  }
}

TEST_CASE("a collapsed completion queue ignores overruns") {
  FakeCalls calls;
  const QueuePair qp{calls, {1000, Memory::host, false, Completions::collapsed, Transport::rc}};
  CHECK(calls.commands[0].at(17) == 0x12);  // cc 0x0b and oi 0x0e of the context at byte 16
}

TEST_CASE("every byte of a DC initiator's commands that differs") {
  FakeCalls calls;
  {
    QueuePair qp{calls, {16, Memory::host, false, Completions::ring, Transport::dc}};
    qp.activate();
    CHECK_FALSE(qp.in_error());
    calls.state = 6;
    CHECK(qp.in_error());
  }
  REQUIRE(calls.commands.size() == 7);
  CHECK(calls.commands[1].at(context + 1) == 0x05);  // service type DCI
  CHECK(calls.commands[3] == command_of({{0, 0x05},
                                         {1, 0x03},
                                         {10, 0x1b},
                                         {11, 0x01},
                                         {context + 8, 5 << 5 | 30},  // MTU, size
                                         {address_path + 9, 3},       // GID index
                                         {address_path + 11, 64},     // hop limit
                                         {address_path + 37, 2}}));   // port
  CHECK(calls.commands[4].at(1) == 0x04);
  CHECK(calls.commands[5] == std::vector<std::uint8_t>{0x05, 0x0b, 0, 0, 0, 0, 0, 0,  //
                                                       0, 0, 0x1b, 0x01, 0, 0, 0, 0});
}

TEST_CASE("every byte of CREATE_DCT") {
  FakeCalls calls;
  { const DcTarget target{calls, 0x1122334455667788}; }
  constexpr std::size_t dct = 16;
  std::vector<std::uint8_t> expected(128);
  for (const auto& [offset, value] :
       Bytes{{0, 0x07},        {1, 0x10},        {dct + 9, 0x00},  {dct + 10, 0x0c},
             {dct + 11, 0x01},  // CQ
             {dct + 13, 0x16},  // atomics, remote write and atomic
             {dct + 18, 12},    // RNR timer
             {dct + 21, 0x0e}, {dct + 22, 0x0e}, {dct + 23, 0x01},  // receive queue
             {dct + 25, 0x0a}, {dct + 26, 0x0b}, {dct + 27, 0x0c},  // pd
             {dct + 32, 0x11}, {dct + 33, 0x22}, {dct + 34, 0x33}, {dct + 35, 0x44},
             {dct + 36, 0x55}, {dct + 37, 0x66}, {dct + 38, 0x77}, {dct + 39, 0x88},  // access key
             {dct + 40, 5},                                                           // MTU
             {dct + 41, 2},                                                           // port
             {dct + 45, 3},                                                           // GID index
             {dct + 47, 64}})                                                         // hop limit
    expected.at(offset) = value;
  REQUIRE(calls.commands.size() == 2);
  CHECK(calls.commands[1] == expected);
  CHECK(calls.live.empty());
}

TEST_CASE("InfiniBand routes by LID") {
  FakeCalls calls;
  calls.ethernet = false;
  QueuePair qp{calls, options(Memory::gpu)};
  qp.connect(a_peer());
  CHECK(calls.commands[3][address_path + 6] == 0x01);
  CHECK(calls.commands[3][address_path + 7] == 0x02);
  CHECK(calls.commands[3][address_path + 16] == 0);
}

TEST_CASE("the view points into the registered queues, completion entries unwritten") {
  FakeCalls calls;
  const auto memory = GENERATE(Memory::gpu, Memory::host);
  QueuePair qp{calls, options(memory)};
  const auto view = qp.view();
  CHECK(view.completion_queue - view.send_queue == 0x10000);
  CHECK(reinterpret_cast<std::byte*>(view.qp_record) - view.send_queue == 0x20040);
  CHECK(view.doorbell == calls.doorbell_page + 0x800);
  CHECK(view.qpn == 0x1b01);
  CHECK(view.cqn == 0x0c01);
  CHECK(view.log_depth == 10);
  for (std::size_t i = 63; i < 0x10000; i += 64)
    REQUIRE(view.completion_queue[i] == std::byte{0xf1});
  CHECK(*view.qp_record == 0);
}

TEST_CASE("GPU memory by dma-buf, then by peermem, then a message that names both") {
  FakeCalls calls;
  SECTION("dma-buf") {
    const QueuePair qp{calls, options(Memory::gpu)};
    CHECK(calls.through_dmabuf);
  }
  SECTION("no export") {
    calls.refuse = {"export"};
    const QueuePair qp{calls, options(Memory::gpu)};
    CHECK_FALSE(calls.through_dmabuf);
  }
  SECTION("the NIC refuses the dma-buf") {
    calls.refuse = {"dmabuf"};
    const QueuePair qp{calls, options(Memory::gpu)};
    CHECK_FALSE(calls.through_dmabuf);
  }
  SECTION("neither") {
    calls.refuse = {"dmabuf", "memory"};
    CHECK_THROWS_WITH((QueuePair{calls, options(Memory::gpu)}),
                      Catch::Contains("nvidia-peermem") && Catch::Contains("queue_memory=host"));
  }
  CHECK(calls.live.empty());
}

TEST_CASE("whatever is refused, all is given back once, and the message says what would help") {
  const auto [refused, memory, advice] = GENERATE(table<const char*, Memory, const char*>(
      {{"io", Memory::gpu, "PeerMappingOverride=1"},
       {"uar", Memory::gpu, "alloc_uar"},
       {"gpu", Memory::gpu, "CUDA in this build"},
       {"host", Memory::host, "cudaHostRegister"},
       {"memory", Memory::host, "ulimit -l"},
       {"cq", Memory::host,
        "CREATE_CQ: Operation not permitted; firmware status 0x3, syndrome 0x0000005e"},
       {"qp", Memory::gpu, "CREATE_QP"},
       {"modify", Memory::gpu, "RST2INIT_QP"}}));
  FakeCalls calls;
  calls.refuse = {refused};
  INFO(refused);
  CHECK_THROWS_WITH((QueuePair{calls, options(memory)}), Catch::Contains(advice));
  CHECK(calls.live.empty());
  CHECK(calls.mistakes.empty());
}

TEST_CASE("a connection that fails leaves a queue pair that closes cleanly") {
  FakeCalls calls;
  {
    QueuePair qp{calls, options(Memory::host)};
    calls.refuse = {"mac"};
    CHECK_THROWS_WITH(qp.connect(a_peer()), Catch::Contains("GID reachable"));
    calls.refuse = {"modify"};
    CHECK_THROWS_WITH(qp.connect(a_peer()), Catch::Contains("INIT2RTR_QP"));
  }
  CHECK(calls.live.empty());
  CHECK(calls.mistakes.empty());
}

TEST_CASE("CPU-assisted: nothing of the NIC is mapped into the GPU") {
  FakeCalls calls;
  calls.refuse = {"io", "host", "gpu"};
  const QueuePair qp{calls, options(Memory::host, false)};
  CHECK(qp.view().doorbell == calls.doorbell_page + 0x800);
}

TEST_CASE("queue depths are rounded up and bounded") {
  CHECK(plan_queues(1).log_depth == 4);
  CHECK(plan_queues(17).log_depth == 5);
  CHECK(plan_queues(32768).log_depth == 15);
  for (const std::uint32_t wrong : {0U, 32769U}) CHECK_THROWS_AS(plan_queues(wrong), InputError);
}
