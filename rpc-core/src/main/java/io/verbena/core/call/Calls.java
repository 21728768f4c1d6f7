package io.verbena.core.call;

import io.verbena.api.RpcStatus;
import io.verbena.codec.Compression;
import io.verbena.codec.MetadataBlock;
import io.verbena.codec.WireDecoder;
import io.verbena.codec.WireEncoder;
import io.verbena.core.SessionLimits;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.session.PathCosts;
import io.verbena.core.session.SessionContext;
import io.verbena.core.session.SessionImpl;
import io.verbena.core.transfer.CallTransfers;
import io.verbena.core.transfer.LargeValuesOut;
import io.verbena.link.memory.Memory;
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
 * What all calls of a session share, both those that this end makes and those that it serves. Its
 * fields are safe for use by any thread, unless they say otherwise.
 */
public final class Calls {
  public final SessionImpl session;
  public final EventLoop loop;
  final SessionLimits limits;

  // The limit that each call reads.
  final int maxCalls;
  final int maxMessageBytes;
  final int maxDepth;

  /** Decodes messages, one after the other. On the loop. */
  final WireDecoder decoder;

  public final CallCounters counters;

  /** The transfers beside messages: answers and large values. On the loop. */
  final CallTransfers objects;

  /** Reads long messages. On the loop. */
  final LongMessages longMessages;

  public final CallWindow window;

  /** The slots for small messages, and the share of this session's callers. */
  final SlotPool slots;

  final SlotShare slotShare;

  /** The memory for replies that the peer has not received yet. */
  final ReplyMemory replyMemory;

  /** The costs of the path, which decide which values travel beside their message. */
  final PathCosts path;

  /** Makes the holder of a reply's large values. */
  final Supplier<LargeValuesOut> resultValues;

  /**
   * Makes the holder of a call's large values, for callers that wait until they are no longer read,
   * and for others.
   */
  final Supplier<LargeValuesOut> borrowedValues;

  final Supplier<LargeValuesOut> copiedValues;

  /** Null if this end neither compresses messages nor accepts compressed ones. */
  final @Nullable Compression compression;

  private CallStreams.@Nullable Maker streams;

  /**
   * Starts without calls.
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
    this.slotShare = session.memory().slots;
    this.replyMemory = new ReplyMemory(session.memory().share(Memory.REPLIES));
    this.path = session.pathCosts();
    this.compression = context.compression();
    BulkMemory bulk = context.bulk().memory();
    Quota.Share results = session.memory().share(Memory.BULK);
    this.borrowedValues = () -> new LargeValuesOut(bulk, null, true);
    this.copiedValues = () -> new LargeValuesOut(bulk, null, false);
    this.resultValues = () -> new LargeValuesOut(bulk, results, false);
  }

  // ---- messages, and transfers beside them ----

  /**
   * Returns the length of the longest message that both ends accept, as far as it is known. For any
   * thread.
   */
  public int longestMessage() {
    return path.longestMessage();
  }

  /**
   * Returns the status for a message that found no memory. RESOURCE_EXHAUSTED means that sending it
   * again can help.
   */
  static RpcStatus refusal(Quota.Share memory, long bytes) {
    return memory.mayEverTake(bytes) ? RpcStatus.RESOURCE_EXHAUSTED : RpcStatus.INVALID_ARGUMENT;
  }

  /**
   * Compresses an encoded message from {@link PathCosts#compressFrom} bytes, if that makes it
   * shorter. On a loop only short messages are compressed. Safe for use by any thread.
   *
   * @return the flags for the message's header
   */
  int compress(WireEncoder out) {
    int length = out.length();
    return length <= longestMessage() // otherwise the peer accepts it in neither form
            && (length <= LongMessages.LONGEST_SHORT || !loop.isInCycle())
            && compression != null
            && compression.compress(out)
        ? FrameHeader.FLAG_COMPRESSED
        : 0;
  }

  /**
   * Expands a compressed message that was not sent yet, if the peer accepts no compressed messages.
   * The peer may be another than at the time of encoding. On the loop.
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
   * Runs user code on the executor of handlers. If the executor rejects it, it runs on a new
   * thread, as soon as there is one. Safe for use by any thread.
   */
  public void runUsers(Runnable users) {
    SessionContext context = session.context();
    loop.runSurely(context.handlers(), context.workers().waiting(), users);
  }

  /**
   * Runs a task that must wait on a separate thread. Safe for use by any thread.
   *
   * @param failed receives the reason why there is no thread, or the exception of the task
   */
  public void runWaiting(Runnable task, Consumer<Throwable> failed) {
    OwnThreads.hand(session.context().workers().waiting(), task, failed);
  }

  // ---- streams ----

  /** Sets the maker of streams. It is called before the first call. */
  public void streams(CallStreams.Maker maker) {
    streams = maker;
  }

  /** Returns the maker of streams. Safe for use by any thread. */
  CallStreams.Maker streams() {
    return Objects.requireNonNull(streams);
  }

  /**
   * A stream of the peer has ended, or a call that might have had one. Safe for use by any thread.
   */
  public void streamEnded() {
    loop.execute(session.ending()::sendLastCallIfDue);
  }
}
