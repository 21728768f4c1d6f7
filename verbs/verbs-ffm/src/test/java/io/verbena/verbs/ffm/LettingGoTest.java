package io.verbena.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.testkit.JavaProcess;
import io.verbena.testkit.Seed;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.VerbsMr;
import io.verbena.verbs.ext.VerbsPd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Whenever a device is removed, whatever a process has just begun with it, the process lets go of
 * it soon: the kernel waits with the removal until every process has.
 */
@Tag("lab")
@Order(2) // before this JVM opens the device itself
@EnabledIfEnvironmentVariable(named = "LAB_NAME", matches = ".+")
class LettingGoTest {
  private static final Duration ROUNDS = Duration.ofSeconds(4);
  private static final int PATIENCE_SECONDS = 20;
  private static final int THREADS = 3;
  private static final int WAYS = 5;
  private static final AtomicIntegerArray DONE = new AtomicIntegerArray(WAYS);
  private static volatile boolean failed;

  private final long seed = Seed.number("LettingGoTest");
  private final Random random = new Random(seed);

  @Test
  void aRemovedDeviceIsGoneWhetherProcessesUseItOrHaveOnlyLooked() throws Exception {
    try (JavaProcess idle = start("look once");
        JavaProcess busy = start(Long.toString(seed))) {
      int removals = 0;
      try {
        idle.line();
        busy.line();
        String next = deletion();
        for (long end = System.nanoTime() + ROUNDS.toNanos(); System.nanoTime() < end; removals++) {
          boolean gone = run(next).waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
          assertThat(gone)
              .as(() -> "seed " + seed + ", held: " + holders(idle.process(), busy.process()))
              .isTrue();
          next = comingAndGoing();
        }
      } finally {
        idle.kill();
        busy.endInput();
        boolean _ = busy.process().waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        bringBack();
      }
      JavaProcess.Ended ended = busy.end(Duration.ZERO);
      assertThat(ended.status()).as("seed %d: %s", seed, ended.out()).isZero();
      System.out.println(removals + " removals, " + ended.out());
    }
  }

  private static JavaProcess start(String what) throws IOException {
    return JavaProcess.start(
        List.of("--enable-native-access=ALL-UNNAMED"), LettingGoTest.class, what);
  }

  /** The device comes, and goes about when others look at it for the first time. */
  private String comingAndGoing() {
    String pause = random.nextBoolean() ? ":" : "sleep 0.0" + (10 + random.nextInt(90));
    return addition() + "; " + pause + "; " + deletion();
  }

  private static String addition() {
    String type = LabDevice.name().replaceAll("[0-9]+$", "");
    return "rdma link add " + LabDevice.name() + " type " + type + " netdev eth0";
  }

  private static String deletion() {
    return "rdma link delete " + LabDevice.name();
  }

  private static Process run(String commands) throws IOException {
    return new ProcessBuilder("sh", "-c", commands).inheritIO().start();
  }

  private static void bringBack() throws Exception {
    for (int i = 0; i < 100 && run(addition()).waitFor() != 0; i++) {
      Thread.sleep(50); // the kernel may not have done with it
    }
  }

  /** Which of the processes has what of a device open. */
  private static String holders(Process... processes) {
    StringBuilder holders = new StringBuilder();
    for (Process one : processes) {
      holders.append(one.pid()).append(':');
      try (Stream<Path> files = Files.list(Path.of("/proc/" + one.pid() + "/fd"))) {
        for (Path file : files.toList()) {
          if (Files.isSymbolicLink(file)) {
            String target = Files.readSymbolicLink(file).toString();
            if (target.contains("infiniband")) {
              holders.append(' ').append(file.getFileName()).append("->").append(target);
            }
          }
        }
      } catch (IOException e) {
        holders.append(' ').append(e);
      }
      holders.append("; ");
    }
    return holders.toString();
  }

  // ---- the processes ----

  /** Looks once and does nothing, or uses the device in every way, until its input ends. */
  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("look once")) {
      FfmProvider.shared().devices();
    } else {
      for (int way = 0; way < WAYS; way++) {
        use(way, new Random(0)); // the first time takes long
      }
      for (int i = 0; i < THREADS; i++) {
        Random random = new Random(Long.parseLong(arguments[0]) + i);
        Thread.ofPlatform().daemon().start(() -> use(random));
      }
    }
    System.out.println("begun");
    int _ = System.in.read();
    System.out.println(DONE + " done");
    System.exit(failed ? 1 : 0);
  }

  private static void use(Random random) {
    while (true) {
      use(random.nextInt(WAYS), random);
    }
  }

  private static void use(int way, Random random) {
    try (Undone undone = new Undone()) {
      switch (way) {
        case 0 -> FfmProvider.shared().problem();
        case 1 -> make(undone, random);
        case 2 -> bind(undone, random);
        case 3 -> resolve(undone, random);
        default -> connect(undone, random);
      }
      Thread.sleep(random.nextInt(40));
      DONE.incrementAndGet(way);
    } catch (IOException removed) {
      // The next.
    } catch (Throwable wrong) {
      failed = true;
      wrong.printStackTrace(System.out);
    }
  }

  /** Steps are undone in the reverse order; all of them can be, with a device or without. */
  private static final class Undone implements AutoCloseable {
    private interface Step {
      void run() throws Exception;
    }

    private final Deque<Step> steps = new ArrayDeque<>();

    void add(Step step) {
      steps.push(step);
    }

    @Override
    public void close() {
      for (Step step : steps) {
        try {
          step.run();
        } catch (Exception e) {
          throw new AssertionError("cannot be undone", e);
        }
      }
    }
  }

  private static void make(Undone undone, Random random) throws IOException {
    for (IbvContext device : FfmProvider.shared().devices()) {
      IbvPd pd = device.allocPd();
      undone.add(pd::deallocPd);
      queue(device, undone, random);
      Arena arena = Arena.ofShared();
      undone.add(arena::close);
      IbvMr region =
          VerbsPd.of(pd).registerMemory(arena.allocate(4096).address(), 4096, Access.LOCAL_WRITE);
      undone.add(VerbsMr.of(region)::deregister);
    }
  }

  private static IbvCQ queue(IbvContext device, Undone undone, Random random) throws IOException {
    IbvCompChannel channel = random.nextBoolean() ? device.createCompChannel() : null;
    if (channel != null) {
      undone.add(channel::destroyCompChannel);
    }
    IbvCQ queue = device.createCQ(channel, 16, 0);
    undone.add(queue::destroyCQ);
    return queue;
  }

  private static RdmaCmId id(RdmaEventChannel channel, Undone undone) throws IOException {
    RdmaCmId id = channel.createId(RdmaCm.RDMA_PS_TCP);
    undone.add(id::destroyId);
    return id;
  }

  private static RdmaEventChannel channel(Undone undone) throws IOException {
    RdmaEventChannel channel = FfmProvider.shared().createEventChannel();
    undone.add(channel::destroyEventChannel);
    return channel;
  }

  private static void bind(Undone undone, Random random) throws Exception {
    RdmaCmId id = id(channel(undone), undone);
    id.bindAddr(LabDevice.ipv4(0));
    Thread.sleep(random.nextInt(3));
    if (random.nextBoolean()) {
      id.listen(1);
    }
    if (random.nextBoolean()) {
      IbvContext _ = id.getVerbs();
    }
  }

  private static void resolve(Undone undone, Random random) throws Exception {
    RdmaEventChannel channel = channel(undone);
    RdmaCmId id = id(channel, undone);
    id.resolveAddr(null, LabDevice.ipv4(1), 100);
    if (random.nextInt(4) == 0) {
      return; // which is heard by nobody
    }
    RdmaCmEvent event = channel.getCmEvent(100);
    Thread.sleep(random.nextInt(3));
    if (event != null && event.getStatus() == 0 && random.nextBoolean()) {
      queuePair(id, undone, random);
    }
  }

  private static void queuePair(RdmaCmId id, Undone undone, Random random) throws IOException {
    IbvContext device = id.getVerbs();
    if (device != null) {
      IbvPd pd = device.allocPd();
      undone.add(pd::deallocPd);
      IbvCQ queue = queue(device, undone, random);
      IbvQPInitAttr attributes = new IbvQPInitAttr();
      attributes.cap().setMax_send_wr(4);
      attributes.cap().setMax_recv_wr(4);
      attributes.cap().setMax_send_sge(1);
      attributes.cap().setMax_recv_sge(1);
      attributes.setSend_cq(queue);
      attributes.setRecv_cq(queue);
      id.createQP(pd, attributes);
      undone.add(id::destroyQP);
    }
  }

  /** With oneself. */
  private static void connect(Undone undone, Random random) throws Exception {
    RdmaEventChannel channel = channel(undone);
    RdmaCmId listener = id(channel, undone);
    listener.bindAddr(LabDevice.ipv4(0));
    listener.listen(4);
    RdmaCmId id = id(channel, undone);
    id.resolveAddr(null, (InetSocketAddress) listener.getSource(), 100);
    int established = 0;
    RdmaCmEvent event;
    while (established < 2 && (event = channel.getCmEvent(500)) != null) {
      switch (Pair.type(event)) {
        case RDMA_CM_EVENT_ADDR_RESOLVED -> id.resolveRoute(100);
        case RDMA_CM_EVENT_ROUTE_RESOLVED -> {
          queuePair(id, undone, random);
          id.connect(new ConnectionParameters());
        }
        case RDMA_CM_EVENT_CONNECT_REQUEST -> {
          RdmaCmId asking = event.getConnIdPriv();
          undone.add(asking::destroyId);
          if (random.nextInt(4) == 0) {
            return;
          }
          queuePair(asking, undone, random);
          asking.accept(new ConnectionParameters());
        }
        case RDMA_CM_EVENT_ESTABLISHED -> established++;
        default -> throw new IOException(event.toString());
      }
    }
  }
}
