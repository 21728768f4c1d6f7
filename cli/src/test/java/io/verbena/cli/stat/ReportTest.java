package io.verbena.cli.stat;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.stat.VerbenaMXBean;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import javax.management.JMX;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** Who holds memory stands in the report, by peer, with what it is and for how long. */
class ReportTest {
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch go = new CountDownLatch(1);

  /** Goes on only when it is told to. */
  private Landing stuck() {
    return Landing.chunks(
        (chunk, offset) -> {
          begun.countDown();
          go.await();
        });
  }

  @Test
  void showsWhatIsPublishedAndWhatIsUnderWay() throws Exception {
    try (VerbenaServer server = VerbenaServer.builder().listen("127.0.0.1:0").start();
        VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(server.address().toString())) {
      Source bytes = Source.of(new byte[100_000]);
      Published mine = server.publish(bytes, Duration.ofHours(2));
      session.objects().fetch(mine.ref(), stuck());
      begun.await();
      String report = report();
      go.countDown();
      assertThat(report)
          .containsPattern(
              "published\n +object .*lease left\n +1 +memory +97.7 KiB +1 +tcp://127.0.0.1:\\d+ +\\d+ s +7200 s")
          .containsPattern("in +object 1 +97.7 KiB +97.7 KiB +\\d+ s");
    }
  }

  private static String report() throws Exception {
    StringWriter out = new StringWriter();
    JMX.newMXBeanProxy(
            ManagementFactory.getPlatformMBeanServer(),
            new ObjectName(VerbenaMXBean.NAME),
            VerbenaMXBean.class)
        .getEngines()
        .forEach(engine -> Report.print(engine, new PrintWriter(out, true)));
    return out.toString();
  }
}
