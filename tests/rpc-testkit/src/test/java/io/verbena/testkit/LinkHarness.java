package io.verbena.testkit;

import io.verbena.link.Link;
import io.verbena.link.LinkProvider;
import io.verbena.link.TlsOptions;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** The means by which {@link LinkContract} tests one kind of link. */
public interface LinkHarness extends AutoCloseable {
  /** Returns what makes this kind of link. */
  LinkProvider provider();

  /** Returns an address that a driver can listen at, and again when it has stopped. */
  URI freeAddress();

  /** Returns an address at which connecting fails at once, since nobody listens. */
  URI nobodyListens();

  /** Returns an address from which no answer comes, not even a refusal. */
  URI nobodyAnswers();

  /** Returns the client's TLS options; null for plaintext, which is the default. */
  default @Nullable TlsOptions clientTls() {
    return null;
  }

  /** Returns the listener's TLS options; null for plaintext, which is the default. */
  default @Nullable TlsOptions serverTls() {
    return null;
  }

  /**
   * Returns how many bytes a round trip of two frames may allocate; 0 but for what the platform
   * itself allocates, with the reason beside it.
   */
  default int allocatedBytesPerRoundTrip() {
    return 0;
  }

  /** Returns the longest frame to try; at least 4 KiB, and less than 64 KiB only with a reason. */
  default int maxFrameBytes() {
    return 64 << 10;
  }

  /**
   * Returns an advertisement that says its target is longer than it is; null, which is the default,
   * where the writing end takes no length from there.
   */
  default byte @Nullable [] overstated(byte[] advertisement) {
    return null;
  }

  /**
   * A target was opened. In a session its advertisement travels as a frame of the same link, behind
   * whatever the link has put on its way to open it; the suite takes a shorter way, and so lets
   * that happen here.
   */
  default void targetOpened() {}

  /**
   * Returns whether a region of 5 GiB over a sparse file costs next to nothing; not so where
   * attaching pins it whole.
   */
  default boolean takesHugeRegions() {
    return true;
  }

  /** Returns the memory that one end of a link can attach; the suite closes it. */
  default EndMemory memoryOf(Link end) {
    return EndMemory.ofThisProcess();
  }

  /** Returns whether both ends are in this process, so that what they allocate can be counted. */
  default boolean hasBothEndsHere() {
    return true;
  }

  /**
   * Returns whether each end is opened by a driver on a loop of its own, as all are that reach
   * other processes.
   */
  default boolean hasLoopForEachEnd() {
    return true;
  }

  /** Returns the time by which the links go, in nanoseconds from any start. */
  default long nanoTime() {
    return System.nanoTime();
  }

  /** Returns after how many steps in which nothing happens nothing is under way any more. */
  default int idleSteps() {
    return 200;
  }

  @Override
  void close();
}
