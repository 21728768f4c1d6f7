package io.verbena.simulation.world;

import io.verbena.link.LinkException;
import io.verbena.link.UpgradeDriver;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Observes the calls of a driver before they are made. */
@FunctionalInterface
interface SeenCalls {
  /**
   * Called before a method.
   *
   * @param arguments the arguments, which may be changed
   * @throws LinkException to make the call fail
   */
  void call(String method, Object[] arguments) throws LinkException;

  /** Returns a driver whose calls with arguments are observed. */
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
