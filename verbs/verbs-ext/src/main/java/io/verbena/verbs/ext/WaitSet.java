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
 * {@link #await} returns at once while any added object has an event that was not taken. A channel
 * is removed when it is destroyed. On a provider that is stepped by hand, await never blocks.
 */
public interface WaitSet extends AutoCloseable {
  void add(RdmaEventChannel channel) throws IOException;

  void add(IbvCompChannel channel) throws IOException;

  /** Adds the asynchronous events of a device; see {@link VerbsContext#nextAsyncEvent}. */
  void add(IbvContext context) throws IOException;

  /**
   * Waits until something is ready, {@link #wakeup()} is called, or the time is over.
   *
   * @param timeoutNanos the longest wait, 0 for none; must not be negative. A provider may round it
   *     up to whole milliseconds
   * @return true if something is ready or this was woken, false after the time limit
   */
  boolean await(long timeoutNanos) throws IOException;

  /**
   * Makes a set of a simulation call back, so that no thread waits for it.
   *
   * @param ready runs once when something is ready or the time is over, on the thread that steps
   *     the simulation, perhaps before this method returns. It replaces an earlier callback
   * @return false if a thread must {@link #await}, as with every real device
   */
  default boolean tell(long timeoutNanos, Runnable ready) throws IOException {
    return false;
  }

  /** Makes the present or the next {@link #await} return. For any thread, also after close. */
  void wakeup();

  /** Frees the set, but not the channels in it. Does nothing the second time. */
  @Override
  void close();
}
