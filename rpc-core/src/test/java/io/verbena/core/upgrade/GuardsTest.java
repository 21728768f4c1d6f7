package io.verbena.core.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.verbena.core.link.Link;
import io.verbena.core.link.LinkDriver;
import io.verbena.core.link.LinkListener;
import io.verbena.core.link.UpgradeDriver;
import io.verbena.core.link.UpgradeProvider;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;

/** A guard that inherits a default method would answer it itself instead of passing it on. */
class GuardsTest {
  private static void declares(Class<?> guard, Class<?> guarded) {
    for (Method method : guarded.getMethods()) {
      assertThatCode(() -> guard.getDeclaredMethod(method.getName(), method.getParameterTypes()))
          .as("%s of %s", method, guard)
          .doesNotThrowAnyException();
    }
    assertThat(guarded).isAssignableFrom(guard);
  }

  @Test
  void everyMethodIsPassedOn() {
    declares(GuardedUpgrades.class, UpgradeProvider.class);
    declares(GuardedDriver.class, UpgradeDriver.class);
    declares(GuardedLink.class, Link.class);
    declares(GuardedLink.class, LinkListener.class);
    declares(GuardedLink.class, LinkDriver.ConnectHandler.class);
  }
}
