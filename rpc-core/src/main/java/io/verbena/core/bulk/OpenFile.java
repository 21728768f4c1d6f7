package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An open file that several slices share. */
public final class OpenFile {
  private static final int PAGE = 4096;

  private static final ThrottledLog UNTIDY =
      ThrottledLog.of(OpenSource.class, "sources that could not be closed");

  private final @Nullable Path path;
  private final String name;
  private final FileChannel channel;
  private final boolean owned;
  private final long sizeAtFirst;
  private final RunOn by;
  private final AtomicInteger users = new AtomicInteger(1);

  private OpenFile(@Nullable Path path, FileChannel channel, boolean owned) throws IOException {
    this.path = path;
    this.name = path == null ? "the file of its channel" : path.toString();
    this.channel = channel;
    this.owned = owned;
    this.sizeAtFirst = channel.size();
    this.by = RunOn.files(path == null ? FilePlace.of(channel) : FilePlace.of(path), name);
  }

  /** Opens a file; may block. */
  static OpenFile open(Path path) {
    return uninterrupted(() -> opened(path));
  }

  /** Runs without an interrupt of this thread, which would close each channel that it reads. */
  private static OpenFile uninterrupted(Supplier<OpenFile> opening) {
    boolean interrupted = Thread.interrupted();
    try {
      return opening.get();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static OpenFile opened(Path path) {
    try {
      requireRegular(path);
      FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
      try {
        // A directory can be opened, but not read. Files in /proc have bytes and the size 0.
        if (channel.read(ByteBuffer.allocate(1), 0) > 0 && channel.size() == 0) {
          throw new FileSystemException(
              path.toString(),
              null,
              "it has bytes, but the size 0: read it into memory, and send that");
        }
        return new OpenFile(path, channel, true);
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    } catch (FileSystemException e) {
      throw cannotOpen(path, e);
    } catch (IOException e) { // for a directory, the message does not name the file
      FileSystemException named = new FileSystemException(path.toString(), null, Thrown.reason(e));
      named.initCause(e);
      throw cannotOpen(path, named);
    }
  }

  /** Fails for a device, a pipe or a socket. To open a pipe would block until somebody writes. */
  private static void requireRegular(Path path) throws IOException {
    if (Files.readAttributes(path, BasicFileAttributes.class).isOther()) {
      throw new FileSystemException(
          path.toString(), null, "it is not a regular file: read it with Source.generator(…)");
    }
  }

  /** Returns an exception that names the file, so that only its name is sent to the caller. */
  private static UncheckedIOException cannotOpen(Path path, FileSystemException cause) {
    return new UncheckedIOException("cannot open " + path + ": " + cause, cause);
  }

  /** Returns a file that its user opened and closes. */
  static OpenFile lent(FileChannel channel) {
    return uninterrupted(() -> checked(channel));
  }

  private static OpenFile checked(FileChannel channel) {
    try {
      channel.read(ByteBuffer.allocate(0), 0); // fails here instead of in a link, which would end
    } catch (NonReadableChannelException e) {
      throw new IllegalArgumentException("a source's channel must be open for reading", e);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read from a source's channel: " + e, e);
    }
    if (!reads(channel, ByteBuffer.allocate(1))
        && reads(channel, ByteBuffer.allocateDirect(2 * PAGE).alignedSlice(PAGE).limit(PAGE))) {
      throw new IllegalArgumentException(
          "a source's channel must read ranges of any length: open it without direct I/O"
              + " (ExtendedOpenOption.DIRECT), which reads whole blocks only");
    }
    try {
      return new OpenFile(null, channel, false);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read from a source's channel: " + e, e);
    }
  }

  private static boolean reads(FileChannel channel, ByteBuffer into) {
    try {
      channel.read(into, 0);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the threads that read it. */
  RunOn by() {
    return by;
  }

  public FileChannel channel() {
    return channel;
  }

  public long size() throws TransferProblem {
    try {
      return channel.size();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  int read(ByteBuffer into, long position) throws TransferProblem {
    try {
      return channel.read(into, position);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private TransferProblem unreadable(IOException cause) {
    if (cause instanceof ClosedChannelException) {
      return new TransferProblem(
          RpcStatus.INVALID_ARGUMENT,
          "its channel was closed before the end of the transfer: close it later",
          cause);
    }
    return hidden(
        new TransferProblem(RpcStatus.INTERNAL, "cannot read " + name + ": " + cause, cause));
  }

  private TransferProblem hidden(TransferProblem problem) {
    return path == null ? problem : problem.hiding(path);
  }

  OpenFile share() {
    users.incrementAndGet();
    return this;
  }

  /** Returns the failure when the file has no byte at a position. */
  public TransferProblem endsBefore(long position) throws TransferProblem {
    long size = size();
    String where;
    if (size > position) {
      where = "ends before its size of %d: read it into memory, and send that".formatted(size);
    } else if (sizeAtFirst > position) {
      where = "ends at %d: it became shorter during the transfer".formatted(size);
    } else {
      where = "ends at %d: its source has a range beyond that".formatted(size);
    }
    return hidden(new TransferProblem(RpcStatus.INVALID_ARGUMENT, name + " " + where));
  }

  void close() {
    if (users.decrementAndGet() == 0 && owned) {
      try {
        channel.close();
      } catch (IOException e) {
        UNTIDY.warn("Cannot close {}", name, e); // nothing is lost: it was only read
      }
    }
  }
}
