package io.verbena.codegen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.stub.Stubs;
import io.verbena.api.wire.WireException;
import io.verbena.testkit.contract.Everything;
import io.verbena.testkit.contract.Everything.Account;
import io.verbena.testkit.contract.Everything.Drowned;
import io.verbena.testkit.contract.Everything.Failed;
import io.verbena.testkit.contract.Everything.Money;
import io.verbena.testkit.contract.Everything.Ok;
import io.verbena.testkit.contract.Everything.Page;
import io.verbena.testkit.contract.Everything.Payload;
import io.verbena.testkit.contract.Everything.TooLate;
import io.verbena.testkit.contract.EverythingRpc;
import io.verbena.testkit.contract.Herbarium.Colour;
import io.verbena.testkit.contract.Herbarium.Grafted;
import io.verbena.testkit.contract.Herbarium.Herb;
import io.verbena.testkit.contract.Herbarium.Label;
import io.verbena.testkit.contract.Herbarium.Leaf;
import io.verbena.testkit.contract.Herbarium.Moss;
import io.verbena.testkit.contract.Herbarium.Numbers;
import io.verbena.testkit.contract.Herbarium.Plant;
import io.verbena.testkit.contract.Herbarium.Sheet;
import io.verbena.testkit.contract.Herbarium.Unknown;
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
        client.primitives(
            true, (byte) -1, Short.MIN_VALUE, '\uffff', 1 << 31, 1L << 63, -0f, Double.NaN);
    assertThat(edge)
        .isEqualTo(
            new Echo()
                .primitives(
                    true,
                    (byte) -1,
                    Short.MIN_VALUE,
                    '\uffff',
                    1 << 31,
                    1L << 63,
                    -0f,
                    Double.NaN));
    assertThat(edge.h()).isNaN();
    assertThat(client.numbers(edge)).isEqualTo(edge);
  }

  @Test
  void everyTypeOfTime() {
    assertThat(client.times(Samples.times())).isEqualTo(Samples.times());
    assertThat(client.zones(Samples.zones())).isEqualTo(Samples.zones());
    assertThat(client.exact(Samples.exact())).isEqualTo(Samples.exact());
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
    Sheet back = client.sheet(Samples.sheet());
    assertThat(back)
        .usingRecursiveComparison()
        .ignoringCollectionOrder()
        .isEqualTo(Samples.sheet());
    assertThat(back.map().keySet()).containsExactly(9, 0);
    assertThat(back.set()).containsExactly(3L, 1L, 2L);
    assertThatThrownBy(() -> back.list().add("three"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(client.index(Samples.index()).toString()).isEqualTo(Samples.index().toString());
    assertThat(client.byLeaf(Samples.byLeaf()).toString()).isEqualTo(Samples.byLeaf().toString());
    assertThat(client.maybes(Samples.maybes())).isEqualTo(Samples.maybes());
  }

  @Test
  void subtypesOfSealedTypes() throws Exception {
    List<Plant> plants =
        List.of(
            new Herb("viola", new Leaf(1, 2), Colour.VIOLET),
            Samples.conifer(1),
            Moss.CUSHION,
            new Grafted(Moss.PEAT, Optional.of(Samples.conifer(3))));
    for (Plant plant : plants) {
      assertThat(client.plant(plant)).isEqualTo(plant);
    }
  }

  @Test
  void declaredExceptionsArriveAsTheirType() {
    assertThatThrownBy(() -> client.water(Samples.conifer(-1)))
        .isExactlyInstanceOf(Drowned.class)
        .hasMessage("a tree has a height")
        .extracting(e -> ((Drowned) e).getPlant())
        .isEqualTo(Samples.conifer(-1));
    assertThatThrownBy(() -> client.water(Samples.conifer(0)))
        .isExactlyInstanceOf(Unknown.class)
        .hasMessage(null);
    assertThatThrownBy(() -> client.water(Samples.conifer(Double.NaN)))
        .isExactlyInstanceOf(TooLate.class)
        .extracting(e -> ((TooLate) e).when())
        .isEqualTo(Instant.EPOCH);
  }

  @Test
  void genericAndRecursiveRecords() {
    assertThat(client.taxon(Samples.taxon(20))).isEqualTo(Samples.taxon(20));
    Page<Leaf> page =
        client.page(
            new Page<>(Arrays.asList(new Leaf(1, 1), null), new Page<>(new ArrayList<>(), null)),
            new Ok<>(5));
    assertThat(page)
        .isEqualTo(
            new Page<>(List.of(new Leaf(1, 1), new Leaf(5, 5)), new Page<>(List.of(), null)));
    assertThat(
            client.page(new Page<>(Arrays.asList((Leaf) null), null), new Failed<>("why")).items())
        .containsExactly(new Leaf(0, 0));
  }

  @Test
  void aTreeDeeperThanTheLimitIsRefusedBeforeItIsSent() {
    assertThatThrownBy(() -> client.taxon(Samples.taxon(Wired.MAX_DEPTH + 1)))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("nest more than " + Wired.MAX_DEPTH);
  }

  @Test
  void plainClassesByTheirAccessors() {
    Account account = new Account();
    account.setName("savings");
    Account back = client.account(account);
    assertThat(back.getName()).isEqualTo("savings");
    assertThat(back.notes()).isNull();
    Label label = new Label();
    label.setNumber(7);
    label.setFaded(true);
    Label other = client.label(label);
    assertThat(other.getNumber()).isEqualTo(7);
    assertThat(other.isFaded()).isTrue();
    assertThat(other.getRemarks()).isNull();
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
    assertThatThrownBy(() -> client.sum(Money.ofCents(-1), List.of()))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("no debts");
  }

  @Test
  void typesWithASerializerOfTheUsers() {
    assertThat(client.sum(Money.ofCents(1), List.of(Money.ofCents(10), Money.ofCents(100))).cents())
        .isEqualTo(111);
  }

  @Test
  void nullWhereTheContractAllowsItAndNowhereElse() {
    assertThat(client.nullable(null, null, null)).isNull();
    assertThat(client.nullable("a", 1, new Leaf(2, 3))).isEqualTo("a1Leaf[width=2, length=3]");
    assertThatThrownBy(() -> client.audit("in", 1, 2, nothing()))
        .isInstanceOf(NullPointerException.class)
        .hasMessageMatching(
            "everything\\.v1/audit: argument 'reply' is null\\. Pass a value\\. .*@Nullable.*");
    assertThatThrownBy(() -> client.sum(Money.ofCents(1), Arrays.asList(Money.ofCents(2), null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessageMatching("null in java\\.util\\.List<.*Money>");
    assertThatThrownBy(() -> client.sum(Money.ofCents(1), null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("/sum: argument 'more' is null");
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
    assertThatThrownBy(() -> served.zones(Samples.zones()))
        .hasMessage(
            "everything.v1/zones: the handler returned null. Return a value. To allow null, declare"
                + " the result @Nullable in the contract; a stream or a Received cannot be null");
  }

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"})
  void arraysOverloadsInheritedAndOneWayMethods() {
    List<String>[] lists = new List[] {List.of("a", "b"), List.of()};
    assertThat(client.arrays(new String[] {"abc"}, lists, Colour.VIOLET, Colour.WHITE))
        .isDeepEqualTo(new int[][] {{3}, {2, 0}, {2, 0}});
    assertThat(client.count()).isEqualTo(42);
    assertThat(client.count("four")).isEqualTo(4);
    assertThat(client.inherited(new Leaf(1, 2), new Leaf(3, 4))).hasSize(2);
    client.nothing();
    client.audit("in", 1, 2, "reply");
    assertThat(echo.audited).containsExactly("nothing", "in12reply");
    assertThat(client.greeting()).isEqualTo("not called remotely");
  }

  @Test
  void theGeneratedClassIsFoundByItsContract() {
    assertThat(Stubs.service(Everything.class)).isSameAs(EverythingRpc.SERVICE);
    assertThat(EverythingRpc.SERVICE.methods())
        .filteredOn(method -> method.name().equals("zones"))
        .allMatch(method -> method.timeoutNanos() == 250_000_000L && method.idempotent());
  }
}
