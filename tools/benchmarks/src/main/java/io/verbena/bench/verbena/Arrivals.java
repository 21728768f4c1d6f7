package io.verbena.bench.verbena;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.bench.load.Scratch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Receives the objects that clients push, into pooled memory or a file, and releases them at once.
 * Safe for use by any thread.
 */
final class Arrivals implements PushHandler, AutoCloseable {
  private static final String IN_MEMORY = "memory";
  private static final String IN_FILE = "file ";

  private final ExecutorService deleting = Executors.newVirtualThreadPerTaskExecutor();
  private @Nullable Path folder;

  /** Returns the name of an object, by which a client chooses memory or a file. */
  static String name(boolean toFile, long number) {
    return toFile ? IN_FILE + number : IN_MEMORY;
  }

  @Override
  public boolean nonBlocking() {
    return true;
  }

  @Override
  public @Nullable Landing offered(Offer offer) {
    if (offer.name().equals(IN_MEMORY)) {
      return Landing.pooled(offer.length());
    }
    try {
      return Landing.file(file(offer)).withoutSync(); // like the rivals
    } catch (IOException | NumberFormatException e) {
      return null;
    }
  }

  /** Returns a file for the number at the end of the name. The rest comes from a peer, unused. */
  private Path file(Offer offer) throws IOException {
    long number = Long.parseLong(offer.name().substring(IN_FILE.length()));
    return folder().resolve("object-" + number);
  }

  private synchronized Path folder() throws IOException {
    Path known = folder;
    if (known == null) {
      known = Scratch.folder();
      folder = known;
    }
    return known;
  }

  @Override
  public void received(Offer offer, Received received) {
    received.close();
    if (!offer.name().equals(IN_MEMORY)) {
      deleting.submit(() -> Files.deleteIfExists(file(offer)));
    }
  }

  /** Waits until the received files are deleted. */
  @Override
  public void close() {
    deleting.close();
    deleteFolder();
  }

  private synchronized void deleteFolder() {
    try {
      if (folder != null) {
        Files.deleteIfExists(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
