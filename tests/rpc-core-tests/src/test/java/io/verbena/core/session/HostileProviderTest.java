package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.link.UpgradeProvider;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.HostileUpgrade;
import io.verbena.testkit.InMemoryUpgrade;
import io.verbena.testkit.SteppedWorld;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Whatever a provider of better links throws, wherever it throws it, sessions open, stay on or go
 * back to the link they began on, and say why; calls go on.
 */
class HostileProviderTest {
  /** Without these there is no better link, or none for long. */
  private static final Set<String> INDISPENSABLE =
      Set.of(
          "UpgradeProvider.availability",
          "UpgradeProvider.newDriver",
          "UpgradeDriver.poll",
          "UpgradeDriver.request",
          "UpgradeDriver.connect");

  private static final List<Supplier<? extends Throwable>> THROWN =
      List.of(
          () -> new IllegalStateException("hostile"),
          () -> new UnsatisfiedLinkError("hostile"),
          () -> new Error("hostile"),
          () -> new IllegalCallerException("hostile"),
          () -> new ExceptionInInitializerError(new IllegalStateException("hostile")),
          Speechless::new);

  /** Has no message, and an error where one would be. */
  private static final class Speechless extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new StackOverflowError("hostile");
    }
  }

  @TestFactory
  Stream<DynamicTest> theClientsProviderMayThrowAnywhere() {
    return everywhere(true);
  }

  @TestFactory
  Stream<DynamicTest> theServersProviderMayThrowAnywhere() {
    return everywhere(false);
  }

  private static Stream<DynamicTest> everywhere(boolean atTheClient) {
    return HostileUpgrade.places().stream()
        .flatMap(
            place ->
                THROWN.stream()
                    .skip(Boolean.getBoolean("verbena.long") ? 0 : THROWN.size() - 2)
                    .map(
                        thrown ->
                            dynamicTest(
                                place + " throws " + thrown.get().getClass().getSimpleName(),
                                () -> callsGoOn(place, thrown, atTheClient))));
  }

  private static void callsGoOn(
      String place, Supplier<? extends Throwable> thrown, boolean atTheClient) {
    SteppedWorld world = new SteppedWorld();
    InMemoryNetwork fast = new InMemoryNetwork(world.clock(), 16);
    UpgradeProvider good = new InMemoryUpgrade(fast);
    UpgradeProvider hostile = HostileUpgrade.of(new InMemoryUpgrade(fast), place, thrown);
    world.server(
        s -> s.serve(Probe.bind(new Probe.Plain())).upgrades(atTheClient ? good : hostile));
    try (Session session =
        world.client(c -> c.upgrades(atTheClient ? hostile : good)).session(world.address())) {
      call(world, session, "the first");
      world.pass(Duration.ofSeconds(4)); // and more attempts
      for (int i = 0; i < 40; i++) {
        call(world, session, "call " + i);
      }
      if (atTheClient && INDISPENSABLE.contains(place)) {
        String said = thrown.get() instanceof Speechless ? "Speechless" : "hostile";
        assertThat(session.path().reason()).contains(said);
      }
    } finally {
      world.close();
    }
  }

  private static void call(SteppedWorld world, Session session, String text) {
    assertThat(world.result(new Probe.Stub(session).submit(Probe.ECHO, text))).isEqualTo(text);
  }
}
