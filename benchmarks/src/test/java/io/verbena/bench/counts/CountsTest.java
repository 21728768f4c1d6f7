package io.verbena.bench.counts;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.verbena.Route;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What calls and objects cost, per operation, on the client + on the server. Whoever changes a
 * count changes it here; {@code ./verbena bench counts} prints the same tables.
 */
final class CountsTest {
  private static final String SENT =
      """
      load                                 on    frames     bytes               requests  Sends          WRITEs   binds   invals  posts          recv posts     polls          arms
      call of 64 B                         rdma  1 + 1      114 + 105           2         1 + 1                                   1 + 1          0.33 + 0.33    4 + 3.06       1 + 1
      call of 64 B, 256 at a time          rdma  1 + 1      110.22 + 101.06     0.035     0.02 + 0.016                            0.02 + 0.016   0.004 + 0.004  0.02 + 0.016   0.004 + 0.004
      one-way call of 64 B, 256 at a time  rdma  1 + 0.008  110.06 + 0.32       0.02      0.016 + 0.004                           0.016 + 0.004  0.001 + 0.004  0.016 + 0.012  0.004 + 0.004
      put of 64 KiB                        rdma  1 + 2      65,584 + 116        6         1 + 2          1 + 0    0 + 1   0 + 1   2 + 4          1 + 0.69       5 + 5          1 + 1
      put of 1 MiB                         rdma  1 + 2      1,048,624 + 116     21        1 + 2          16 + 0   0 + 1   0 + 1   17 + 4         1 + 1          6 + 6          1 + 1
      put of 16 MiB                        rdma  1 + 22     16,777,285 + 995    286       6 + 22         256 + 0  0 + 1   0 + 1   262 + 24       11 + 11        38 + 38        2 + 2
      fetch of 64 KiB                      rdma  3 + 0.063  173 + 65,540        5.5       2 + 0.5        0 + 1    1 + 0   1 + 0   4 + 1.5        0.5 + 0.94     5.13 + 4.19    1 + 1
      fetch of 1 MiB                       rdma  3 + 0.063  173 + 1,048,580     20.5      2 + 0.5        0 + 16   1 + 0   1 + 0   4 + 16.5       1.44 + 0.94    7.06 + 5.13    1.94 + 1
      fetch of 16 MiB                      rdma  23 + 0     1,053 + 16,777,238  285.5     22 + 5.5       0 + 256  1 + 0   1 + 0   24 + 261.5     11 + 11        37.5 + 35.5    2 + 1
      call with a byte[] of 16 MiB         rdma  1 + 33     16,777,296 + 1,939  310       5 + 17         256 + 0  0 + 16  0 + 16  261 + 49       8.5 + 20       40 + 39        2 + 1
      call of 64 B                         mem   1 + 1      106 + 97
      call of 64 B, 256 at a time          mem   1 + 1      106.13 + 97
      one-way call of 64 B, 256 at a time  mem   1 + 0.008  106 + 0.27
      put of 64 KiB                        mem   1 + 2      65,576 + 98                                  1 + 0
      put of 1 MiB                         mem   1 + 4      1,048,616 + 168                              16 + 0
      put of 16 MiB                        mem   1 + 44     16,777,257 + 1,606                           256 + 0
      fetch of 64 KiB                      mem   3 + 0.063  151 + 65,538                                 0 + 1
      fetch of 1 MiB                       mem   5 + 0.063  221 + 1,048,578                              0 + 16
      fetch of 16 MiB                      mem   45 + 0     1,660 + 16,777,216                           0 + 256
      call with a byte[] of 16 MiB         mem   1 + 65     16,777,272 + 2,855                           256 + 0
      """;

  private static final String OPENING =
      """
      on    until         turns  frames  Sends  receives
      rdma  first answer  4      2 + 3
      rdma  on RDMA       6      3 + 4          11 + 11
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
}
