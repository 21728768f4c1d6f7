package io.verbena.rdma;

import io.verbena.link.UpgradeDriver;
import io.verbena.link.runtime.NanoClock;
import io.verbena.verbs.ffm.FfmProvider;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;

/** The process on machine b in which a test on machine a has the other end of its links. */
final class FarProcess implements FarEnd {
  /** Says that it can be connected to. */
  static final String READY = "the other end is ready";

  static final int PORT = 7500;

  private final FarMemory memory = new FarMemory();
  private RdmaUpgradeProvider links;

  @SuppressWarnings("NullAway.Init") // by begin
  private FarProcess() {}

  public static void main(String[] arguments) throws IOException {
    FarProcess process = new FarProcess();
    try (ServerSocket server =
        new ServerSocket(PORT, 1, InetAddress.getByName(System.getenv("LAB_ADDRESS")))) {
      System.out.println(READY);
      try (FarCalls calls = new FarCalls(server.accept(), process.memory, process)) {
        calls.serve();
      }
    }
  }

  @Override
  public void begin(RdmaSettings settings) {
    links = new RdmaUpgradeProvider(new FfmProvider(), settings, NanoClock.SYSTEM);
  }

  @Override
  public UpgradeDriver newDriver() {
    UpgradeDriver driver = links.newDriver(() -> {});
    // The other machine's clock says nothing here.
    return new OtherwisePolled(driver, nanosThere -> driver.poll(NanoClock.SYSTEM.nanoTime()));
  }

  @Override
  public void requireNothingLeft() {
    DeviceLinkHarness.requireNothingLeft(links);
  }

  @Override
  public void allocate(long name, long bytes) {
    memory.allocate(name, bytes);
  }

  @Override
  public void free(long name) {
    memory.free(name);
  }

  @Override
  public void put(long name, byte[] bytes) {
    MemorySegment.copy(
        bytes, 0, memory.named(name, bytes.length), ValueLayout.JAVA_BYTE, 0, bytes.length);
  }

  @Override
  public byte[] get(long name, int bytes) {
    return memory.named(name, bytes).toArray(ValueLayout.JAVA_BYTE);
  }
}
