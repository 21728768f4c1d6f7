package io.verbena.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The JVMs that tests start tell what they should, and none outlives its test. */
@Tag("long")
@Timeout(120)
class JavaProcessTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  /** Prints more than a pipe holds to both of its outputs, and then what it was given. */
  static final class Talker {
    public static void main(String[] arguments) {
      for (int i = 0; i < 10_000; i++) {
        System.out.println("out " + i);
        System.err.println("err " + i);
      }
      System.out.println(
          String.join(" ", arguments[0], System.getProperty("given"), System.getenv("GIVEN")));
      System.exit(3);
    }
  }

  /** Starts another one, says its number and does not end. */
  static final class Parent {
    public static void main(String[] arguments) throws Exception {
      JavaProcess child = JavaProcess.start(Child.class);
      System.out.println(child.line() + " " + child.process().pid());
      if (arguments[0].equals("ends")) {
        System.exit(0);
      }
      JavaProcess.endWithParent();
    }
  }

  /** Does not end. */
  static final class Child {
    public static void main(String[] arguments) throws Exception {
      System.out.println("child");
      Thread.currentThread().join();
    }
  }

  @Test
  void allThatItPrintsIsReadWhileItRuns() throws Exception {
    JavaProcess.Ended ended =
        JavaProcess.of(Talker.class, "word")
            .options("-Dgiven=property")
            .environment(Map.of("GIVEN", "variable"))
            .keepsErrors()
            .run(LONG);
    assertThat(ended.status()).isEqualTo(3);
    assertThat(ended.out().lines()).hasSize(10_001).endsWith("word property variable");
    assertThat(ended.errors().lines()).hasSize(10_000).endsWith("err 9999");
  }

  @Test
  void aLineAndAnEndAreWaitedForWithALimit() throws Exception {
    JavaProcess child = JavaProcess.start(Child.class);
    try (child) {
      assertThat(child.line()).isEqualTo("child");
      assertThatThrownBy(() -> child.line(Duration.ofMillis(10))).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> child.end(Duration.ofMillis(10))).isInstanceOf(AssertionError.class);
    }
    assertThat(child.process().isAlive()).isFalse();
    assertThatThrownBy(child::line).isInstanceOf(IOException.class);
  }

  @Test
  void itIsKilledWithWhatItHasStarted() throws Exception {
    JavaProcess parent = JavaProcess.start(Parent.class, "stays");
    Optional<ProcessHandle> child = childOf(parent);
    parent.freeze();
    parent.close();
    assertThat(parent.process().isAlive()).isFalse();
    child.ifPresent(left -> left.onExit().join());
  }

  @Test
  void itIsKilledWhenTheJvmEndsThatStartedIt() throws Exception {
    try (JavaProcess parent = JavaProcess.start(Parent.class, "ends")) {
      childOf(parent).ifPresent(left -> left.onExit().join());
    }
  }

  /** Returns what is left of the process that another one has started. */
  private static Optional<ProcessHandle> childOf(JavaProcess parent) throws IOException {
    return ProcessHandle.of(Long.parseLong(parent.lineAfter("child ")));
  }
}
