package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file that appears when it is whole: until then its bytes are in one beside it. */
final class FileSink implements Sink {
  private static final Logger LOG = LoggerFactory.getLogger(FileSink.class);

  private final Path path;
  private final Path part;
  private @Nullable FileChannel channel;

  FileSink(Path path) {
    this.path = path.toAbsolutePath();
    this.part = this.path.resolveSibling(this.path.getFileName() + ".part");
  }

  @Override
  public void begin(long length) throws IOException, TransferProblem {
    try {
      channel = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    } catch (FileAlreadyExistsException e) {
      throw new TransferProblem(
          RpcStatus.INVALID_ARGUMENT,
          part + " exists: another transfer goes there, or one was cut short; delete it then");
    }
  }

  @Override
  public void store(MemorySegment bytes, long offset) throws IOException, TransferProblem {
    FileChannel open = channel;
    if (open == null) {
      throw new IllegalStateException(part + " is not open");
    }
    ByteBuffer buffer = bytes.asByteBuffer();
    try {
      while (buffer.hasRemaining()) {
        open.write(buffer, offset + buffer.position());
      }
    } catch (IOException e) {
      throw new TransferProblem(
          RpcStatus.RESOURCE_EXHAUSTED, "cannot write " + part + ": " + e.getMessage());
    }
  }

  @Override
  public void finish() throws IOException {
    FileChannel open = channel;
    if (open != null) {
      open.close();
    }
    Files.move(part, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void discard() {
    FileChannel open = channel;
    if (open == null) {
      return;
    }
    try {
      open.close();
      Files.deleteIfExists(part);
    } catch (IOException e) {
      LOG.warn("{} is left behind: delete it", part, e);
    }
  }
}
