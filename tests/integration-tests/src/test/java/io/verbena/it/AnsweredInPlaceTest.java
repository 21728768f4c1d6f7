package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.CallContext;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcStatus;
import io.verbena.api.ServerInterceptor;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Interceptors of a server that answer in the handler's place. */
class AnsweredInPlaceTest {
  /** The contract. */
  @RpcService(name = "almanac.v1")
  interface Almanac {
    @RpcMethod(id = 1)
    String saint(int day) throws NoSuchDay;

    @RpcMethod(id = 2, nonBlocking = true)
    long days();

    @RpcMethod(id = 3)
    List<String> feasts(String month);

    @RpcMethod(id = 4)
    void tear(int day);

    @RpcMethod(id = 5)
    @Nullable String note(int day);
  }

  /** There is no such day. */
  static final class NoSuchDay extends Exception {
    private static final long serialVersionUID = 1L;

    NoSuchDay(String message) {
      super(message);
    }
  }

  private final List<String> handled = new ArrayList<>();
  private final Map<String, @Nullable Object> inPlace = new HashMap<>();
  private final VerbenaServer server =
      VerbenaServer.builder()
          .listen("mem://almanac")
          .serve(AnsweredInPlaceTest_AlmanacRpc.bind(new Handled()))
          .serverInterceptor(this::intercept)
          .start();
  private final VerbenaClient client = VerbenaClient.builder().build();
  private final Almanac almanac =
      AnsweredInPlaceTest_AlmanacRpc.client(client.connect("mem://almanac"));

  private final class Handled implements Almanac {
    @Override
    public String saint(int day) throws NoSuchDay {
      handled.add("saint");
      throw new NoSuchDay("day " + day);
    }

    @Override
    public long days() {
      handled.add("days");
      return 365;
    }

    @Override
    public List<String> feasts(String month) {
      handled.add("feasts");
      return List.of();
    }

    @Override
    public void tear(int day) {
      handled.add("tear");
    }

    @Override
    public @Nullable String note(int day) {
      handled.add("note");
      return "written";
    }
  }

  private void intercept(CallContext call, ServerInterceptor.Next next) throws Exception {
    String method = call.method().name();
    if (inPlace.containsKey(method)) {
      next.answer(inPlace.get(method));
    } else {
      next.run();
    }
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  @Test
  void ofAnyTypeThatAMethodReturns() throws NoSuchDay {
    inPlace.put("saint", "Lucia");
    inPlace.put("days", 366L);
    inPlace.put("feasts", List.of("Nicholas", "Lucia"));
    inPlace.put("tear", null);
    inPlace.put("note", null);
    assertThat(almanac.saint(13)).isEqualTo("Lucia");
    assertThat(almanac.days()).isEqualTo(366);
    assertThat(almanac.feasts("December")).containsExactly("Nicholas", "Lucia");
    almanac.tear(13);
    assertThat(almanac.note(13)).isNull();
    assertThat(handled).isEmpty();
  }

  @Test
  void callsThatAreNotAnsweredReachTheirHandlers() {
    inPlace.put("days", 366L);
    assertThatThrownBy(() -> almanac.saint(32)).isInstanceOf(NoSuchDay.class).hasMessage("day 32");
    almanac.tear(1);
    assertThat(almanac.note(1)).isEqualTo("written");
    assertThat(almanac.days()).isEqualTo(366);
    assertThat(handled).containsExactly("saint", "tear", "note");
  }

  @Test
  void aResultOfAnotherTypeAnswersWithInternal() {
    inPlace.put("days", "many");
    assertThatThrownBy(almanac::days)
        .isInstanceOfSatisfying(
            RpcException.class,
            failure -> {
              assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
              assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
            })
        .hasMessageContaining(
            "almanac.v1/days got an interceptor's answer of the wrong type: class"
                + " java.lang.String");
    inPlace.put("saint", null);
    assertThatThrownBy(() -> almanac.saint(1)).hasMessageContaining("null");
    assertThat(handled).isEmpty();
  }
}
