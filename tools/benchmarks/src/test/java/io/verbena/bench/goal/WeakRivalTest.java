package io.verbena.bench.goal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.report.Result;
import io.verbena.bench.report.Round;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** On figures that the test makes up. */
class WeakRivalTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Load DEEP = Load.of(Kind.CALL, 64, 256, SECOND);
  private static final Load LONE = Load.of(Kind.CALL, 64, 1, SECOND);

  private static Result result(String contestant, Load load, double p50, double... rates) {
    List<Round> rounds =
        Arrays.stream(rates)
            .mapToObj(rate -> Round.told(p50, p50, p50, p50, 1_000, rate, rate / 1e6))
            .toList();
    return new Result(contestant, "tcp", load, rounds, new Histogram(3));
  }

  @Test
  void isToldWithItsFigureAndWhatWasToBeExpectedAndWhy() {
    List<String> weak =
        Known.weakRivals(
            List.of(
                result("verbena tcp", DEEP, 1, 9e6),
                result("raw netty", DEEP, 1, 4.2e6, 4.2e6, 1),
                result("grpc tuned", DEEP, 1, 100_000)));
    assertThat(weak)
        .singleElement()
        .asString()
        .contains(
            "call 64 B x256",
            "grpc tuned has 100,000 calls/s",
            "the expected figure is 340,000 calls/s")
        .contains("raw netty has 4,200,000 calls/s", "2.00", "0.59");
  }

  @Test
  void isToldByLatencyWhereCallsAreMadeOneAtATime() {
    List<Result> played =
        List.of(result("raw nio", LONE, 30.5, 1), result("raw netty", LONE, 90, 1_000_000));
    assertThat(Known.weakRivals(played))
        .singleElement()
        .asString()
        .contains("raw netty has a p50 of 90.0 us, but the expected figure is a p50 of 30.0 us");
  }

  @Test
  void isToldOnADeviceBesideWhatElseRunsThere() {
    Result darpc = result("darpc", LONE, 100, 1);
    Result tcp = result("raw netty", LONE, 600, 1);
    assertThat(Known.weakRivals(List.of(result("perftest", LONE, 21, 1), darpc, tcp)))
        .as("not beside those that sockets carry")
        .singleElement()
        .asString()
        .contains("darpc has a p50 of 100.0 us", "perftest");
  }

  @Test
  void isNoneThatIsAsMuchSlowerAsTheOthers() {
    assertThat(
            Known.weakRivals(
                List.of(
                    result("raw nio", DEEP, 1, 35_000),
                    result("raw netty", DEEP, 1, 21_000),
                    result("grpc", DEEP, 1, 150))))
        .isEmpty();
  }

  @Test
  void isNoneThatIsAlone() {
    assertThat(
            Known.weakRivals(
                List.of(result("verbena tcp", DEEP, 1, 9e6), result("grpc", DEEP, 1, 1))))
        .isEmpty();
  }

  @Test
  void isNoneUnderALoadThatNothingIsKnownOf() {
    for (Load load : List.of(DEEP.withSize(65), DEEP.withOutstanding(255))) {
      assertThat(
              Known.weakRivals(
                  List.of(result("raw netty", load, 1, 2e6), result("grpc", load, 1, 1))))
          .isEmpty();
    }
    assertThat(
            Known.weakRivals(
                List.of(result("raw netty", DEEP, 1, 2e6), result("grpc", LONE, 1, 1))))
        .as("each alone under its load")
        .isEmpty();
  }
}
