package io.verbena.rdma;

import io.verbena.link.Link;
import io.verbena.link.UpgradeDriver;
import io.verbena.testkit.EndMemory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * RDMA links between the devices of two machines: every second end is in a {@link FarProcess} on
 * machine b, and is stepped there while the test waits.
 */
final class TwoMachinesHarness extends DeviceLinkHarness {
  private static final FarMemory MEMORY = new FarMemory();
  private static final FarEnd FAR = start();

  private int drivers;

  TwoMachinesHarness(RdmaSettings settings) {
    this(settings, settings);
  }

  TwoMachinesHarness(RdmaSettings here, RdmaSettings there) {
    super(here);
    FAR.begin(there);
  }

  /** Starts the process, which ends with this one. */
  private static FarEnd start() {
    String command =
        "java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp "
            + System.getProperty("java.class.path")
            + " "
            + FarProcess.class.getName();
    try {
      Process process =
          new ProcessBuilder("lab-on", "b", command).redirectErrorStream(true).start();
      BufferedReader output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = output.readLine();
      while (line != null && !line.equals(FarProcess.READY)) {
        System.out.println("b| " + line);
        line = output.readLine();
      }
      if (line == null) {
        throw new IOException("the other end does not start; its words are above");
      }
      Thread.ofPlatform()
          .daemon()
          .start(() -> output.lines().forEach(each -> System.out.println("b| " + each)));
      Socket socket = new Socket(variable("LAB_PEER"), FarProcess.PORT);
      return new FarCalls(socket, MEMORY, new Object()).root(FarEnd.class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  UpgradeDriver newDriver(Runnable wakeLoop) {
    return drivers++ % 2 == 0 ? super.newDriver(wakeLoop) : FAR.newDriver();
  }

  @Override
  public URI nobodyListens() {
    return URI.create("rdma://" + variable("LAB_PEER") + ":1");
  }

  @Override
  public EndMemory memoryOf(Link end) {
    return FarCalls.isFar(end) ? new ThereMemory() : EndMemory.ofThisProcess();
  }

  /** Each step is a round trip over the very network. */
  @Override
  public int idleSteps() {
    return 20;
  }

  @Override
  public boolean hasBothEndsHere() {
    return false;
  }

  @Override
  public void close() {
    super.close();
    FAR.requireNothingLeft();
  }

  /** Memory of machine b, with a copy here. */
  private static final class ThereMemory implements EndMemory {
    private final Set<Long> names = new HashSet<>();

    @Override
    public MemorySegment allocate(long bytes) {
      MemorySegment copy = MEMORY.allocate(bytes);
      FAR.allocate(copy.address(), bytes);
      names.add(copy.address());
      return copy;
    }

    @Override
    public void free(MemorySegment memory) {
      names.remove(memory.address());
      FAR.free(memory.address());
      MEMORY.free(memory.address());
    }

    @Override
    public void put(MemorySegment memory) {
      FAR.put(memory.address(), memory.toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public void get(MemorySegment memory) {
      byte[] there = FAR.get(memory.address(), (int) memory.byteSize());
      MemorySegment.copy(there, 0, memory, ValueLayout.JAVA_BYTE, 0, there.length);
    }

    @Override
    public void close() {
      Set.copyOf(names).forEach(name -> free(MemorySegment.ofAddress(name)));
    }
  }
}
