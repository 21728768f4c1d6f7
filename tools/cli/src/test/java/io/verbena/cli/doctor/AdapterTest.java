package io.verbena.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ext.DeviceAttributes.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The page shows doctor's real output for an adapter. */
final class AdapterTest {
  private static final String PAGE = "docs/rdma-setup.md";
  private static final String HEAD = "| Adapter | Driver of the bus |";

  @Test
  void thePageHasTheRowOfEachAdapter() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve(PAGE))) {
      root = Objects.requireNonNull(root.getParent());
    }
    List<String> rows =
        Files.readAllLines(root.resolve(PAGE)).stream()
            .dropWhile(line -> !line.startsWith(HEAD))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .toList();
    assertThat(rows)
        .containsExactlyElementsOf(Arrays.stream(Adapter.values()).map(Adapter::row).toList());
  }

  @Test
  void anAdapterIsKnownByTheDriverOfItsBus() {
    assertThat(Adapter.finding("ice", Transport.IWARP).detail())
        .startsWith("Intel E810, E830, X722, IPU (irdma), driver ice, here as iWARP; used: ");
    assertThat(Adapter.finding("hinic", Transport.INFINIBAND).detail())
        .startsWith(
            "driver hinic, which nobody has reported on yet; please do, with the file that ");
    assertThat(Adapter.finding("", Transport.INFINIBAND).detail())
        .isEqualTo("its driver is not known");
  }
}
