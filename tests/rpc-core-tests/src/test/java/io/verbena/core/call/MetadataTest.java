package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.Answer;
import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Execution;
import io.verbena.api.Metadata;
import io.verbena.api.Priority;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.testkit.SteppedWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Metadata of calls and replies. */
class MetadataTest {
  private static final Metadata.Key<String> ID = Metadata.Key.text("request-id");
  private static final Metadata.Key<byte[]> TRACE = Metadata.Key.bytes("trace.bin");
  private static final Metadata.Key<Integer> COST =
      Metadata.Key.of("cost", String::valueOf, Integer::valueOf);

  private final SteppedWorld world = new SteppedWorld();
  private final Session session = world.client().session(world.address());
  private final List<Metadata> handled = new ArrayList<>();
  private Metadata replies = Metadata.EMPTY.with(COST, 7);

  private final class Replying extends Probe.Plain {
    private void meets() {
      handled.add(CallContext.current().metadata());
      CallContext.current().replyMetadata(replies);
    }

    @Override
    public String echo(String text) {
      meets();
      return text;
    }

    @Override
    public String slow(String text) {
      meets();
      if (text.isEmpty()) {
        Metadata details = Metadata.EMPTY.with(ID, "details");
        throw new RpcException(RpcStatus.PERMISSION_DENIED, "not yours").withMetadata(details);
      }
      return text;
    }

    @Override
    public void tell(String text) {
      meets();
    }

    @Override
    public String fail(String text) throws Probe.Rejected {
      meets();
      return super.fail(text);
    }
  }

  /** Notes what comes along with replies. */
  private static final class Noting implements ClientInterceptor {
    private final List<Metadata> noted = new ArrayList<>();

    @Override
    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
      return call.proceed()
          .whenComplete(
              (answer, failure) -> {
                noted.add(call.replyMetadata());
                if (answer != null) {
                  assertThat(answer.metadata()).isEqualTo(call.replyMetadata());
                }
              });
    }
  }

  private Probe.Stub stub(Metadata metadata, ClientInterceptor... interceptors) {
    world.server(s -> s.serve(Probe.bind(new Replying())));
    return new Probe.Stub(
        session, CallOptions.DEFAULT.withMetadata(metadata).withInterceptors(interceptors));
  }

  private RpcException failureOf(CompletableFuture<String> call) {
    world.runUntil(call::isDone);
    assertThat(call.exceptionNow()).isInstanceOf(RpcException.class);
    return (RpcException) call.exceptionNow();
  }

  @AfterEach
  void leavesNoSlotInUse() {
    world.pass(Duration.ofMillis(100));
    assertThat(world.client().slotsInUse()).isZero();
    assertThat(world.client().sharedBytesInUse()).isZero();
    world.close();
  }

  @Test
  void aHandlerReadsWhatItsCallerSentBesideArgumentsOfAnyLength() {
    Metadata sent =
        Metadata.EMPTY
            .plus(ID, "first")
            .plus(TRACE, new byte[] {0, -1, 5})
            .plus(ID, "ein zweiter, mit ß");
    Probe.Stub stub = stub(sent);
    for (int length : new int[] {1, 8_000, 300_000}) {
      String text = "x".repeat(length);
      CompletableFuture<String> quick = stub.submit(Probe.ECHO, text);
      CompletableFuture<String> slow = stub.submit(Probe.SLOW, text);
      world.settle();
      assertThat(quick).isCompletedWithValue(text);
      assertThat(slow).isCompletedWithValue(text);
    }
    stub.tell("one-way");
    world.settle();
    assertThat(handled).hasSize(7).allMatch(sent::equals);
    assertThat(handled.getFirst().all(ID)).containsExactly("first", "ein zweiter, mit ß");
    assertThat(handled.getFirst().get(ID)).isEqualTo("ein zweiter, mit ß");
    assertThat(handled.getFirst().get(TRACE)).containsExactly(0, -1, 5);
    assertThat(handled.getFirst().get(COST)).isNull();
  }

  @Test
  void aCallWithoutAnyHandsNoneOnFromTheCallBefore() {
    Probe.Stub with = stub(Metadata.EMPTY.with(ID, "with"));
    Probe.Stub without = new Probe.Stub(session);
    with.submit(Probe.ECHO, "");
    world.settle();
    without.submit(Probe.ECHO, "");
    world.settle();
    assertThat(handled).extracting(metadata -> metadata.get(ID)).containsExactly("with", null);
  }

  @Test
  void aReplyBringsThemAlongHoweverItsHandlerEnds() {
    Noting noting = new Noting();
    Probe.Stub stub = stub(Metadata.EMPTY, noting);
    CompletableFuture<String> result = stub.submit(Probe.ECHO, "result");
    CompletableFuture<String> declared = stub.submit(Probe.FAIL, "declared");
    world.settle();
    RpcException failure = failureOf(stub.submit(Probe.SLOW, ""));
    assertThat(result).isCompletedWithValue("result");
    assertThat(declared.exceptionNow()).isInstanceOf(Probe.Rejected.class).hasMessage("declared");
    assertThat(failure.metadata()).isEqualTo(replies.with(ID, "details"));
    assertThat(noting.noted).containsExactly(replies, replies, failure.metadata());
  }

  @Test
  void anExceptionThatIsPassedOnKeepsThem() {
    Probe.Stub stub = stub(Metadata.EMPTY);
    RpcException failure = failureOf(stub.submit(Probe.SLOW, ""));
    assertThat(failure.passOn().metadata().get(ID)).isEqualTo("details");
    assertThat(failure.withMetadata(Metadata.EMPTY).metadata().isEmpty()).isTrue();
    assertThat(failure.withMetadata(Metadata.EMPTY).execution()).isEqualTo(Execution.EXECUTED);
  }

  @Test
  void aCallWithMoreThanAMessageTakesIsNotSent() {
    Metadata many = Metadata.EMPTY;
    for (int i = 0; i <= Metadata.MAX_ENTRIES; i++) {
      many = many.plus(COST, i);
    }
    Metadata large = Metadata.EMPTY.with(TRACE, new byte[Metadata.MAX_BYTES]);
    stub(Metadata.EMPTY);
    for (Metadata tooMuch : List.of(many, large)) {
      Probe.Stub stub = new Probe.Stub(session, CallOptions.DEFAULT.withMetadata(tooMuch));
      RpcException failure = failureOf(stub.submit(Probe.ECHO, ""));
      assertThat(failure.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
      assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
      assertThat(failure).hasMessageContaining(tooMuch.size() + " values of metadata");
    }
    Metadata most = Metadata.EMPTY.with(TRACE, new byte[Metadata.MAX_BYTES - 12]);
    assertThat(most.byteSize()).isEqualTo(Metadata.MAX_BYTES);
    CompletableFuture<String> fits =
        new Probe.Stub(session, CallOptions.DEFAULT.withMetadata(most)).submit(Probe.ECHO, "fits");
    world.settle();
    assertThat(fits).isCompletedWithValue("fits");
    assertThat(handled).containsExactly(most);
  }

  @Test
  void aReplyWithMoreThanAMessageTakesFailsAndAFailureKeepsItsStatus() {
    Probe.Stub stub = stub(Metadata.EMPTY);
    replies = Metadata.EMPTY.with(TRACE, new byte[Metadata.MAX_BYTES]);
    for (RpcException failure :
        List.of(failureOf(stub.submit(Probe.ECHO, "")), failureOf(stub.submit(Probe.SLOW, "x")))) {
      assertThat(failure.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
      assertThat(failure.execution()).isEqualTo(Execution.EXECUTED);
    }
    RpcException denied = failureOf(stub.submit(Probe.SLOW, ""));
    assertThat(denied.status()).isEqualTo(RpcStatus.PERMISSION_DENIED);
    assertThat(denied).hasMessageContaining("not yours").hasMessageContaining("left out");
    assertThat(denied.metadata().isEmpty()).isTrue();
  }

  @Test
  void keysAreOfOneAlphabetAndNoValueIsPrinted() {
    for (String name : List.of("", "Upper", "sp ace", "ümlaut", "x".repeat(65))) {
      assertThatThrownBy(() -> Metadata.Key.text(name))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining('"' + name + '"');
    }
    Metadata secret = Metadata.EMPTY.with(ID, "s3cret");
    assertThat(secret.toString()).doesNotContain("s3cret").contains("request-id of [6] bytes");
  }

  @Test
  void metadataAreValues() {
    Metadata one = Metadata.EMPTY.plus(ID, "a").plus(COST, 1).plus(ID, "b");
    assertThat(one.with(ID, "c")).isEqualTo(Metadata.EMPTY.plus(COST, 1).plus(ID, "c"));
    assertThat(one.without(ID).without(COST)).isEqualTo(Metadata.EMPTY);
    assertThat(Metadata.ofBytes(one.toBytes())).isEqualTo(one).hasSameHashCodeAs(one);
    assertThat(one.plus(one).size()).isEqualTo(6);
    assertThatThrownBy(() -> Metadata.ofBytes(new byte[] {1, 'x', 0, 9}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("malformed at byte 0");
  }

  @Test
  void namesThatVerbenaItselfUsesAreRefused() {
    for (String name : List.of("verbena-attempt", Priority.KEY_NAME, "verbena-")) {
      assertThatThrownBy(() -> Metadata.Key.text(name))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("\"" + name + "\" needs another name")
          .hasMessageContaining("Priority and AttemptNumber");
      assertThatThrownBy(() -> Metadata.Key.bytes(name))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(Metadata.Key.text("verbena").name()).isEqualTo("verbena");
    assertThat(Priority.of(Priority.ofWord("background").in(Metadata.EMPTY)))
        .isEqualTo(Priority.BACKGROUND);
    assertThatThrownBy(() -> Priority.ofWord("utmost"))
        .hasMessage("verbena-priority must be critical, normal or background, not utmost");
  }
}
