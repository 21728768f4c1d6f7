package io.verbena.core.call;

import io.verbena.api.RpcStatus;
import io.verbena.codec.Compression;
import io.verbena.codec.MetadataBlock;
import io.verbena.codec.WireDecoder;
import io.verbena.codec.WireEncoder;
import io.verbena.core.SessionLimits;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.session.PathCosts;
import io.verbena.core.session.SessionContext;
import io.verbena.core.session.SessionImpl;
import io.verbena.core.transfer.CallTransfers;
import io.verbena.core.transfer.LargeValuesOut;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Slot;
import io.verbena.link.memory.SlotPool;
import io.verbena.link.memory.SlotShare;
import io.verbena.link.runtime.OwnThreads;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the calls of a session have in common, both those that this end makes and those that it
 * serves. Its fields are safe for any thread, but where they say otherwise.
 */
public final class Calls {
  final SessionImpl session;
  final EventLoop loop;
  final SessionLimits limits;

  // Of these limits, what each call asks for.
  final int maxCalls;
  final int maxMessageBytes;
  final int maxDepth;

  /** Reads messages, one after the other. On the loop. */
  final WireDecoder decoder;

  final CallCounters counters;

  /** Of what moves beside messages: answers and large values. On the loop. */
  final CallTransfers objects;

  /** Reads long messages. On the loop. */
  final LongMessages longMessages;

  /** Of this end's calls under way. */
  final CallWindow window;

  /** Where small messages are encoded, and the part that this session's callers may have. */
  final SlotPool slots;

  final SlotShare slotShare;

  /** What replies may take until the peer has taken them. */
  final Quota.Share replyMemory;

  /** What it costs decides which values travel beside their message. */
  final PathCosts path;

  /** Makes room for such values of a reply. */
  final Supplier<LargeValuesOut> resultParts;

  /** The same for a call whose caller waits until they are not read any more; and for others. */
  final Supplier<LargeValuesOut> borrowedParts;

  final Supplier<LargeValuesOut> copiedParts;

  /** Null where this end compresses nothing, and takes nothing that is compressed. */
  final @Nullable Compression compression;

  private CallStreams.@Nullable Maker streams;

  /**
   * Of no calls yet.
   *
   * @param ofAll counts for all sessions of the client or server
   */
  public Calls(SessionImpl session, CallCounters ofAll, CallTransfers objects) {
    SessionContext context = session.context();
    this.session = session;
    this.loop = context.loop();
    this.limits = context.limits();
    this.maxCalls = limits.maxCalls();
    this.maxMessageBytes = limits.maxMessageBytes();
    this.maxDepth = limits.maxDepth();
    this.decoder = session.decoder();
    this.counters = new CallCounters(ofAll);
    this.objects = objects;
    this.longMessages = new LongMessages(session);
    this.window = new CallWindow(maxCalls);
    this.slots = context.slots();
    this.slotShare = session.memory().slots();
    this.replyMemory = session.memory().replies();
    this.path = session.pathCosts();
    this.compression = context.compression();
    BulkMemory bulk = context.bulk().memory();
    Quota.Share results = session.memory().values();
    this.borrowedParts = () -> new LargeValuesOut(bulk, null, true);
    this.copiedParts = () -> new LargeValuesOut(bulk, null, false);
    this.resultParts = () -> new LargeValuesOut(bulk, results, false);
  }

  /** Returns the session that they are of. */
  public SessionImpl session() {
    return session;
  }

  /** Returns the loop that owns the session. */
  public EventLoop loop() {
    return loop;
  }

  /** Returns the window of this end's calls under way. */
  public CallWindow window() {
    return window;
  }

  /** Returns what is counted of them. */
  public CallCounters counters() {
    return counters;
  }

  // ---- messages, and what moves beside them ----

  /** Returns the longest message that both ends take, as far as it is known. For any thread. */
  public int longestMessage() {
    return path.longestMessage();
  }

  /** Returns how a message is refused that found no memory: to send it again may be of no use. */
  static RpcStatus refusal(Quota.Share memory, long bytes) {
    return memory.mayEverTake(bytes) ? RpcStatus.RESOURCE_EXHAUSTED : RpcStatus.INVALID_ARGUMENT;
  }

  /** The peer takes this. On the loop. */
  void peerTakes(PeerLimits limits) {
    window.peerTakes(limits.maxCalls());
  }

  /**
   * Compresses what was written of a message from {@link PathCosts#compressFrom} bytes on, if it
   * gets shorter. A loop compresses short ones alone. Safe for any thread.
   *
   * @return the flags that its header has for that
   */
  int compress(WireEncoder out) {
    int length = out.length();
    return length <= longestMessage() // else the peer takes it in no form
            && (length <= LongMessages.LONGEST_SHORT || !loop.isInCycle())
            && compression != null
            && compression.compress(out)
        ? FrameHeader.FLAG_COMPRESSED
        : 0;
  }

  /**
   * Has a message that has not left be as the peer takes it, which may be another than when it was
   * written. On the loop.
   */
  void expandUnlessTaken(Slot message) {
    if (path.compressFrom() != Integer.MAX_VALUE || compression == null) {
      return;
    }
    int body = FrameHeader.BYTES;
    ByteBuffer content = message.content();
    int to = message.length();
    boolean hasMetadata = (FrameHeader.flags(message.first()) & FrameHeader.FLAG_METADATA) != 0;
    int end = hasMetadata ? MetadataBlock.start(content, body, to) : to;
    byte[] metadata = new byte[to - end];
    content.get(end, metadata);
    byte[] plain = compression.expand(content, body, end);
    WireEncoder out = message.encoder();
    out.start(message.buffer(), body, plain.length + metadata.length, maxDepth);
    out.writeRaw(plain);
    out.writeRaw(metadata);
    message.encoded(body);
    long first = FrameHeader.withoutFlags(message.first(), FrameHeader.FLAG_COMPRESSED);
    message.header(first, message.third());
  }

  // ---- users' code ----

  /**
   * Runs code of the user's as handlers run; where their executor takes nothing, on a thread of its
   * own, as soon as there is one. Safe for any thread.
   */
  public void runUsers(Runnable users) {
    SessionContext context = session.context();
    loop.runSurely(context.handlers(), context.workers().waiting(), users);
  }

  /**
   * Runs what has to wait on a thread of its own. Safe for any thread.
   *
   * @param failed hears why there is none, or what it threw
   */
  public void runWaiting(Runnable task, Consumer<Throwable> failed) {
    OwnThreads.hand(session.context().workers().waiting(), task, failed);
  }

  // ---- streams ----

  /** Says what makes the streams of calls; before the first call. */
  public void streams(CallStreams.Maker maker) {
    streams = maker;
  }

  /** Returns what makes the streams of calls. Safe for any thread. */
  CallStreams.Maker streams() {
    return Objects.requireNonNull(streams);
  }

  /** A stream of the peer's has ended, or a call that might have had one. Safe for any thread. */
  public void streamEnded() {
    loop.execute(session.ending()::sayLastCallIfDue);
  }
}
