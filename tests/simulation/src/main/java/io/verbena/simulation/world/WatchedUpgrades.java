package io.verbena.simulation.world;

import io.verbena.link.LinkOptions;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import java.net.URI;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A kind of better link, with a watch for its requests.
 *
 * @param watch receives the server whenever a session requests its first better link
 */
record WatchedUpgrades(UpgradeProvider provider, Consumer<URI> watch) implements UpgradeProvider {
  @Override
  public String kind() {
    return provider.kind();
  }

  @Override
  public Availability availability() {
    return provider.availability();
  }

  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop) {
    return SeenCalls.of(
        provider.newDriver(wakeLoop),
        (method, arguments) -> {
          if (method.equals("request") && ((LinkOptions) arguments[1]).beside().isEmpty()) {
            watch.accept((URI) arguments[0]);
          }
        });
  }

  @Override
  public Map<String, Long> figures() {
    return provider.figures();
  }
}
