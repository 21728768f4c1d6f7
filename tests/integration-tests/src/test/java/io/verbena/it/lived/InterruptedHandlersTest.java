package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that answers from one open file, to callers that lose patience as it answers. */
class InterruptedHandlersTest {
  /** Their opening takes longer than a cancellation is on its way. */
  private static final int PIECES = 20_000;

  private static final int CALLS = 3;

  /** The contract. */
  @RpcService(name = "vault.v1")
  interface Vault {
    @RpcMethod(id = 1)
    Received read(Landing into);
  }

  @Tag("long")
  @Test
  void closeNoChannelThatTheyAnswerFrom(@TempDir Path directory) throws Exception {
    Path path = Files.write(directory.resolve("file"), new byte[1]);
    BlockingQueue<Thread> answering = new LinkedBlockingQueue<>();
    try (FileChannel file = FileChannel.open(path)) {
      Source[] pieces = Collections.nCopies(PIECES, Source.file(file, 0, 1)).toArray(Source[]::new);
      Vault vault =
          into -> {
            answering.add(Thread.currentThread());
            return Received.from(Source.gathered(pieces));
          };
      try (VerbenaServer server =
              VerbenaServer.builder()
                  .listen("127.0.0.1:0")
                  .serve(InterruptedHandlersTest_VaultRpc.bind(vault))
                  .start();
          VerbenaClient client = VerbenaClient.builder().build()) {
        Session session = client.connect(server.address().toString());
        for (int i = 0; i < CALLS; i++) {
          CompletableFuture<Received> call =
              InterruptedHandlersTest_VaultRpc.async(session)
                  .read(Landing.pooled(PIECES))
                  .toCompletableFuture();
          Thread handler = answering.poll(60, TimeUnit.SECONDS);
          assertThat(handler).isNotNull();
          call.cancel(true);
          handler.join();
          assertThat(file.isOpen()).isTrue();
        }
      }
    }
  }
}
