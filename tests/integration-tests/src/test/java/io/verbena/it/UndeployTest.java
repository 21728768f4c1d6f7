package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.HealthBoard;
import io.verbena.channel.HealthRpc;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An application that is taken out of a process that goes on, as out of a servlet container. */
@Tag("long")
class UndeployTest {
  private static final String DONE = "=> ";

  @Test
  void nothingOfItIsLeftAndItMayComeAgain() throws Exception {
    // The JDK keeps a method handle of a record's softly, until memory is short.
    List<String> flags = List.of("-XX:SoftRefLRUPolicyMSPerMB=0");
    try (JavaProcess process = JavaProcess.start(flags, Container.class)) {
      List<String> atOnce = new ArrayList<>();
      for (int deployment = 1; deployment <= 2; deployment++) {
        assertThat(told(process)).as("calls").isEqualTo("4 SERVING 4 100000 and its MBeans");
        atOnce.add(told(process));
        assertThat(told(process)).as("threads").isEqualTo("[]");
        assertThat(told(process)).as("MBeans").isEqualTo("[]");
        assertThat(told(process)).as("class loader").isEqualTo("collected");
      }
      // Tomcat warns of a leak if it then sees one. Here a busy machine may be late once.
      assertThat(atOnce).as("threads when close() has returned").contains("[]");
    }
  }

  @Test
  void itLeavesWhatToolsSeeOfAnotherThatStays() throws Exception {
    try (JavaProcess process = JavaProcess.start(Neighbours.class)) {
      assertThat(told(process)).as("calls").startsWith("4 SERVING 4 100000");
      assertThat(told(process)).as("the mark of the one that stays").isEqualTo("1");
      assertThat(told(process)).as("its MBeans").isEqualTo("1");
      assertThat(told(process)).as("the mark in the end").isEqualTo("null");
    }
  }

  private static String told(JavaProcess process) throws Exception {
    return process.lineAfter(DONE);
  }

  /** The process: it knows the JDK, and its applications all else. */
  static final class Container {
    private static final int TURNS = 100;

    private Container() {}

    public static void main(String[] args) throws Exception {
      for (int deployment = 1; deployment <= 2; deployment++) {
        WeakReference<ClassLoader> undeployed = deployed();
        tell(threads());
        tell(eventually(() -> threads().isEmpty()) ? List.of() : threads());
        tell(ManagementFactory.getPlatformMBeanServer().queryNames(beans(), null));
        tell(eventually(() -> undeployed.refersTo(null)) ? "collected" : "still there");
      }
    }

    private static void tell(Object what) {
      System.out.println(DONE + what);
    }

    private static ObjectName beans() throws Exception {
      return new ObjectName("io.verbena:*");
    }

    private static URLClassLoader loader() throws Exception {
      List<URL> jars = new ArrayList<>();
      for (String each : System.getProperty("java.class.path").split(File.pathSeparator, 0)) {
        if (!each.contains("logback")) { // it is not what is tested
          jars.add(Path.of(each).toUri().toURL());
        }
      }
      return new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static Callable<?> application(ClassLoader loader, Class<?> type) throws Exception {
      Class<?> its = loader.loadClass(type.getName());
      return (Callable<?>) its.getDeclaredConstructor().newInstance();
    }

    private static WeakReference<ClassLoader> deployed() throws Exception {
      URLClassLoader loader = loader();
      Callable<?> application = application(loader, Application.class);
      // A thread of the container's, which it keeps.
      Thread.currentThread().setContextClassLoader(loader);
      tell(application.call());
      Thread.currentThread().setContextClassLoader(null);
      loader.close();
      return new WeakReference<>(loader);
    }

    private static boolean eventually(Callable<Boolean> what) throws Exception {
      for (int turn = 0; turn < TURNS; turn++) {
        System.gc();
        if (what.call()) {
          return true;
        }
        Thread.sleep(Duration.ofMillis(100));
      }
      return false;
    }

    private static List<String> threads() {
      return Thread.getAllStackTraces().keySet().stream()
          .map(Thread::getName)
          .filter(name -> name.matches("(?i).*(verbena|client|server|netty|executor).*"))
          .toList();
    }
  }

  /** The process of two applications, each with a Verbena of its own. */
  static final class Neighbours {
    private Neighbours() {}

    public static void main(String[] args) throws Exception {
      try (URLClassLoader first = Container.loader();
          URLClassLoader second = Container.loader();
          AutoCloseable _ = (AutoCloseable) Container.application(first, Opened.class).call()) {
        Container.tell(Container.application(second, Application.class).call());
        Container.tell(System.getProperty("io.verbena.stat"));
        Container.tell(
            ManagementFactory.getPlatformMBeanServer().queryNames(Container.beans(), null).size());
      }
      Container.tell(System.getProperty("io.verbena.stat"));
    }
  }

  /** A client that stays open. */
  public static final class Opened implements Callable<AutoCloseable> {
    /** For the container. */
    public Opened() {}

    @Override
    public AutoCloseable call() {
      return VerbenaClient.builder().build();
    }
  }

  /** All that it has of Verbena, closed at its end. */
  public static final class Application implements Callable<String> {
    /** For the container. */
    public Application() {}

    @Override
    public String call() throws Exception {
      try (VerbenaServer server =
              VerbenaServer.builder()
                  .listen("127.0.0.1:0")
                  .serve(HouseRpc.bind(new PlainHouse()))
                  .serve(HealthRpc.bind(new HealthBoard()))
                  .start();
          VerbenaClient client = VerbenaClient.builder().build();
          Session session = client.connect(server.address().toString());
          BalancedChannel channel =
              BalancedChannel.builder(client, "static:" + server.address().getAuthority())
                  .health("", Duration.ofHours(1))
                  .build()) {
        long byChannel = HouseRpc.client(channel).add(3);
        Object health = HealthRpc.client(session).check("");
        int beans =
            ManagementFactory.getPlatformMBeanServer()
                .queryNames(new ObjectName("io.verbena:*"), null)
                .size();
        return byChannel
            + " "
            + health
            + " "
            + HouseRpc.async(session).add(3).toCompletableFuture().get()
            + " "
            + HouseRpc.client(session).say("x".repeat(100_000)).length()
            + (beans == 2 ? " and its MBeans" : " and " + beans + " MBeans");
      }
    }
  }
}
