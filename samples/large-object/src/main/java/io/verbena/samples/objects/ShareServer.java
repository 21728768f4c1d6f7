package io.verbena.samples.objects;

import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.core.VerbenaServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Shares one file: {@code java ... ShareServer 7403 FILE}. */
public final class ShareServer implements AutoCloseable {
  /** The time that the file stays published while no client fetches it. */
  private static final Duration LEASE = Duration.ofDays(1);

  private final VerbenaServer server;
  private final Published published;

  private ShareServer(VerbenaServer server, Published published) {
    this.server = server;
    this.published = published;
  }

  static ShareServer start(VerbenaServer.Builder builder, Path file) throws IOException {
    CompletableFuture<Share.SharedFile> shared = new CompletableFuture<>();
    VerbenaServer server = builder.serve(ShareRpc.bind(shared::join)).start();
    Published published = server.publish(Source.file(file), LEASE);
    shared.complete(new Share.SharedFile(file.getFileName().toString(), published.ref()));
    return new ShareServer(server, published);
  }

  String address() {
    return server.address().toString();
  }

  /** Ends the publication. Fetches under way continue; no new one can begin. */
  void stopSharing() {
    published.close();
  }

  @Override
  public void close() {
    stopSharing();
    server.close();
  }

  /** Serves until the process is ended. */
  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length != 2) {
      System.err.println("usage: ShareServer PORT FILE");
      System.exit(2);
    }
    VerbenaServer.Builder builder = VerbenaServer.builder().listen("0.0.0.0:" + args[0]);
    try (ShareServer share = start(builder, Path.of(args[1]))) {
      System.out.println(args[1] + " at " + share.address());
      share.server.awaitClose();
    }
  }
}
