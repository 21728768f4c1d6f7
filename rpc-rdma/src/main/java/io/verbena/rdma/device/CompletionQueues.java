package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import io.verbena.rdma.wire.WorkId;
import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.VerbsCompChannel;
import io.verbena.verbs.ext.VerbsCq;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The completion queues of a device, and the links of their completions. Links share the queues.
 * Each reserves an entry for every request that it may post, because an overflow would end all
 * links of a queue. Receives that links share are no link's own: a peer that ignores its credits
 * may use up all of them at once. So each queue has an entry for every one of those, too.
 */
final class CompletionQueues {
  /** Room for 25 to 32 links of the default depth: few queues to poll, and none of them huge. */
  static final int ENTRIES = 4096;

  private static final int BATCH = 64;

  /** Counts loops, so that not all of them have one processor interrupted. */
  private static final AtomicInteger LOOPS = new AtomicInteger();

  private final IbvContext context;
  private final IbvCompChannel channel;
  private final int vector;
  private int sharedReceives;
  private final int mostEntries;
  private final CompletionBlock block;

  /**
   * The queues in the order of their creation, each with a reference to the next. Each duty cycle
   * walks them; a list would cost it 28 instructions.
   */
  private @Nullable Queue first;

  private @Nullable SharedReceives orphanage;

  // The links, each by the index and generation in its WorkIds.
  private @Nullable CompletionSink[] sinks = new CompletionSink[16];
  private long[] names = new long[16];
  private int indices;
  private final IntArrayList free = new IntArrayList();

  /** The links by the number of their queue pair. */
  private final Int2ObjectHashMap<CompletionSink> byQueuePair = new Int2ObjectHashMap<>();

  /**
   * Makes no queue yet.
   *
   * @param sharedReceives the most receives that links share; at most half of {@code mostEntries}
   * @param mostEntries the device's limit
   */
  CompletionQueues(
      IbvContext context, IbvCompChannel channel, int sharedReceives, int mostEntries, Arena arena)
      throws IOException {
    this.context = context;
    this.channel = channel;
    this.vector = Math.floorMod(LOOPS.getAndIncrement(), context.getNumCompVectors());
    this.sharedReceives = sharedReceives;
    this.mostEntries = mostEntries;
    this.block = new CompletionBlock(arena, BATCH);
  }

  /** A queue, with the number of its free entries. */
  static final class Queue {
    final IbvCQ cq;
    private final VerbsCq verbs;
    private @Nullable Queue next;
    private int free;

    Queue(IbvCQ cq, int entries) {
      this.cq = cq;
      this.verbs = VerbsCq.of(cq);
      this.free = entries;
    }

    void release(int entries) {
      free += entries;
    }
  }

  boolean has(@Nullable IbvCQ cq) {
    for (Queue queue = first; queue != null; queue = queue.next) {
      if (queue.cq == cq) {
        return true;
      }
    }
    return false;
  }

  Queue reserve(int entries) throws IOException {
    Queue last = null;
    for (Queue queue = first; queue != null; queue = queue.next) {
      if (queue.free >= entries) {
        queue.free -= entries;
        return queue;
      }
      last = queue;
    }
    int size = Math.max(entries, Math.min(ENTRIES, mostEntries - sharedReceives));
    Queue added = new Queue(context.createCQ(channel, size + sharedReceives, vector), size);
    if (last == null) {
      first = added;
    } else {
      last.next = added;
    }
    added.free -= entries;
    return added;
  }

  /** Passes all completions to their links; returns their number. */
  int poll() throws IOException {
    int done = 0;
    for (Queue queue = first; queue != null; queue = queue.next) {
      int count = queue.verbs.poll(block);
      if (count > 0) {
        done += handOver(queue, count);
      }
    }
    return done;
  }

  /** Hands over the polled completions, and continues while there may be more. */
  private int handOver(Queue queue, int polled) throws IOException {
    int done = 0;
    int count = polled;
    while (true) {
      for (int i = 0; i < count; i++) {
        long workId = block.wrId(i);
        boolean shared = WorkId.kind(workId) == WorkId.SHARED_RECEIVE;
        CompletionSink sink = shared ? byQueuePair.get(block.qpNumber(i)) : find(workId);
        if (sink != null) {
          sink.completed(workId, block, i);
        } else if (shared && orphanage != null) {
          orphanage.orphaned(WorkId.slot(workId));
        }
      }
      done += count;
      if (count < BATCH) {
        return done;
      }
      count = queue.verbs.poll(block);
    }
  }

  /** Links share no receives after all: further queues need no room for them. */
  void withoutShared() {
    sharedReceives = 0;
  }

  /** Passes completions of shared receives whose link is gone to {@code receives}. */
  void setOrphanReceiver(SharedReceives receives) {
    orphanage = receives;
  }

  // ---- links ----

  /** Takes an index, and returns the upper half of the WorkIds of its link. */
  long add(CompletionSink sink) throws IOException {
    int index;
    if (!free.isEmpty()) {
      index = free.popInt();
    } else if (indices == WorkId.MOST_LINKS) {
      throw new IOException("there are " + WorkId.MOST_LINKS + " links on one loop already");
    } else {
      index = indices++;
      if (index == sinks.length) {
        sinks = Arrays.copyOf(sinks, 2 * index);
        names = Arrays.copyOf(names, 2 * index);
      }
    }
    sinks[index] = sink;
    names[index] = WorkId.link(WorkId.generation(names[index]) + 1, index);
    return names[index];
  }

  void remove(long link) {
    int index = WorkId.index(link);
    sinks[index] = null;
    free.pushInt(index);
  }

  /** Sets the queue pair of a link. */
  void name(int queuePair, CompletionSink sink) {
    byQueuePair.put(queuePair, sink);
  }

  void unname(int queuePair) {
    byQueuePair.remove(queuePair);
  }

  /** Returns the link of a queue pair; null if it is gone. */
  @Nullable CompletionSink ofQueuePair(int queuePair) {
    return byQueuePair.get(queuePair);
  }

  /** Returns the links of all indexes in use. */
  List<CompletionSink> links() {
    return Arrays.stream(sinks).filter(Objects::nonNull).toList();
  }

  /** Returns the link of a completion; null for a completion that arrives after its link. */
  private @Nullable CompletionSink find(long workId) {
    int index = WorkId.index(workId);
    return index < indices && names[index] == WorkId.link(workId) ? sinks[index] : null;
  }

  // ---- announcements and the end ----

  /** Makes the next completion of any queue announce itself on the channel. */
  void arm() throws IOException {
    takeAnnounced(); // announced completions have been or will be polled
    for (Queue queue = first; queue != null; queue = queue.next) {
      queue.verbs.arm(false);
    }
  }

  /** Takes the announcements. Until then, a wait on the channel would end at once. */
  void takeAnnounced() throws IOException {
    VerbsCompChannel events = VerbsCompChannel.of(channel);
    while (events.nextEvent(0) != null) {
      // Continue with the next queue.
    }
  }

  /** Destroys the remaining queues. */
  void close() throws IOException {
    Destruction destruction = new Destruction();
    Queue left = null;
    for (Queue queue = first; queue != null; queue = queue.next) {
      if (destruction.of(queue.cq::destroyCQ)) {
        if (left == null) {
          first = queue.next;
        } else {
          left.next = queue.next;
        }
      } else {
        left = queue;
      }
    }
    destruction.end();
  }
}
