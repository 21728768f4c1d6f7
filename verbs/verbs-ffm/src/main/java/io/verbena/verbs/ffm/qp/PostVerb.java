package io.verbena.verbs.ffm.qp;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.RECV_WR;
import static io.verbena.verbs.ffm.abi.VerbsLayouts.SEND_WR;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ffm.lib.DataPath;
import io.verbena.verbs.ffm.life.Scratch;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** One of the three post verbs on one queue. Allocates nothing. Safe for use by any thread. */
final class PostVerb {

  private final String call;
  private final MemorySegment verb;
  private final long queue;
  private final int requestBytes;
  private final Scratch bad = new Scratch();

  private PostVerb(String call, MemorySegment verb, long queue, int requestBytes) {
    this.call = call;
    this.verb = verb;
    this.queue = queue;
    this.requestBytes = requestBytes;
  }

  static PostVerb send(MemorySegment verb, long qp) {
    return new PostVerb("ibv_post_send", verb, qp, SEND_WR.size());
  }

  static PostVerb receive(String call, MemorySegment verb, long queue) {
    return new PostVerb(call, verb, queue, RECV_WR.size());
  }

  String call() {
    return call;
  }

  /**
   * Posts a chain of {@code count} requests that follow one another in memory.
   *
   * @return the number of posted requests; fewer than {@code count} if the queue is full
   */
  int post(long head, int count) throws IOException {
    MemorySegment badOut = bad.take();
    try {
      int errno = DataPath.post(verb, queue, head, badOut.address());
      if (errno == 0) {
        return count;
      }
      int posted = (int) ((badOut.get(JAVA_LONG, 0) - head) / requestBytes);
      if (Math.abs(errno) == Errno.ENOMEM && posted >= 0 && posted < count) {
        return posted;
      }
      throw refused(Math.abs(errno), posted);
    } finally {
      bad.give(badOut);
    }
  }

  private VerbsException refused(int errno, int index) {
    String why =
        errno == Errno.EINVAL
            ? "its opcode, flags, pieces or inline length, or the state of the queue, do not allow"
                + " it."
            : "the device did not take it.";
    return new VerbsException(call, errno, "Request " + index + " was not posted: " + why);
  }
}
