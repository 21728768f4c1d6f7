package io.verbena.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

/** Time and threads are injected, so that a test or a simulation can own both. */
class TimeAndThreadsTest {
  private static final String[] INJECTED = {
    "io.verbena.link..",
    "io.verbena.core..",
    "io.verbena.mem..",
    "io.verbena.rdma..",
    "io.verbena.shm.."
  };

  /** Their own work is done by {@code OwnThreads}, which busy handlers do not hold up. */
  private static final String[] WITHOUT_THREADS = {
    "io.verbena.link..",
    "io.verbena.core..",
    "io.verbena.mem..",
    "io.verbena.rdma..",
    "io.verbena.shm..",
    "io.verbena.channel.."
  };

  private static void check(ArchRule rule) {
    JavaClasses classes = Production.CLASSES;
    rule.because("a whole client and server must run in one thread, on a clock of the test's")
        .check(classes);
  }

  @Test
  void onlyTheSystemsClockReadsTheTime() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(INJECTED)
            .and()
            .doNotHaveFullyQualifiedName("io.verbena.link.runtime.NanoClock")
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.time.Instant"));
  }

  @Test
  void nothingSleeps() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(INJECTED)
            .should()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callMethod(Thread.class, "sleep", java.time.Duration.class));
  }

  @Test
  void threadsAreMadeAtTheEdgeOnly() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(WITHOUT_THREADS)
            .and()
            .doNotHaveFullyQualifiedName("io.verbena.channel.SystemTime")
            .and()
            .doNotHaveFullyQualifiedName("io.verbena.core.loop.LoopThread")
            .and()
            .doNotHaveFullyQualifiedName("io.verbena.link.runtime.OwnThreads")
            .and()
            .doNotHaveFullyQualifiedName("io.verbena.core.EngineBuilder")
            .should()
            .callConstructor(Thread.class)
            .orShould()
            .callMethod(Thread.class, "ofVirtual")
            .orShould()
            .callMethod(Thread.class, "ofPlatform")
            .orShould()
            .callMethod(Thread.class, "startVirtualThread", Runnable.class)
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.util.concurrent.Executors"));
  }
}
