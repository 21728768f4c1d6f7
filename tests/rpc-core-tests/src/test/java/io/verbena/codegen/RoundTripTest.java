package io.verbena.testkit.codegen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.stub.Stubs;
import io.verbena.api.wire.WireException;
import io.verbena.testkit.codegen.Everything.Account;
import io.verbena.testkit.codegen.Everything.Color;
import io.verbena.testkit.codegen.Everything.Containers;
import io.verbena.testkit.codegen.Everything.Failed;
import io.verbena.testkit.codegen.Everything.Free;
import io.verbena.testkit.codegen.Everything.Money;
import io.verbena.testkit.codegen.Everything.NoSuchShape;
import io.verbena.testkit.codegen.Everything.NoSuchThing;
import io.verbena.testkit.codegen.Everything.Numbers;
import io.verbena.testkit.codegen.Everything.Ok;
import io.verbena.testkit.codegen.Everything.Page;
import io.verbena.testkit.codegen.Everything.Payload;
import io.verbena.testkit.codegen.Everything.Point;
import io.verbena.testkit.codegen.Everything.Shape;
import io.verbena.testkit.codegen.Everything.Square;
import io.verbena.testkit.codegen.Everything.TooLate;
import io.verbena.testkit.codegen.Everything.Unit;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

@SuppressWarnings("NullAway") // nulls where the contract has none are some of the cases
class RoundTripTest {
  private final Echo echo = new Echo();
  private final Everything client =
      EverythingRpc.SERVICE.client().apply(new Wired(EverythingRpc.bind(echo)));

  @Test
  void everyPrimitiveAndItsBox() {
    Numbers edge =
        new Numbers(true, (byte) -1, Short.MIN_VALUE, '\uffff', 1 << 31, 1L << 63, -0f, Double.NaN);
    assertThat(
            client.numbers(
                true,
                (byte) -1,
                Short.MIN_VALUE,
                '\uffff',
                1 << 31,
                1L << 63,
                -0f,
                Double.NaN,
                edge))
        .isEqualTo(edge);
  }

  @Test
  void everyTypeOfTime() {
    assertThat(client.times(Samples.times())).isEqualTo(Samples.times());
  }

  @Test
  void bytesInEveryGuise() {
    byte[] bytes = {1, 2, 3};
    MemorySegment segment = MemorySegment.ofArray(new byte[] {4, 5});
    Payload back =
        client.payload(
            bytes,
            ByteBuffer.allocate(0),
            segment,
            new Payload(new byte[0], ByteBuffer.wrap(bytes, 1, 2), MemorySegment.NULL));
    assertThat(back.bytes()).isEqualTo(bytes);
    assertThat(back.buffer()).isEqualTo(ByteBuffer.wrap(new byte[] {2, 3}));
    assertThat(back.segment().toArray(ValueLayout.JAVA_BYTE)).containsExactly(4, 5);
  }

  @Test
  void containersInTheirOrder() {
    Containers back = client.containers(Samples.containers());
    assertThat(back).isEqualTo(Samples.containers());
    assertThat(back.map().keySet()).containsExactly("z", "a");
    assertThat(back.set()).containsExactly(3L, 1L, 2L);
    assertThatThrownBy(() -> back.list().add("three"))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void subtypesOfSealedTypes() throws Exception {
    List<Shape> shapes =
        List.of(
            Samples.circle(1),
            new Square(2),
            Unit.CIRCLE,
            new Free(List.of(new Point(1, 1)), Optional.of(new Square(3))));
    for (Shape shape : shapes) {
      assertThat(client.shape(shape)).isEqualTo(shape);
    }
  }

  @Test
  void declaredExceptionsArriveAsTheirType() {
    assertThatThrownBy(() -> client.shape(Samples.circle(-1)))
        .isExactlyInstanceOf(NoSuchShape.class)
        .hasMessage("a circle has a radius")
        .extracting(e -> ((NoSuchShape) e).getWanted())
        .isEqualTo(Samples.circle(-1));
    assertThatThrownBy(() -> client.shape(Samples.circle(0)))
        .isExactlyInstanceOf(NoSuchThing.class)
        .hasMessage(null);
    assertThatThrownBy(() -> client.shape(Samples.circle(Double.NaN)))
        .isExactlyInstanceOf(TooLate.class)
        .extracting(e -> ((TooLate) e).when())
        .isEqualTo(Instant.EPOCH);
  }

  @Test
  void genericAndRecursiveRecords() {
    assertThat(client.tree(Samples.tree(20))).isEqualTo(Samples.tree(20));
    Page<Point> page =
        client.page(
            new Page<>(Arrays.asList(new Point(1, 1), null), new Page<>(new ArrayList<>(), null)),
            new Ok<>(5));
    assertThat(page)
        .isEqualTo(
            new Page<>(List.of(new Point(1, 1), new Point(5, 5)), new Page<>(List.of(), null)));
    assertThat(
            client.page(new Page<>(Arrays.asList((Point) null), null), new Failed<>("why")).items())
        .containsExactly(new Point(0, 0));
  }

  @Test
  void aTreeDeeperThanTheLimitIsRefusedBeforeItIsSent() {
    assertThatThrownBy(() -> client.tree(Samples.tree(Wired.MAX_DEPTH + 1)))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("nest more than " + Wired.MAX_DEPTH);
  }

  @Test
  void plainClassesByTheirAccessors() {
    Account account = new Account();
    account.setName("savings");
    account.setBalance(7);
    account.setOpen(true);
    Account back = client.account(account);
    assertThat(back.getName()).isEqualTo("savings");
    assertThat(back.getBalance()).isEqualTo(7);
    assertThat(back.isOpen()).isTrue();
    assertThat(back.notes()).isNull();
    assertThatThrownBy(() -> client.account(new Account() {}))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("a subclass of Account");
  }

  @Test
  void aClassThatRefusesWhatWasSentIsAWireException() {
    assertThatThrownBy(() -> client.account(new Account()))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("Account does not accept the value that was sent")
        .hasMessageContaining("an account has a name");
    assertThatThrownBy(() -> client.money(Money.ofCents(-1), List.of()))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("no debts");
  }

  @Test
  void typesWithASerializerOfTheUsers() {
    assertThat(
            client.money(Money.ofCents(1), List.of(Money.ofCents(10), Money.ofCents(100))).cents())
        .isEqualTo(111);
  }

  @Test
  void nullWhereTheContractAllowsItAndNowhereElse() {
    assertThat(client.nullable(null, null, null)).isNull();
    assertThat(client.nullable("a", 1, new Point(2, 3))).isEqualTo("a1Point[x=2, y=3]");
    assertThatThrownBy(() -> client.audit("in", 1, 2, nothing()))
        .isInstanceOf(NullPointerException.class)
        .hasMessageMatching(
            "everything\\.v1/audit: argument 'reply' is null\\. Pass a value\\. .*@Nullable.*");
    assertThatThrownBy(
            () ->
                client.containers(
                    new Containers(
                        Arrays.asList("a", nothing()),
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("null in java.util.List<java.lang.String>");
    assertThatThrownBy(() -> client.money(Money.ofCents(1), null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("/money: argument 'more' is null");
    assertThat(echo.audited).isEmpty();
  }

  private static String nothing() {
    return null;
  }

  @Test
  void aHandlersNullIsToldByTheNameOfItsMethod() {
    Everything careless =
        (Everything)
            Proxy.newProxyInstance(
                Everything.class.getClassLoader(),
                new Class<?>[] {Everything.class},
                (proxy, method, arguments) -> null);
    Everything served =
        EverythingRpc.SERVICE.client().apply(new Wired(EverythingRpc.bind(careless)));
    assertThat(served.nullable(null, null, null)).isNull();
    assertThatThrownBy(() -> served.times(Samples.times()))
        .hasMessage(
            "everything.v1/times: the handler returned null. Return a value. To allow null, declare"
                + " the result @Nullable in the contract; a stream or a Received cannot be null");
  }

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"})
  void arraysOverloadsInheritedAndOneWayMethods() {
    List<String>[] lists = new List[] {List.of("a", "b"), List.of()};
    assertThat(client.arrays(new String[] {"abc"}, lists, Color.BLUE, Color.RED))
        .isDeepEqualTo(new int[][] {{3}, {2, 0}, {2, 0}});
    assertThat(client.count()).isEqualTo(42);
    assertThat(client.count("four")).isEqualTo(4);
    assertThat(client.inherited(new Point(1, 2), new Point(3, 4))).hasSize(2);
    client.nothing();
    client.audit("in", 1, 2, "reply");
    assertThat(echo.audited).containsExactly("nothing", "in12reply");
    assertThat(client.greeting()).isEqualTo("not called remotely");
  }

  @Test
  void theGeneratedClassIsFoundByItsContract() {
    assertThat(Stubs.service(Everything.class)).isSameAs(EverythingRpc.SERVICE);
    assertThat(EverythingRpc.SERVICE.methods())
        .filteredOn(method -> method.name().equals("times"))
        .allMatch(method -> method.timeoutNanos() == 250_000_000L && method.idempotent());
  }
}
