package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The demonstration where there is a device, as the laboratory or the host's own hardware. */
@Tag("lab")
@Timeout(600) // for an emulated machine, of which two JVMs start cold
class DemoOnDeviceTest {
  private static final Pattern OBJECT =
      Pattern.compile("large object .* (\\d+) MiB at .* CRC32C [0-9a-f]{8} .*");

  /** The most that verbs knows: fewer packets cannot carry what went through them. */
  private static final long LARGEST_MTU = 4096;

  private final String device = System.getenv("LAB_DEVICE");

  @Test
  void ridesTheDeviceAndItsPacketsCarryTheLargeObject() throws Exception {
    assertThat(device).as("LAB_DEVICE, which 'lab/run-tests cli' sets").isNotBlank();
    long before = packetsSent();
    CommandRun run = CommandRun.of("demo", "--over", "rdma");
    long sent = packetsSent() - before;
    assertThat(run.exit()).as("%s", run.err()).isZero();
    assertThat(run.out().getLast()).startsWith("path: rdma (" + device + " at ");
    assertThat(sent).isGreaterThanOrEqualTo(objectBytes(run) / LARGEST_MTU);
  }

  private static long objectBytes(CommandRun run) {
    return run.out().stream()
        .map(OBJECT::matcher)
        .filter(Matcher::matches)
        .mapToLong(line -> Long.parseLong(line.group(1)) << 20)
        .findFirst()
        .orElseThrow();
  }

  /** Reads the device's own counter: rxe has one of its own, hardware that of any port. */
  private long packetsSent() throws IOException {
    Path port = Path.of("/sys/class/infiniband", device, "ports", "1");
    Path counter =
        Stream.of("hw_counters/sent_pkts", "counters/port_xmit_packets")
            .map(port::resolve)
            .filter(Files::exists)
            .findFirst()
            .orElseThrow();
    return Long.parseLong(Files.readString(counter).strip());
  }
}
