package io.verbena.bench.counts;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.verbena.Route;
import io.verbena.verbs.fabric.Personality;
import io.verbena.verbs.fabric.VerbsCounts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What calls and objects cost, per operation, on the client + on the server. Whoever changes a
 * count changes it here; {@code ./verbena bench counts} prints the same tables.
 */
final class CountsTest {
  private static final String SENT =
      """
      load                                 on    frames     bytes               requests  Sends          WRITEs   binds  invals  posts          recv posts     polls          arms
      call of 64 B                         rdma  1 + 1      97 + 97             2         1 + 1                                  1 + 1          0.33 + 0.33    4 + 3.06       1 + 1
      call of 64 B, 256 at a time          rdma  1 + 1      93.17 + 93.08       0.035     0.016 + 0.02                           0.016 + 0.02   0.008 + 0.008  0.023 + 0.02   0.004 + 0.004
      one-way call of 64 B, 256 at a time  rdma  1 + 0.008  93.05 + 0.26        0.016     0.012 + 0.004                          0.012 + 0.004  0.001 + 0.004  0.016 + 0.012  0.004 + 0.004
      put of 64 KiB                        rdma  1 + 2      65,576 + 100        6         1 + 2          1 + 0    0 + 1  0 + 1   2 + 4          1 + 0.69       5 + 5          1 + 1
      put of 1 MiB                         rdma  1 + 2      1,048,616 + 100     21        1 + 2          16 + 0   0 + 1  0 + 1   17 + 4         1 + 0.69       6 + 6          1 + 1
      put of 16 MiB                        rdma  1 + 12     16,777,269 + 460    274       4 + 12         256 + 0  0 + 1  0 + 1   260 + 14       6 + 6          39 + 45        2 + 9
      fetch of 64 KiB                      rdma  3 + 0.063  145 + 65,539        4.25      1 + 0.25       0 + 1    1 + 0  1 + 0   3 + 1.25       0.44 + 0.44    5 + 4          1 + 1
      fetch of 1 MiB                       rdma  3 + 0.063  145.25 + 1,048,580  19.38     1.06 + 0.31    0 + 16   1 + 0  1 + 0   3.06 + 16.31   0.56 + 0.5     6.81 + 5.06    1.81 + 1
      fetch of 16 MiB                      rdma  13 + 0     510 + 16,777,228    273       12 + 3         0 + 256  1 + 0  1 + 0   14 + 259       6 + 6          44 + 36        9 + 1
      call with a byte[] of 16 MiB         rdma  1 + 17     16,777,275 + 740    283       4 + 15         256 + 0  0 + 4  0 + 4   260 + 23       7 + 7          38 + 41        1 + 6
      call of 64 B                         mem   1 + 1      89 + 89
      call of 64 B, 256 at a time          mem   1 + 1      89.05 + 89
      one-way call of 64 B, 256 at a time  mem   1 + 0.008  89 + 0.21
      put of 64 KiB                        mem   1 + 2      65,568 + 82                                  1 + 0
      put of 1 MiB                         mem   1.13 + 3   1,048,611 + 109                              16 + 0
      put of 16 MiB                        mem   2 + 23     16,777,273 + 669                             256 + 0
      fetch of 64 KiB                      mem   3 + 0.063  127 + 65,538                                 0 + 1
      fetch of 1 MiB                       mem   4 + 0.19   154 + 1,048,581                              0 + 16
      fetch of 16 MiB                      mem   24 + 1     715 + 16,777,240                             0 + 256
      call with a byte[] of 16 MiB         mem   1 + 29     16,777,255 + 939                             256 + 0
      """;

  private static final String OPENING =
      """
      on    until         turns  frames  Sends  receives
      rdma  first answer  4      2 + 2
      rdma  on RDMA       7      5 + 3          11 + 11
      mem   first answer  4      2 + 2
      """;

  @Test
  void callsAndObjectsCostWhatTheyDid() throws Exception {
    List<Counts> all = new ArrayList<>();
    for (Route route : List.of(Route.RDMA, Route.MEM)) {
      all.addAll(Ledger.count(route));
    }
    assertThat(CountsTable.exact(all)).isEqualTo(SENT);
  }

  @Test
  void openingCostsWhatItDid() throws Exception {
    List<Opening> all = new ArrayList<>();
    for (Route route : List.of(Route.RDMA, Route.MEM)) {
      all.addAll(Ledger.opening(route));
    }
    assertThat(CountsTable.opening(all)).isEqualTo(OPENING);
  }

  static Stream<Personality> adapters() {
    return Arrays.stream(Personality.values()).filter(Personality::connects);
  }

  /** Soft-RoCE takes 6 requests and registers nothing for a put of memory that it knows. */
  @ParameterizedTest
  @MethodSource("adapters")
  void noAdapterIsAskedForMoreThanSoftRoce(Personality adapter) throws Exception {
    Counts put = Ledger.count(StandardLoad.PUT_64K, adapter.profile());
    VerbsCounts client = Objects.requireNonNull(put.client().verbs());
    VerbsCounts server = Objects.requireNonNull(put.server().verbs());
    long requests = client.requests() + server.requests();
    assertThat((double) requests / put.operations()).isBetween(4.0, 6.0);
    assertThat(client.registrations() + server.registrations()).isZero();
  }
}
