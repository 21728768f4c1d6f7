package io.verbena.bench.rival;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.report.Round;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The output of perftest's programs. */
class PerftestTest {
  private static Load load(Kind kind, int size) {
    return Load.of(kind, size, 1, Duration.ofSeconds(1));
  }

  @Test
  void halfARoundTripIsToldAsAWholeOne() throws IOException {
    String output =
        """
         Mtu             : 4096[B]
         #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    \
        t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
         64      4000          9.10           80.00        10.20       12.50       2.0    20.00   40.00
        """;
    Round round = Perftest.latency("ib_send_lat", load(Kind.CALL, 64), output);
    assertThat(round.p50()).isEqualTo(20.4);
    assertThat(round.p99()).isEqualTo(40);
    assertThat(round.p999()).isEqualTo(80);
    assertThat(round.max()).isEqualTo(160);
    assertThat(round.callsPerSecond()).isEqualTo(40_000);
  }

  @Test
  void aBandwidthIsToldInMessages() throws IOException {
    String output =
        """
         #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
         1048576    100              98.00              96.00              0.000096
        """;
    Round round = Perftest.bandwidth("ib_write_bw", load(Kind.PUT, 1 << 20), 100, 1 << 20, output);
    assertThat(round.callsPerSecond()).isEqualTo(96);
    assertThat(round.gigabytesPerSecond()).isCloseTo(0.1007, within(0.0001));
  }

  @Test
  void whatIsNoTableIsShown() {
    assertThatThrownBy(
            () -> Perftest.latency("ib_send_lat", load(Kind.CALL, 64), "Unable to find device"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Unable to find device");
  }

  @Test
  void timesThatItCouldNotTakeAreNoFigures() {
    String output =
        " 64      4000          inf            inf          inf      inf  -nan  inf  inf";
    assertThatThrownBy(() -> Perftest.latency("ib_send_lat", load(Kind.CALL, 64), output))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("printed no figures: 64");
  }
}
