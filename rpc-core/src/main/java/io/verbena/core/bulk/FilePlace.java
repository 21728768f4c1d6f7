package io.verbena.core.bulk;

import io.verbena.link.runtime.NanoClock;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * What answers for a file, and may cease to: a mounted file system. Found by the names of files
 * alone, because a disk that does not answer would not answer to that question either.
 *
 * @param name for the log
 * @param remote whether another machine or another process serves its files
 */
public record FilePlace(String name, boolean remote) {
  static final FilePlace MAPPED = new FilePlace("mapped memory", false);

  private static final long MOUNTS_LAST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private record Known(Mounts mounts, long since) {}

  private static volatile Known known = new Known(Mounts.NONE, Long.MIN_VALUE);

  /** Returns the place of a file that may not be there yet. */
  public static FilePlace of(Path file) {
    if (file.getFileSystem() != FileSystems.getDefault()) {
      return new FilePlace(file.getFileSystem().provider().getScheme() + ":", false);
    }
    return mounts().above(file);
  }

  /** Returns the place of a file whose name is not known. */
  static FilePlace of(FileChannel channel) {
    return new FilePlace("the open file " + channel, false);
  }

  private static Mounts mounts() {
    long now = NanoClock.SYSTEM.nanoTime();
    Known latest = known;
    if (latest.since == Long.MIN_VALUE || now - latest.since > MOUNTS_LAST_NANOS) {
      latest = new Known(Mounts.now(), now);
      known = latest;
    }
    return latest.mounts;
  }
}
