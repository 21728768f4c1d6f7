package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.verbena.rdma.Numa.Place;
import io.verbena.testkit.Seed;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import io.verbena.verbs.ffm.FfmProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hosts of several nodes, by files of the test's, and real threads bound on this one. */
class NumaTest {
  private static final String NODES = "sys/devices/system/node/";
  private static final String LOOP = "proc/70/task/71";

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path root;

  private record Bound(int thread, String processors) {}

  private final BlockingQueue<Bound> bound = new LinkedBlockingQueue<>();

  private void file(String name, String text) {
    try {
      Path file = root.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void thread(int number, String processors) {
    file(
        "proc/70/task/" + number + "/status",
        "Name:\tjava\nNSpid:\t4" + number + "\t" + number + "\nCpus_allowed_list:\t" + processors);
  }

  /** Two nodes, a device on the second, and a process that may use all processors. */
  private void twoNodes() throws IOException {
    file(NODES + "online", "0-1");
    file(NODES + "node0/cpulist", "0-3,8");
    file(NODES + "node1/cpulist", "4-7,9");
    device("mlx5_0", "1");
    thread(71, "0-9");
    Files.createSymbolicLink(root.resolve("proc/thread-self"), Path.of("70/task/71"));
  }

  private void device(String name, String node) {
    file("sys/class/infiniband/" + name + "/device/numa_node", node);
  }

  private Place place() {
    return Numa.place(root, "mlx5_0", true);
  }

  private static void assertBound(Place place, int node, String processors) {
    assertThat(place).isEqualTo(new Place(node, processors, "NUMA node " + node, ""));
  }

  private static void assertNotBound(Place place, String why) {
    assertThat(place.processors()).isEmpty();
    assertThat(place.words()).isEqualTo("not bound to its NUMA node " + place.node() + ": " + why);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {"0-3,8,10-11", "0", "5-6", "0-127,256-383", "''"})
  void aListIsReadAndWrittenAsTheKernelDoes(String text) {
    assertThat(Numa.words(Numa.list(text))).isEqualTo(text);
  }

  @Test
  void aListHasWhatIsBetweenItsEnds() {
    assertThat(Numa.list("0-3,8,10-11").stream()).containsExactly(0, 1, 2, 3, 8, 10, 11);
  }

  @ParameterizedTest
  @ValueSource(strings = {"all", "3-1", "1-", "-1", "1,,2", "0-99999", "999999999999"})
  void whatIsNoListHasNothing(String text) {
    assertThat(Numa.list(text).isEmpty()).isTrue();
  }

  // ---- where ----

  @Test
  void loopsRunOnAllProcessorsOfTheirDevicesNode() throws IOException {
    twoNodes();
    assertBound(place(), 1, "4-7,9");
  }

  @Test
  void aHostThatTellsOfNoNodesOrOfOneHasNothingToBind() throws IOException {
    assertThat(place()).isEqualTo(Place.ONLY);
    twoNodes();
    file(NODES + "online", "1");
    assertThat(place()).isEqualTo(Place.ONLY);
  }

  /** Memory that is attached without processors is a node, too. */
  @Test
  void aNodeWithoutProcessorsCountsForNone() throws IOException {
    twoNodes();
    file(NODES + "node0/cpulist", "");
    assertThat(place()).isEqualTo(Place.ONLY);
    file(NODES + "node0/cpulist", "0-3,8");
    file(NODES + "online", "0-2");
    file(NODES + "node2/cpulist", "");
    assertBound(place(), 1, "4-7,9");
    device("mlx5_0", "2");
    assertNotBound(place(), "it has no processor that is online");
  }

  @Test
  void aDeviceOnANodeThatIsOfflineIsNotFollowed() throws IOException {
    twoNodes();
    device("mlx5_0", "3");
    assertNotBound(place(), "it has no processor that is online");
  }

  @Test
  void aDeviceWhoseNodeNobodyKnowsIsNotFollowed() throws IOException {
    twoNodes();
    device("mlx5_0", "-1");
    assertThat(place()).isEqualTo(new Place(-1, "", "NUMA node unknown: numa_node is -1", ""));
    assertThat(Numa.place(root, "rxe0", true))
        .isEqualTo(new Place(-1, "", "NUMA node unknown", ""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "0-3,6-9; 6-7,9", // a part of both
        "5-6; 5-6", // of the node's alone
        "0-2,9; 9", // few, and no fewer than there should be
      })
  void theControlGroupsProcessorsOfTheNodeAreUsed(String allowed, String used) throws IOException {
    twoNodes();
    thread(71, allowed);
    assertBound(place(), 1, used);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "0-3; this process may use no processor but 0-3",
        "0-3,8-9,20; this process may use 9 there, of its 7 processors",
      })
  void aProcessThatIsRestrictedToOthersIsNotMoved(String allowed, String why) throws IOException {
    twoNodes();
    thread(71, allowed);
    assertNotBound(place(), why);
    assertThat(place().cure()).startsWith("let the process use processors 4-7,9 (");
  }

  @Test
  void nobodyIsMovedWhereItIsNotKnownWhatMayBeUsed() throws IOException {
    twoNodes();
    file(LOOP + "/status", "Name:\tjava");
    assertNotBound(place(), "the processors that this process may use are unknown");
  }

  @Test
  void nobodyIsMovedWhereItIsSwitchedOff() throws IOException {
    twoNodes();
    assertNotBound(Numa.place(root, "mlx5_0", false), "it is switched off");
    thread(71, "4-7,9"); // by whoever started the process
    assertBound(Numa.place(root, "mlx5_0", false), 1, "4-7,9");
  }

  // ---- binding ----

  private FabricHost host() {
    FabricHost host = Fabric.stepped(1).addHost("a", InetAddress.ofLiteral("10.9.0.1"));
    host.hostFiles(root, this::told);
    return host;
  }

  /** As the kernel would, has the thread's file tell of it. */
  private void told(int thread, BitSet processors) {
    thread(thread, Numa.words(processors));
    bound.add(new Bound(thread, Numa.words(processors)));
  }

  @Test
  void aLoopIsBoundByItsOwnNumberAndOnce() throws IOException {
    twoNodes();
    device("mlx5_1", "1");
    device("mlx5_2", "0");
    Numa numa = new Numa(host(), true);
    assertBound(numa.bind("mlx5_0"), 1, "4-7,9");
    assertBound(numa.bind("mlx5_1"), 1, "4-7,9");
    assertNotBound(numa.bind("mlx5_2"), "the loop is bound to another, for another device");
    assertThat(bound).containsExactly(new Bound(71, "4-7,9"));
  }

  @Test
  void whatIsThereAnywayIsNotBound() throws IOException {
    twoNodes();
    thread(71, "5-6");
    assertBound(new Numa(host(), true).bind("mlx5_0"), 1, "5-6");
    assertThat(bound).isEmpty();
  }

  @Test
  void aHostWithoutFilesBindsNothing() throws IOException {
    twoNodes();
    FabricHost host = Fabric.stepped(1).addHost("a", InetAddress.ofLiteral("10.9.0.1"));
    assertThat(new Numa(host, true).bind("mlx5_0")).isEqualTo(Place.ONLY);
  }

  @Test
  void whatTheSystemRefusesIsTold() throws IOException {
    twoNodes();
    FabricHost host = host();
    host.hostFiles(
        root,
        (thread, processors) -> {
          throw new UncheckedIOException(
              new VerbsException("sched_setaffinity", Errno.EPERM, "Not here."));
        });
    Numa numa = new Numa(host, true);
    assertThat(numa.bind("mlx5_0").words())
        .startsWith("not bound to its NUMA node 1: ")
        .contains("sched_setaffinity");
    host.hostFiles(root, this::told);
    assertBound(numa.bind("mlx5_0"), 1, "4-7,9");
  }

  @Test
  void threadsThatABoundLoopHasStartedRunAnywhereAgain() throws Exception {
    twoNodes();
    thread(72, "4-7,9"); // was bound by its owner before
    FabricHost host = host();
    assertBound(new Numa(host, true).bind("mlx5_0"), 1, "4-7,9");
    assertThat(bound.take()).isEqualTo(new Bound(71, "4-7,9"));

    thread(73, "4-7,9");
    thread(74, "4-5");
    assertThat(bound.poll(10, TimeUnit.SECONDS)).isEqualTo(new Bound(73, "0-9"));

    Files.delete(root.resolve("proc/thread-self"));
    Files.createSymbolicLink(root.resolve("proc/thread-self"), Path.of("70/task/75"));
    thread(75, "0-9");
    assertBound(new Numa(host, true).bind("mlx5_0"), 1, "4-7,9"); // another client's loop
    thread(76, "4-7,9");
    List<Bound> later = new ArrayList<>();
    do {
      later.add(bound.poll(10, TimeUnit.SECONDS));
    } while (later.size() < 2);
    assertThat(later).containsExactly(new Bound(75, "4-7,9"), new Bound(76, "0-9"));
  }

  // ---- links ----

  @Test
  void aLoopIsBoundBeforeItAllocatesAndThePathSaysTheNode() throws IOException {
    twoNodes();
    try (RdmaWorld world = world(root)) {
      assertThat(bound).containsExactly(new Bound(71, "4-7,9"));
      assertThat(world.session.path().reason())
          .isEqualTo(device(world) + " at 10.9.0.1, NUMA node 1");
    }
  }

  @Test
  void thePathSaysWhyALoopIsNotBound() throws IOException {
    twoNodes();
    thread(71, "0-3");
    try (RdmaWorld world = world(root)) {
      assertThat(bound).isEmpty();
      assertThat(world.session.path().reason())
          .isEqualTo(
              device(world)
                  + " at 10.9.0.1, not bound to its NUMA node 1: this process may use no processor"
                  + " but 0-3");
    }
  }

  private static String device(RdmaWorld world) {
    return world.verbs.east.adapter().deviceName();
  }

  /** A world whose client has the host. */
  private RdmaWorld world(Path root) {
    RdmaWorld world =
        new RdmaWorld(
            Seed.random("a client on a host of two nodes").nextLong(),
            DeviceProfile.full(),
            RdmaSettings.DEFAULT,
            server -> {},
            client -> {},
            verbs -> {
              device(verbs.east.adapter().deviceName(), "1");
              verbs.east.hostFiles(
                  root,
                  (thread, processors) -> {
                    assertThat(verbs.east.objects()).as("of the device").isZero();
                    told(thread, processors);
                  });
            });
    return world.upgraded();
  }

  // ---- this host ----

  private static Path task() {
    try {
      return Path.of("/proc/thread-self").toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String processors(Path task) throws IOException {
    return Files.readAllLines(task.resolve("status")).stream()
        .filter(line -> line.startsWith("Cpus_allowed_list:"))
        .map(line -> line.substring(line.indexOf('\t') + 1))
        .findFirst()
        .orElseThrow();
  }

  private static <T> T onThread(Callable<T> task) throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                result.complete(task.call());
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    return result.get(30, TimeUnit.SECONDS);
  }

  /** The nodes are made up; threads, their processors and what binds them are this host's. */
  @Tag("long")
  @Test
  void aHandlersThreadRunsAnywhereThoughABoundLoopHasStartedIt() throws Exception {
    String all = processors(task());
    int first = Numa.list(all).nextSetBit(0);
    int second = Numa.list(all).nextSetBit(first + 1);
    assumeThat(second).as("a second processor").isPositive();
    BitSet others = Numa.list(all);
    others.clear(first);
    file(NODES + "online", "0-1");
    file(NODES + "node0/cpulist", "" + first);
    file(NODES + "node1/cpulist", Numa.words(others));
    device("mlx5_0", "0");
    Files.createSymbolicLink(root.resolve("proc"), Path.of("/proc"));
    FabricHost host = Fabric.stepped(1).addHost("a", InetAddress.ofLiteral("10.9.0.1"));
    host.hostFiles(
        root,
        (thread, processors) -> {
          try {
            FfmProvider.shared().bindThread(thread, processors);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    CountDownLatch end = new CountDownLatch(1);
    String free =
        onThread(
            () -> {
              assertBound(new Numa(host, true).bind("mlx5_0"), 0, "" + first);
              assertThat(processors(task())).isEqualTo("" + first);
              CompletableFuture<Path> started = new CompletableFuture<>();
              Thread.ofPlatform()
                  .daemon()
                  .start(
                      () -> {
                        started.complete(task());
                        awaitUninterruptibly(end);
                      });
              Path child = started.get();
              long tries = 0;
              while (!processors(child).equals(all) && tries++ < 1_000) {
                Thread.sleep(10);
              }
              assertThat(processors(task())).as("the loop's own").isEqualTo("" + first);
              return processors(child);
            });
    end.countDown();
    assertThat(free).isEqualTo(all);
    assertThat(processors(task())).as("another thread's").isEqualTo(all);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
