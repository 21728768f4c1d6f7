package io.verbena.testkit;

import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Makes a provider of better links that throws, from the first call on, at one method of its own or
 * of its drivers, and is well-behaved in all else. For tests that go through every method there is.
 */
public final class HostileUpgrade {
  private HostileUpgrade() {}

  /** Returns all the places to throw at: {@code "UpgradeDriver.poll"}. */
  public static List<String> places() {
    return Stream.of(UpgradeProvider.class, UpgradeDriver.class)
        .flatMap(type -> Stream.of(type.getMethods()).map(HostileUpgrade::place))
        .distinct()
        .sorted()
        .toList();
  }

  private static String place(Method method) {
    Class<?> type = method.getDeclaringClass();
    return (type == AutoCloseable.class ? "UpgradeDriver" : type.getSimpleName())
        + "."
        + method.getName();
  }

  /** Returns the provider, but for one place, where it throws what it is given each time. */
  public static UpgradeProvider of(
      UpgradeProvider provider, String place, Supplier<? extends Throwable> thrown) {
    return wrap(UpgradeProvider.class, provider, place, thrown);
  }

  private static <T> T wrap(
      Class<T> type, T real, String place, Supplier<? extends Throwable> thrown) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getDeclaringClass() == Object.class) {
                return method.getName().equals("equals")
                    ? self == arguments[0]
                    : method.invoke(real, arguments);
              }
              if (place(method).equals(place)) {
                throw thrown.get();
              }
              try {
                Object result = method.invoke(real, arguments);
                return result instanceof UpgradeDriver driver
                    ? wrap(UpgradeDriver.class, driver, place, thrown)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(proxy);
  }
}
