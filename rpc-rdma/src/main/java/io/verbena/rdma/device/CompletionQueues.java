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
import org.jspecify.annotations.Nullable;

/**
 * The completion queues of a device. Links share them, and reserve an entry for every request they
 * may have posted, since a queue that overflows is the end of all its links.
 */
final class CompletionQueues {
  /** Room for some sixty links of default depth: few queues to poll, none of them huge. */
  private static final int ENTRIES = 4096;

  private static final int BATCH = 64;

  private final IbvContext context;
  private final IbvCompChannel channel;
  private final int mostEntries;
  private final LinkTable links;
  private final CompletionBlock block;
  private Queue[] queues = new Queue[0];
  private @Nullable SharedReceives orphanage;

  CompletionQueues(
      IbvContext context, IbvCompChannel channel, int mostEntries, LinkTable links, Arena arena) {
    this.context = context;
    this.channel = channel;
    this.mostEntries = mostEntries;
    this.links = links;
    this.block = new CompletionBlock(arena, BATCH);
  }

  /** One queue with the entries that are not reserved. */
  static final class Queue {
    final IbvCQ cq;
    private final VerbsCq verbs;
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

  /** Reserves entries in one queue. */
  Queue reserve(int entries) throws IOException {
    for (Queue queue : queues) {
      if (queue.free >= entries) {
        queue.free -= entries;
        return queue;
      }
    }
    int size = Math.max(entries, Math.min(ENTRIES, mostEntries));
    Queue added = new Queue(context.createCQ(channel, size, 0), size);
    queues = Arrays.copyOf(queues, queues.length + 1);
    queues[queues.length - 1] = added;
    added.free -= entries;
    return added;
  }

  /** Hands every completion there is to its link, and returns how many there were. */
  int poll() throws IOException {
    int done = 0;
    for (Queue queue : queues) {
      int count;
      do {
        count = queue.verbs.poll(block);
        for (int j = 0; j < count; j++) {
          dispatch(j);
        }
        done += count;
      } while (count == BATCH);
    }
    return done;
  }

  /** Completions of shared receives whose link is gone go there. */
  void orphansTo(SharedReceives receives) {
    orphanage = receives;
  }

  private void dispatch(int index) throws IOException {
    long workId = block.wrId(index);
    boolean shared = WorkId.kind(workId) == WorkId.SHARED_RECEIVE;
    CompletionSink sink = shared ? links.ofQueuePair(block.qpNumber(index)) : links.find(workId);
    if (sink == null && shared && orphanage != null) {
      orphanage.orphaned(WorkId.slot(workId));
    }
    if (sink != null) {
      sink.completed(workId, block, index);
    }
  }

  /** Has the next completion of any queue announce itself on the channel. */
  void arm() throws IOException {
    takeAnnounced(); // what it announced has been or will be polled
    for (Queue queue : queues) {
      queue.verbs.arm(false);
    }
  }

  /** Takes what is announced: as long as it is not, who waits for the channel is woken at once. */
  void takeAnnounced() throws IOException {
    VerbsCompChannel events = VerbsCompChannel.of(channel);
    while (events.nextEvent(0) != null) {
      // The next.
    }
  }

  /** Destroys those that are left. */
  void close() throws IOException {
    Destruction destruction = new Destruction();
    queues =
        Arrays.stream(queues)
            .filter(queue -> !destruction.of(queue.cq::destroyCQ))
            .toArray(Queue[]::new);
    destruction.end();
  }
}
