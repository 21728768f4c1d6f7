package io.verbena.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ffm.life.Lifetime;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LifetimeTest {
  private final Lifetime life = new Lifetime("the thing", "parts");
  private final AtomicInteger frees = new AtomicInteger();

  private void close() throws IOException {
    life.close("free_thing", frees::incrementAndGet);
  }

  private static int errno(Throwable failure) {
    return ((VerbsException) failure).errno();
  }

  @Test
  void refusesUseAfterCloseAndASecondClose() throws Exception {
    life.use("use_thing").close();
    close();

    assertThat(life.isOpen()).isFalse();
    assertThatThrownBy(() -> life.use("use_thing"))
        .hasMessageContaining("use_thing")
        .hasMessageContaining("the thing is closed")
        .matches(failure -> errno(failure) == Errno.EBADF);
    assertThatThrownBy(() -> life.addDependent("add_part"))
        .matches(failure -> errno(failure) == Errno.EBADF);
    assertThatThrownBy(this::close).matches(failure -> errno(failure) == Errno.EBADF);
    assertThat(frees).hasValue(1);
  }

  @Test
  void refusesToCloseWhileSomethingStandsOnIt() throws Exception {
    life.addDependent("add_part");

    assertThatThrownBy(this::close)
        .hasMessageContaining("1 of its parts")
        .matches(failure -> errno(failure) == Errno.EBUSY);
    life.use("use_thing").close();

    life.removeDependent();
    close();
    assertThat(frees).hasValue(1);
  }

  @Test
  void isOpenAgainWhenFreeingFailed() throws Exception {
    assertThatThrownBy(
            () ->
                life.close(
                    "free_thing",
                    () -> {
                      throw new IOException("the device said no");
                    }))
        .hasMessage("the device said no");

    life.use("use_thing").close();
    close();
    assertThat(frees).hasValue(1);
  }

  @Test
  void aRetiredObjectIsFreedWithTheLastThatStandsOnIt() throws Exception {
    life.addDependent("add_part");
    life.addDependent("add_part");

    life.retire("free_thing", () -> {}, frees::incrementAndGet);
    assertThat(life.isOpen()).isFalse();
    assertThat(frees).hasValue(0);

    life.removeDependent();
    assertThat(frees).hasValue(0);
    life.removeDependent();
    assertThat(frees).hasValue(1);
  }

  @Test
  void wakesAndAwaitsACallThatIsInside() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch woken = new CountDownLatch(1);
    AtomicBoolean left = new AtomicBoolean();
    Thread caller =
        Thread.ofPlatform()
            .start(
                () -> {
                  try (Lifetime.Use _ = life.use("wait_for_thing")) {
                    inside.countDown();
                    woken.await();
                    left.set(true);
                  } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                });
    inside.await();

    life.close(
        "free_thing",
        woken::countDown,
        () -> {
          assertThat(left).isTrue();
          frees.incrementAndGet();
        });

    assertThat(frees).hasValue(1);
    caller.join();
  }

  @Tag("long")
  @Test
  void neverFreesUnderneathACallWhateverTheRace() throws Exception {
    for (int round = 0; round < 200; round++) {
      Lifetime object = new Lifetime("the thing", "parts");
      AtomicBoolean freed = new AtomicBoolean();
      AtomicBoolean usedAfterFree = new AtomicBoolean();
      Thread[] users = new Thread[2];
      for (int i = 0; i < users.length; i++) {
        users[i] = Thread.ofPlatform().start(() -> useUntilClosed(object, freed, usedAfterFree));
      }
      object.close("free_thing", () -> freed.set(true));
      for (Thread user : users) {
        user.join();
      }
      assertThat(usedAfterFree).isFalse();
      assertThat(freed).isTrue();
    }
  }

  private static void useUntilClosed(
      Lifetime object, AtomicBoolean freed, AtomicBoolean usedAfterFree) {
    while (true) {
      try (Lifetime.Use _ = object.use("use_thing")) {
        if (freed.get()) {
          usedAfterFree.set(true);
        }
      } catch (VerbsException closed) {
        return;
      }
    }
  }
}
