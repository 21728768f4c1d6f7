package io.verbena.simulation.world;

import io.verbena.link.LinkOptions;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A kind of better link, and who asks for it.
 *
 * @param watch hears of the server whenever a session asks, but not of those that ask for one more
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
    UpgradeDriver driver = provider.newDriver(wakeLoop);
    return (UpgradeDriver)
        Proxy.newProxyInstance(
            UpgradeDriver.class.getClassLoader(),
            new Class<?>[] {UpgradeDriver.class},
            (self, method, arguments) -> call(driver, method, arguments));
  }

  private @Nullable Object call(UpgradeDriver driver, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (arguments != null
        && arguments[0] instanceof URI peer // request, of all its methods
        && arguments[1] instanceof LinkOptions options
        && options.beside().isEmpty()) {
      watch.accept(peer);
    }
    try {
      return method.invoke(driver, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Override
  public Map<String, Long> figures() {
    return provider.figures();
  }
}
