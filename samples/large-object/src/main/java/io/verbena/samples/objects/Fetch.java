package io.verbena.samples.objects;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.VerbenaClient;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** Fetches the file: {@code java ... Fetch HOST:7403 DIRECTORY}. */
public final class Fetch {
  private static final Duration REDRAW = Duration.ofMillis(100);

  private Fetch() {}

  /**
   * Fetches the file into a directory; returns its path there. The file appears when all of it has
   * arrived.
   */
  static Path fetch(Session session, Path directory, PrintStream out) throws InterruptedException {
    Share.SharedFile shared = ShareRpc.client(session).file();
    // The name comes from another host, so no directory is taken from it.
    Path target = directory.resolve(Path.of(shared.name()).getFileName());
    Transfer transfer =
        session
            .objects()
            .fetch(shared.object(), Landing.file(target), TransferOptions.DEFAULT.withChecksum());
    ProgressBar bar = new ProgressBar(out, shared.name());
    while (!isOver(transfer)) {
      bar.draw(transfer.progress());
    }
    bar.done(transfer.progress());
    return target;
  }

  private static boolean isOver(Transfer transfer) throws InterruptedException {
    try {
      transfer.get(REDRAW).close();
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  /** Fetches once. */
  public static void main(String[] args) throws InterruptedException {
    if (args.length != 2) {
      System.err.println("usage: Fetch HOST:PORT FILE");
      System.exit(2);
    }
    try (VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(args[0])) {
      System.out.println(fetch(session, Path.of(args[1]), System.out));
      System.out.println("path: " + session.path());
    }
  }
}
