package io.verbena.it.two;

import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A kind of better link, and how often sessions have asked for it.
 *
 * @param asks counts them
 */
record CountedUpgrades(UpgradeProvider provider, AtomicInteger asks) implements UpgradeProvider {
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
            (self, method, arguments) -> {
              if (method.getName().equals("request")) {
                asks.incrementAndGet();
              }
              try {
                return method.invoke(driver, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Override
  public Map<String, Long> figures() {
    return provider.figures();
  }
}
