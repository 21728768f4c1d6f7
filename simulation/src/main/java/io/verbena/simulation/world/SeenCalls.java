package io.verbena.simulation.world;

import io.verbena.link.LinkException;
import io.verbena.link.UpgradeDriver;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Sees the calls of a driver before they are made. */
@FunctionalInterface
interface SeenCalls {
  /**
   * A method is about to be called.
   *
   * @param arguments may be changed
   * @throws LinkException to have the call fail so
   */
  void call(String method, Object[] arguments) throws LinkException;

  /** Returns a driver of which somebody sees the calls that have arguments. */
  static UpgradeDriver of(UpgradeDriver driver, SeenCalls seer) {
    return (UpgradeDriver)
        Proxy.newProxyInstance(
            UpgradeDriver.class.getClassLoader(),
            new Class<?>[] {UpgradeDriver.class},
            (self, method, arguments) -> {
              if (arguments != null) {
                seer.call(method.getName(), arguments);
              }
              try {
                return method.invoke(driver, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
