package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.testkit.HostileUpgrade;
import io.verbena.testkit.JavaProcess;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ext.WaitSet;
import io.verbena.verbs.fabric.Fabric;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * With loops that wait: whatever a provider of RDMA links or of verbs throws, sessions open on TCP
 * and calls go on.
 */
class HostileProviderTest {
  private static final List<Supplier<? extends Throwable>> THROWN =
      List.of(
          () -> new IllegalStateException("hostile"),
          () -> new UnsatisfiedLinkError("hostile"),
          () -> new Error("hostile"),
          () -> new IllegalCallerException("hostile"));

  private static final InetAddress EAST = InetAddress.ofLiteral("10.9.0.1");
  private static final InetAddress WEST = InetAddress.ofLiteral("10.9.0.2");

  private final Fabric fabric = Fabric.threaded(7);
  private final UpgradeProvider east = link(fabric.addHost("east", EAST));
  private final VerbsProvider west = fabric.addHost("west", WEST);
  private final VerbenaServer server =
      VerbenaServer.builder()
          .listen("127.0.0.1:0")
          .serve(SuccessorRpc.bind(number -> number + 1))
          .upgrades(east)
          .drainTime(Duration.ofMillis(100)) // a client is killed
          .start();

  @AfterEach
  void close() {
    server.close();
    fabric.close();
  }

  private static UpgradeProvider link(VerbsProvider verbs) {
    return new RdmaUpgradeProvider(verbs, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
  }

  @TestFactory
  Stream<DynamicTest> aProviderOfLinksMayThrowAnywhere() {
    List<String> places = HostileUpgrade.places();
    return places.stream()
        .map(
            place -> {
              Supplier<? extends Throwable> thrown = THROWN.get(places.indexOf(place) % 4);
              return dynamicTest(
                  place, () -> callsGoOn(HostileUpgrade.of(link(west), place, thrown)));
            });
  }

  @TestFactory
  Stream<DynamicTest> aProviderOfVerbsMayThrowAnywhere() {
    return Stream.of(VerbsProvider.class.getMethods())
        .flatMap(
            method ->
                THROWN.stream()
                    .map(
                        thrown ->
                            dynamicTest(
                                method.getName() + " throws " + thrown.get(),
                                () -> callsGoOn(link(hostile(west, method, thrown))))));
  }

  private static VerbsProvider hostile(
      VerbsProvider verbs, Method place, Supplier<? extends Throwable> thrown) {
    return (VerbsProvider)
        Proxy.newProxyInstance(
            VerbsProvider.class.getClassLoader(),
            new Class<?>[] {VerbsProvider.class},
            (self, method, arguments) -> {
              if (method.equals(place)) {
                throw thrown.get();
              }
              try {
                return method.invoke(verbs, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void callsGoOn(UpgradeProvider provider) throws InterruptedException {
    try (VerbenaClient client = VerbenaClient.builder().upgrades(provider).build();
        Session session = client.connect(server.address().toString())) {
      Successor successor = SuccessorRpc.client(session);
      for (int i = 0; i < 3; i++) {
        assertThat(successor.of(i)).isEqualTo(i + 1);
        Thread.sleep(10); // the loops wait
      }
    }
  }

  /** Verbs as they are where there is a device: the first thing is a foreign function. */
  static final class Foreign implements VerbsProvider {
    @Override
    public String name() {
      return "foreign";
    }

    @Override
    public Optional<VerbsException> problem() {
      SymbolLookup.libraryLookup("libc.so.6", Arena.global());
      return Optional.empty();
    }

    @Override
    public RdmaEventChannel createEventChannel() {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<IbvContext> devices() {
      throw new UnsupportedOperationException();
    }

    @Override
    public WaitSet newWaitSet() {
      throw new UnsupportedOperationException();
    }
  }

  /** A program that was started without native access, on a host that has a device. */
  static final class Denied {
    private Denied() {}

    public static void main(String[] args) {
      try (VerbenaClient client = VerbenaClient.builder().upgrades(link(new Foreign())).build();
          Session session = client.connect(args[0])) {
        long two = SuccessorRpc.client(session).of(1);
        System.out.println("1 + 1 = " + two + ", path: " + session.path());
      }
    }
  }

  @Tag("long")
  @Test
  void aJvmThatDeniesNativeAccessHasTcpAndSaysWhy() throws Exception {
    try (JavaProcess process =
        JavaProcess.start(
            List.of("--illegal-native-access=deny"), Denied.class, server.address().toString())) {
      assertThat(process.lineAfter("1 + 1 = "))
          .startsWith("2, path: tcp (the verbs devices cannot be used: ")
          .contains("IllegalCallerException");
    }
  }
}
