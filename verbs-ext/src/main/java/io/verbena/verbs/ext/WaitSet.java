package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;

/**
 * Waits on completion channels, event channels and asynchronous events together, for a thread that
 * owns several connections.
 *
 * <p>One thread awaits and adds; any thread may call {@link #wakeup()}. Readiness is by level:
 * {@link #await} returns at once while anything added has an event that nobody took. Channels are
 * removed by being destroyed. On a provider that is stepped by hand, await never blocks.
 */
public interface WaitSet extends AutoCloseable {
  void add(RdmaEventChannel channel) throws IOException;

  void add(IbvCompChannel channel) throws IOException;

  /** Adds the asynchronous events of a device; see {@link VerbsContext#nextAsyncEvent}. */
  void add(IbvContext context) throws IOException;

  /**
   * Waits until something is ready, {@link #wakeup()} was called, or the time is over.
   *
   * @param timeoutNanos how long to wait, 0 for not at all; must not be negative. A provider may
   *     round it up to whole milliseconds.
   * @return true when something is ready or this was woken, false when the time is over
   */
  boolean await(long timeoutNanos) throws IOException;

  /**
   * Has a set that belongs to a simulation tell by itself, so that no thread waits for it.
   *
   * @param ready runs once when something is ready or the time is over, on the thread that steps
   *     the simulation, maybe before this method returns; in place of any told of before
   * @return false where a thread has to {@link #await}, as with every real device
   */
  default boolean tell(long timeoutNanos, Runnable ready) throws IOException {
    return false;
  }

  /** Makes the current or the next {@link #await} return; from any thread, also after close. */
  void wakeup();

  /** Frees the set, not the channels in it. Does nothing the second time. */
  @Override
  void close();
}
