package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcStatus;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.ThrottledLog;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * An end that lacks a class of a contract, as after an incomplete deployment. Its own fault is not
 * blamed on the other end, and its log has the cause.
 */
class LackingClassesTest {
  private static final Logger CALLS = (Logger) LoggerFactory.getLogger("io.verbena.core.call");

  /** A service whose types need a class that may be missing. */
  @RpcService(name = "parts.v1")
  interface Parts {
    @RpcMethod(id = 1)
    long weight(Part part);

    @RpcMethod(id = 2)
    Part find(String name);
  }

  /**
   * A part.
   *
   * @param name its name; the class for a broken one is missing
   */
  record Part(String name) {
    private static boolean deployed = true;

    Part {
      if (!deployed) {
        throw new NoClassDefFoundError("parts/Catalogue");
      }
    }
  }

  private final ListAppender<ILoggingEvent> told = new ListAppender<>();
  private final VerbenaServer server =
      VerbenaServer.builder()
          .listen("mem://parts")
          .serve(
              LackingClassesTest_PartsRpc.bind(
                  new Parts() {
                    @Override
                    public long weight(Part part) {
                      return part.name().length();
                    }

                    @Override
                    public Part find(String name) {
                      Part found = new Part(name);
                      Part.deployed = !name.equals("lost");
                      return found;
                    }
                  }))
          .start();
  private final VerbenaClient client = VerbenaClient.builder().build();
  private final Parts parts = LackingClassesTest_PartsRpc.client(client.connect("mem://parts"));

  @BeforeEach
  void listen() {
    ThrottledLog.refill();
    told.start();
    CALLS.addAppender(told);
  }

  @AfterEach
  void close() {
    CALLS.detachAppender(told);
    Part.deployed = true;
    client.close();
    server.close();
  }

  private RpcException failure(Runnable call) {
    return Objects.requireNonNull(catchThrowableOfType(RpcException.class, call::run));
  }

  private List<String> causes() {
    return told.list.stream()
        .filter(line -> line.getThrowableProxy() != null)
        .map(line -> line.getThrowableProxy().getMessage())
        .toList();
  }

  @Test
  void aServerAnswersThatTheFaultIsItsOwn() {
    Part part = new Part("bolt");
    Part.deployed = false;
    RpcException failure = failure(() -> parts.weight(part));
    assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(failure).hasMessageContaining("NoClassDefFoundError: parts/Catalogue");
    assertThat(causes()).containsExactly("parts/Catalogue");
    Part.deployed = true;
    assertThat(parts.weight(part)).isEqualTo(4);
  }

  @Test
  void aClientFailsWithTheFaultInItsLog() {
    RpcException failure = failure(() -> parts.find("lost"));
    assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure.execution()).isEqualTo(Execution.EXECUTED);
    assertThat(failure).hasMessageContaining("NoClassDefFoundError: parts/Catalogue");
    assertThat(causes()).containsExactly("parts/Catalogue");
    Part.deployed = true;
    assertThat(parts.find("bolt")).isEqualTo(new Part("bolt"));
  }
}
