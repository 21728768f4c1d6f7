package io.verbena.bench.soak;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.bench.usage.Held;
import io.verbena.bench.usage.ProcessMemory;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaServer;
import io.verbena.core.link.UpgradeProvider;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Serves {@link SoakService}, and takes the object when it is pushed. */
final class SoakServer implements AutoCloseable {
  private static final Duration LEASE = Duration.ofDays(1);

  private final VerbenaServer server;

  private SoakServer(VerbenaServer server) {
    this.server = server;
  }

  /**
   * Starts serving.
   *
   * @param upgrades better links; null: sessions stay on TCP
   */
  static SoakServer start(
      String address, Executions executions, @Nullable UpgradeProvider upgrades) {
    CompletableFuture<ObjectRef> object = new CompletableFuture<>();
    VerbenaServer.Builder builder =
        VerbenaServer.builder()
            .listen(address)
            .drainTime(Duration.ofMillis(100))
            .onSession(session -> session.objects().onPush(new Comparing()))
            .serve(SoakServiceRpc.bind(new Service(executions, object)));
    VerbenaServer server =
        (upgrades == null ? builder.path(PathPolicy.TCP_ONLY) : builder.upgrades(upgrades)).start();
    object.complete(server.publish(Source.of(SoakData.object()), LEASE).ref());
    return new SoakServer(server);
  }

  /** Returns where it listens, as {@code host:port}. */
  String address() {
    return server.address().getHost() + ":" + server.address().getPort();
  }

  @Override
  public void close() {
    server.close();
  }

  private record Service(Executions executions, CompletableFuture<ObjectRef> ref)
      implements SoakService {
    @Override
    public long enter(long number) {
      executions.executed(number);
      return number + 1;
    }

    @Override
    public long look(long number) {
      executions.executed(number);
      return number + 1;
    }

    @Override
    public void note(long number) {
      executions.executed(number);
    }

    @Override
    public byte[] echo(long number, byte[] value) {
      executions.executed(number);
      return value;
    }

    @Override
    public ObjectRef object() {
      return ref.join();
    }

    @Override
    public Held held() {
      return ProcessMemory.read();
    }
  }

  /** Ends this process when what arrives is not what was pushed: nobody else could tell. */
  private static final class Comparing implements PushHandler {
    private static final int ALTERED = 3;

    private final byte[] expected = SoakData.object();

    @Override
    public Landing offered(Offer offer) {
      return Landing.pooled(offer.length());
    }

    @Override
    public void received(Offer offer, Received received) {
      try (received) {
        byte[] bytes = received.memory().toArray(ValueLayout.JAVA_BYTE);
        SoakData.requireSame(expected, bytes, "a pushed object");
      } catch (SoakData.WrongAnswer e) {
        System.err.println(e.getMessage());
        Runtime.getRuntime().halt(ALTERED);
      }
    }
  }
}
