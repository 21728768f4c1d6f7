package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testkit.ManualClock;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A name that is looked up again. */
class DnsResolverTest implements Resolver.Listener {
  private final ManualClock clock = new ManualClock();
  private final SteppedTime time = new SteppedTime(clock);
  private final List<String> told = new ArrayList<>();
  private List<String> addresses = List.of("10.0.0.2", "10.0.0.1");
  private int looks;
  private final DnsResolver resolver =
      new DnsResolver(
          "store",
          7400,
          this::lookUp,
          Runnable::run,
          time,
          Duration.ofSeconds(30),
          Duration.ofSeconds(1));

  private List<String> lookUp(String host) throws UnknownHostException {
    looks++;
    if (addresses.isEmpty()) {
      throw new UnknownHostException(host);
    }
    return addresses;
  }

  @Override
  public void endpoints(List<Endpoint> all) {
    told.add(String.join(" ", all.stream().map(Endpoint::address).toList()));
  }

  @Override
  public void failed(String reason) {
    told.add(reason);
  }

  private void pass(Duration duration) {
    clock.advance(duration);
    time.runDue();
  }

  @Test
  void tellsEveryAddressWithThePort() {
    resolver.start(this);
    assertThat(told).containsExactly("10.0.0.1:7400 10.0.0.2:7400");
  }

  @Test
  void looksAgainAfterItsPeriod() {
    resolver.start(this);
    addresses = List.of("10.0.0.3");
    pass(Duration.ofSeconds(29));
    assertThat(looks).isOne();
    pass(Duration.ofSeconds(1));
    assertThat(told).last().isEqualTo("10.0.0.3:7400");
  }

  @Test
  void looksSoonWhereAServerIsGoneButNotMoreThanOnceInASecond() {
    resolver.start(this);
    for (int i = 0; i < 10; i++) {
      resolver.refresh();
      pass(Duration.ofMillis(200));
    }
    assertThat(looks).isBetween(2, 3);
  }

  @Test
  void saysWhatWasNotFoundAndLooksAgain() {
    addresses = List.of();
    resolver.start(this);
    assertThat(told).first().asString().startsWith("the name 'store' was not found");
    addresses = List.of("10.0.0.1");
    pass(Duration.ofSeconds(5));
    assertThat(told).last().isEqualTo("10.0.0.1:7400");
  }

  @Test
  void looksNoMoreWhenItIsClosed() {
    resolver.start(this);
    resolver.close();
    resolver.refresh();
    pass(Duration.ofMinutes(5));
    assertThat(looks).isOne();
  }

  @Test
  void refusesATargetWithoutAPort() {
    assertThatThrownBy(() -> new DnsResolver.Provider().resolver(URI.create("dns:///store"), time))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("dns:///store.example:7400");
  }
}
