package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.core.Probe;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.testkit.SteppedWorld;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * A handler's bug is found in the log of its own process. How many lines there are of many is
 * {@link ThrottledLog}'s: another test may have used them up, so what is told late is seen at
 * debug.
 */
class HandlerLogTest {
  private static final Logger VERBENA = (Logger) LoggerFactory.getLogger("io.verbena.core");

  private final ListAppender<ILoggingEvent> told =
      new ListAppender<>() {
        @Override
        protected void append(ILoggingEvent line) {
          line.prepareForDeferredProcessing(); // keeps what the thread has in its MDC now
          super.append(line);
        }
      };
  private final SteppedWorld world = new SteppedWorld();
  private Exception thrown = new NullPointerException("a bug");
  private long before;
  private final Probe.Stub stub;

  HandlerLogTest() {
    world.server(
        s ->
            s.serverInterceptor(
                    (call, next) -> {
                      try (MDC.MDCCloseable _ = MDC.putCloseable("trace", "4711")) {
                        next.run();
                      }
                    })
                .serverInterceptor(
                    (call, next) -> {
                      try {
                        next.run();
                      } catch (ArithmeticException e) {
                        throw new RpcException(RpcStatus.INVALID_ARGUMENT, "not a number");
                      }
                    })
                .serve(
                    Probe.bind(
                        new Probe.Plain() {
                          @Override
                          public String slow(String text) throws Exception {
                            throw thrown;
                          }

                          @Override
                          public void tell(String text) {
                            throw new IllegalStateException("a bug");
                          }
                        })));
    stub = new Probe.Stub(world.client().session(world.address()));
  }

  @BeforeEach
  void listen() {
    before = counted();
    ThrottledLog.refill();
    told.start();
    VERBENA.addAppender(told);
    VERBENA.setAdditive(false);
    VERBENA.setLevel(Level.DEBUG);
  }

  @AfterEach
  void close() {
    VERBENA.detachAppender(told);
    VERBENA.setAdditive(true);
    VERBENA.setLevel(null);
    world.close();
  }

  private static long counted() {
    return ThrottledLog.counts().values().stream().mapToLong(Long::longValue).sum();
  }

  private RpcStatus answer() {
    CompletableFuture<String> call = stub.submit(Probe.SLOW, "");
    world.runUntil(call::isDone);
    return ((RpcException) call.exceptionNow()).status();
  }

  private List<ILoggingEvent> tracesOf(Class<?> type) {
    return told.list.stream()
        .filter(line -> line.getThrowableProxy() != null)
        .filter(line -> line.getThrowableProxy().getClassName().equals(type.getName()))
        .toList();
  }

  @Test
  void aBugIsToldWithItsStackAndTheMethod() {
    assertThat(answer()).isEqualTo(RpcStatus.INTERNAL);
    assertThat(counted() - before).as("told at level warn, or left out").isEqualTo(1);
    assertThat(tracesOf(NullPointerException.class)).hasSize(1);
    ILoggingEvent line = tracesOf(NullPointerException.class).getFirst();
    assertThat(line.getFormattedMessage()).contains("probe/slow");
    assertThat(line.getThrowableProxy().getStackTraceElementProxyArray()).isNotEmpty();
  }

  @Test
  void aBugIsToldWithinTheFirstInterceptorSoThatItsTraceIsInTheLine() {
    assertThat(answer()).isEqualTo(RpcStatus.INTERNAL);
    assertThat(tracesOf(NullPointerException.class))
        .singleElement()
        .satisfies(line -> assertThat(line.getMDCPropertyMap()).containsEntry("trace", "4711"));
  }

  @Test
  void whatAnInterceptorMakesAnAnswerOfIsNoBug() {
    thrown = new ArithmeticException("/ by zero");
    assertThat(answer()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    assertThat(counted()).isEqualTo(before);
  }

  @Test
  void aBugOfAOnewayHandlerIsToldOnceWithItsStackAndTheMethod() {
    stub.tell("");
    world.settle();
    assertThat(counted() - before).isEqualTo(1);
    assertThat(tracesOf(IllegalStateException.class)).hasSize(1);
    ILoggingEvent line = tracesOf(IllegalStateException.class).getFirst();
    assertThat(line.getFormattedMessage()).contains("probe/tell");
    assertThat(line.getLoggerName()).as("who counts it").endsWith("IncomingOneways");
  }

  @Test
  void anAnswerOfTheHandlersChoiceIsNoBug() {
    thrown = new RpcException(RpcStatus.PERMISSION_DENIED, "not yours");
    assertThat(answer()).isEqualTo(RpcStatus.PERMISSION_DENIED);
    assertThat(counted()).isEqualTo(before);
  }

  @Test
  void aFileThatIsNotThereIsItsCallersMistake() {
    thrown = new NoSuchFileException("/srv/books/none");
    assertThat(answer()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    assertThat(counted()).isEqualTo(before);
  }
}
