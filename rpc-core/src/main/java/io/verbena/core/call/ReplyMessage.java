package io.verbena.core.call;

import io.verbena.api.Execution;
import io.verbena.api.Metadata;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Received;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Reply;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.LargeValues;
import io.verbena.codec.MetadataBlock;
import io.verbena.codec.WireEncoder;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.contract.LocalServices;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.sequence.Outgoing;
import io.verbena.core.session.SessionImpl;
import io.verbena.core.transfer.LargeValuesOut;
import io.verbena.link.MemoryLife;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The reply to a call, from writing to sending. It is the base class of {@link ServerCall}, so that
 * a call needs only one object. This is the handler's end: at the caller's, {@link
 * OutgoingCalls#take} accepts or refuses a reply, and {@link PendingCall#read} reads it.
 *
 * <pre>
 *   handler's thread                                             loop
 *
 *   blank ──result(), error(), failure()──→ open ──seal()──→ sealed ──takeSlot()──→ sent
 *             │                     │  ↑                       │   │
 *             │                     └──┘ {@link #grow}             │   └── {@link #tooLong} ─→ open, as a failure
 *             └── again: the new reply replaces the old one    └── {@link #discard} ─→ blank
 * </pre>
 *
 * <p>Until {@link #seal} the handler's thread owns all fields. Then the call is enqueued, which
 * hands them to the loop. Beside its frame a reply may have large values, a stream, and an {@link
 * Answer} for the caller's landing; what is not sent is released with it.
 */
public abstract class ReplyMessage implements Reply, Outgoing, WireEncoder.Growth {
  /** Replies send streams, and only received streams have deadlines. */
  private static final long NONE_RECEIVED = 0;

  private static final ThrottledLog BROKEN =
      ThrottledLog.of(ReplyMessage.class, "answers whose release failed");
  private static final int BODY = FrameHeader.BYTES;
  private static final int MOST_TEXT = 8 * 1024;

  final Calls calls;

  /** The method that is called, as it is served here and as in its contract. */
  LocalServices.Method served;

  MethodDescriptor<?> method;

  /** The number that the caller assigned. */
  long id;

  /** The memory that was reserved for it. Guarded by {@link ReplyMemory}. */
  long reserved;

  /** The frame with its encoder; null while the reply is blank, and after it was sent. */
  private @Nullable Slot slot;

  /** The object for the caller's landing; null if there is none. */
  private @Nullable Answer answer;

  /** The stream of the result; null if there is none. */
  private @Nullable CallStreams streams;

  /** Null means no metadata, so that a call without metadata writes nothing here. */
  private volatile @Nullable Metadata replyMetadata;

  ReplyMessage(Calls calls, LocalServices.Method served, long id) {
    this.calls = calls;
    this.served = served;
    this.method = served.descriptor;
    this.id = id;
  }

  public final MethodDescriptor<?> method() {
    return method;
  }

  /** Takes memory for the reply when there is enough, as {@link HandlerStarts#awaitMemory} does. */
  abstract void awaitMemory(long bytes);

  /** Returns whether the reply is no longer wanted. */
  public abstract boolean isCancelled();

  /**
   * Stops interrupts of the handler's thread: an interrupt would close the file channel that it
   * reads.
   */
  abstract void endInterrupts();

  public Metadata replyMetadata() {
    Metadata set = replyMetadata;
    return set == null ? Metadata.EMPTY : set;
  }

  public void replyMetadata(Metadata metadata) {
    replyMetadata = Objects.requireNonNull(metadata, "metadata");
  }

  final void dropMetadata() {
    if (replyMetadata != null) { // a volatile write costs more than a read
      replyMetadata = null;
    }
  }

  // ---- writing, on the handler's thread ----

  /** Returns whether nothing has been written. */
  final boolean isBlank() {
    return slot == null;
  }

  @Override
  public WireOut result() {
    return open(FrameKind.RESULT);
  }

  @Override
  public void received(Received received) {
    if (!(received instanceof Received.Answer given)) {
      throw new IllegalArgumentException(
          method.fullName()
              + " must answer with Received.from(source), not with an object that it received");
    }
    boolean opened = false;
    try {
      result().writeVarLong(given.length());
      endInterrupts();
      if (isCancelled()) {
        throw new CancellationException("its answer is no longer wanted");
      }
      answer = new Answer(OpenSource.open(given.source(), MemoryLife.LENT), given);
      opened = true;
    } finally {
      if (!opened) {
        released(given);
      }
    }
  }

  /** The object that answers a call, until its transfer starts. */
  public record Answer(OpenSource source, Received.Answer given) {
    /** Reports to its owner that it is no longer read. */
    public void released() {
      ReplyMessage.released(given);
    }
  }

  /** Closes a handler's answer. This runs user code. */
  public static void released(Received given) {
    try {
      given.close();
    } catch (Throwable e) {
      BROKEN.warn("The action of a handler for the release of its answer failed", e);
    }
  }

  @Override
  public WireOut error(int index, Exception thrown) {
    WireOut out = open(FrameKind.DECLARED_ERROR);
    out.writeVarInt(index);
    out.writeString(shortened(thrown.getClass().getName()));
    out.writeString(shortened(Thrown.fullWords(thrown)));
    return out;
  }

  /** Replaces the reply by a failure. */
  final void failure(RpcStatus status, Execution execution, String remoteType, String message) {
    closeAnswer();
    String misfit = misfit(replyMetadata());
    if (misfit != null) { // the failure matters more than its metadata
      dropMetadata();
    }
    WireEncoder out = open(FrameKind.FAILURE);
    out.writeByte(status.code());
    out.writeByte(execution.code());
    out.writeString(shortened(remoteType));
    out.writeString(shortened(misfit == null ? message : message + " (left out: " + misfit + ")"));
    seal();
  }

  private WireEncoder open(FrameKind kind) {
    Slot target = slot;
    if (target == null) {
      // A reply never waits for a slot: two peers full of requests can always answer.
      target = calls.slots.claimSurely();
      slot = target;
    }
    endStreams();
    target.header(FrameHeader.first(kind, 0), FrameHeader.third(id, 0));
    WireEncoder out = target.encoder();
    out.start(target.buffer(), BODY, calls.maxMessageBytes, calls.maxDepth);
    if (kind != FrameKind.FAILURE && !method.oneway()) {
      out.takeOut(calls.path.beside(), calls.resultValues);
      out.setGrowth(this);
      if (method.streaming()) {
        CallStreams sent = calls.streams().of(method, NONE_RECEIVED, false);
        out.streams(sent);
        streams = sent;
      }
    }
    return out;
  }

  /** The reply outgrows its slot or its buffer. May wait for memory. */
  @Override
  public final void grow(int from, int to) {
    served.replyTakes(to); // calls that have not begun reserve it
    long bytes = (long) from + to;
    if (!calls.replyMemory.grow(this, bytes)) {
      awaitMemory(bytes);
    }
  }

  /**
   * Ends the reply.
   *
   * @throws WireException if its metadata do not fit in a message
   */
  final void seal() {
    Slot target = slot;
    if (target == null) {
      throw new AssertionError("no reply was opened");
    }
    WireEncoder written = target.encoder();
    long plain = written.spilled() ? written.length() : 0; // the memory that its handler used
    int flags = compresses(written, plain) ? calls.compress(written) : 0;
    if (flags != 0) {
      target.header(FrameHeader.withFlags(target.first(), flags), target.third());
    }
    Metadata metadata = replyMetadata;
    if (metadata != null && !metadata.isEmpty() && !method.oneway()) {
      addMetadata(metadata, target);
    }
    LargeValues beside = target.encoded(BODY);
    long bytes = target.onHeap();
    if (bytes > 0) {
      calls.replyMemory.charge(this, target, bytes);
    }
    if (beside instanceof LargeValuesOut largeValues) {
      target.header(
          FrameHeader.withFlags(target.first(), FrameHeader.FLAG_LARGE_VALUES), target.third());
      largeValues.charge(calls.replyMemory.share());
      bytes += largeValues.copiedBytes();
    }
    served.replyTook(Math.max(bytes, plain));
  }

  /** Returns whether the reply is compressed. That takes twice its memory again, for a while. */
  private boolean compresses(WireEncoder written, long plain) {
    return written.length() >= calls.path.compressFrom()
        && (plain == 0 || calls.replyMemory.grow(this, 3 * plain));
  }

  /**
   * Returns the reason why metadata do not fit in a failure. They may use half of the message; the
   * other half is for the failure's text.
   */
  private @Nullable String misfit(Metadata metadata) {
    int most = calls.maxMessageBytes / 2;
    return metadata.byteSize() <= most
        ? MetadataBlock.misfit(metadata)
        : "metadata of %d bytes, half of maxMessageBytes is %d"
            .formatted(metadata.byteSize(), most);
  }

  private void addMetadata(Metadata metadata, Slot target) {
    String misfit = misfit(metadata);
    if (misfit != null) {
      throw new WireException(misfit);
    }
    MetadataBlock.write(target.encoder(), metadata);
    target.header(FrameHeader.withFlags(target.first(), FrameHeader.FLAG_METADATA), target.third());
  }

  private String shortened(String text) {
    return SessionImpl.shortened(text, Math.min(MOST_TEXT, calls.maxMessageBytes / 16));
  }

  // ---- sending, on the loop ----

  /** Returns the object for the caller's landing, and forgets it; null if there is none. */
  public @Nullable Answer takeAnswer() {
    Answer taken = answer;
    answer = null;
    return taken;
  }

  @Override
  public @Nullable Slot takeSlot() {
    Slot reply = slot;
    slot = null;
    return reply;
  }

  @Override
  public void sendLargeValues(LargeValues largeValues) {
    calls.objects.sendLargeValues(id, false, method.fullName(), (LargeValuesOut) largeValues);
  }

  @Override
  public int answerBytes() {
    Slot reply = slot;
    return reply == null ? 0 : Math.max(reply.capacity(), reply.length());
  }

  @Override
  public void tooLong(int length, int limit) {
    dropMetadata();
    failure(
        RpcStatus.RESOURCE_EXHAUSTED,
        Execution.EXECUTED,
        "",
        "its result has %d bytes, and the caller accepts %d: raise maxMessageBytes there"
            .formatted(length, limit));
    calls.session.enqueue(this);
  }

  /** Releases all that a reply has which is not sent. */
  public void discard() {
    Slot reply = takeSlot();
    if (reply != null) {
      reply.release();
    }
    closeAnswer();
    endStreams();
  }

  /** Forgets the stream of a reply that was sent. The peer owns it from now on. */
  final void forgetStreams() {
    streams = null;
  }

  /** Ends the stream of a reply that is not sent. */
  private void endStreams() {
    CallStreams unheard = streams;
    if (unheard != null) {
      streams = null;
      unheard.cancel();
    }
  }

  private void closeAnswer() {
    Answer unwanted = takeAnswer();
    if (unwanted != null) {
      unwanted.source().close();
      unwanted.released();
    }
  }
}
