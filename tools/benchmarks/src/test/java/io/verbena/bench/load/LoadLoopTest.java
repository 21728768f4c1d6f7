package io.verbena.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoadLoopTest {
  private static final long MILLI = 1_000_000;

  /** Longer than a call waits for its turn on a busy machine. */
  private static final Duration LITTLE_PATIENCE = Duration.ofSeconds(1);

  /** Answers on a thread of its own, in a way that the test chooses. */
  private record Answering(Consumer<Call> how) implements Caller {
    @Override
    public void start(Call call) {
      Thread.ofVirtual().start(() -> how.accept(call));
    }

    @Override
    public String path() {
      return "here";
    }

    @Override
    public void close() {}
  }

  private static Load load(Mode mode, int outstanding, double rate, long count, boolean validate) {
    return new Load(
        Kind.CALL,
        64,
        outstanding,
        1,
        mode,
        Handler.NONBLOCKING,
        rate,
        Duration.ofMillis(100),
        count,
        Memory.WARM,
        validate,
        false);
  }

  private static Turn run(Load load, Consumer<Call> how) throws InterruptedException {
    return LoadLoop.run(load, List.of(new Answering(how)), Watcher.NONE);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void makesExactlyAsManyCallsAsAreAskedFor(Mode mode) throws Exception {
    AtomicInteger made = new AtomicInteger();
    Turn turn =
        run(
            load(mode, 7, 0, 1_000, false),
            call -> {
              made.incrementAndGet();
              call.answered(call.message().clone());
            });
    assertThat(turn.calls()).isEqualTo(1_000);
    assertThat(made).hasValue(1_000);
  }

  @Test
  void countsCallsForAsLongAsATurnIs() throws Exception {
    Turn turn =
        run(load(Mode.ASYNC, 2, 0, 0, false), call -> call.answered(call.message().clone()));
    assertThat(turn.calls()).isPositive();
    assertThat(turn.seconds()).isGreaterThanOrEqualTo(0.1);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void countsAtAFixedRateWhatACallHadToWaitBeforeItWasSent(Mode mode) throws Exception {
    // Each answer takes 5 ms and a call is due each millisecond: the last of 50 is 200 ms late.
    Turn turn =
        run(
            load(mode, 1, 1_000, 50, false),
            call -> {
              pause(5);
              call.answered(call.message().clone());
            });
    assertThat(turn.nanos().getMaxValue()).isGreaterThan(150 * MILLI);
    assertThat(turn.nanos().getValueAtPercentile(50)).isGreaterThan(50 * MILLI);
  }

  @Test
  void keepsToTheRateWhenAnswersAreQuick() throws Exception {
    Turn turn =
        run(load(Mode.ASYNC, 64, 500, 100, false), call -> call.answered(call.message().clone()));
    assertThat(turn.calls()).isEqualTo(100);
    assertThat(turn.seconds()).as("100 calls at 500 each second").isGreaterThan(0.19);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void countsAtAFixedRateEveryCallThatWasDueInTheTurnHoweverLateItEnded(Mode mode)
      throws Exception {
    // Each answer takes 5 ms and a call is due each millisecond of 100: the last is 400 ms late.
    Turn turn =
        run(
            load(mode, 1, 1_000, 0, false),
            call -> {
              pause(5);
              call.answered(call.message().clone());
            });
    assertThat(turn.calls()).isEqualTo(100);
    assertThat(turn.nanos().getMaxValue()).isGreaterThan(350 * MILLI);
    assertThat(turn.seconds()).as("not 1000 calls each second").isGreaterThan(0.45);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void tellsARateThatIsLowerThanOneCallInATurn(Mode mode) throws Exception {
    Turn turn = run(load(mode, 2, 5, 0, false), call -> call.answered(call.message().clone()));
    assertThat(turn.calls()).isEqualTo(1);
    assertThat(turn.seconds()).isGreaterThanOrEqualTo(0.2);
  }

  @Test
  void failsTheTurnWhenARateCannotBeKeptByFar() {
    assertThatThrownBy(
            () ->
                LoadLoop.run(
                    load(Mode.ASYNC, 1, 1_000, 0, false),
                    List.of(
                        new Answering(
                            call -> {
                              pause(50);
                              call.answered(call.message().clone());
                            })),
                    Watcher.NONE,
                    LITTLE_PATIENCE))
        .hasMessageContaining("of 100 calls that were due")
        .hasMessageContaining("use a lower rate");
  }

  @Test
  void takesTheTimeOfCallsThatAreUnderWayWhenTheTurnEndsButCountsThemNot() throws Exception {
    Turn turn =
        run(
            load(Mode.ASYNC, 8, 0, 0, false),
            call -> {
              pause(5);
              call.answered(call.message().clone());
            });
    assertThat(turn.nanos().getTotalCount()).isBetween(turn.calls() + 1, turn.calls() + 8);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 1_000})
  @Timeout(30)
  void failsTheTurnWhenACallCannotBeStarted(double rate) {
    Caller breaking =
        new Caller() {
          @Override
          public void start(Call call) {
            if (call.number() == 5) {
              throw new IllegalArgumentException("the socket is closed");
            }
            Thread.ofVirtual().start(() -> call.answered(call.message().clone()));
          }

          @Override
          public String path() {
            return "here";
          }

          @Override
          public void close() {}
        };
    assertThatThrownBy(
            () ->
                LoadLoop.run(
                    load(Mode.ASYNC, 2, rate, 100, false), List.of(breaking), Watcher.NONE))
        .hasMessageContaining("a call failed: the socket is closed");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 10})
  @Timeout(30)
  void failsTheTurnWhenNoCallEnds(long count) {
    assertThatThrownBy(
            () ->
                LoadLoop.run(
                    load(Mode.ASYNC, 1, 0, count, false),
                    List.of(new Answering(call -> {})),
                    Watcher.NONE,
                    Duration.ofMillis(300)))
        .hasMessageContaining("no call has ended for 0.3 s");
  }

  @Test
  @Timeout(30)
  void tellsWhyACallFailedThoughOthersNeverEnd() {
    assertThatThrownBy(
            () ->
                LoadLoop.run(
                    load(Mode.ASYNC, 2, 0, 10, false),
                    List.of(
                        new Answering(
                            call -> {
                              if (call.number() == 1) {
                                call.failed(new IllegalStateException("the cable is cut"));
                              }
                            })),
                    Watcher.NONE,
                    LITTLE_PATIENCE))
        .hasMessageContaining("a call failed: the cable is cut");
  }

  @Test
  void opensSessionsOnTheThreadsThatItBegan() throws Exception {
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    Load load =
        new Load(
            Kind.CONNECT,
            64,
            2,
            1,
            Mode.ASYNC,
            Handler.NONBLOCKING,
            0,
            Duration.ofMillis(100),
            50,
            Memory.WARM,
            false,
            false);
    Caller opening =
        new Caller() {
          @Override
          public void start(Call call) {
            threads.add(Thread.currentThread());
            call.answered(call.message().clone());
          }

          @Override
          public String path() {
            return "here";
          }

          @Override
          public void close() {}
        };
    assertThat(LoadLoop.run(load, List.of(opening), Watcher.NONE).calls()).isEqualTo(50);
    assertThat(threads).as("each has figures of its own").hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void failsTheTurnForAnAnswerToAnotherCall() {
    assertThatThrownBy(
            () ->
                run(
                    load(Mode.ASYNC, 1, 0, 10, false),
                    call -> {
                      byte[] answer = call.message().clone();
                      Messages.number(answer, call.number() + 1);
                      call.answered(answer);
                    }))
        .hasMessageContaining("number 1 instead of 0");
  }

  @Test
  void failsTheTurnForAnAnswerThatIsTooShort() {
    assertThatThrownBy(
            () -> run(load(Mode.VIRTUAL, 1, 0, 10, false), call -> call.answered(new byte[63])))
        .hasMessageContaining("63 bytes instead of 64");
  }

  @Test
  void failsTheTurnForOneWrongByteWhenContentIsValidated() {
    Consumer<Call> flipped =
        call -> {
          byte[] answer = call.message().clone();
          answer[50] ^= 1;
          call.answered(answer);
        };
    assertThatThrownBy(() -> run(load(Mode.ASYNC, 1, 0, 10, true), flipped))
        .hasMessageContaining("from byte 50");
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
