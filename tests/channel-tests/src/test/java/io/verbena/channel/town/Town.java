package io.verbena.channel.town;

import static org.awaitility.Awaitility.await;

import io.verbena.channel.BalancedChannel;
import io.verbena.channel.ChannelStat;
import io.verbena.channel.Endpoint;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Shops of one service, and who calls them. */
public class Town implements AutoCloseable {
  private final VerbenaClient client = VerbenaClient.builder().build();
  private final BalancedChannel channel;
  private final Set<VerbenaServer> servers = new HashSet<>();
  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Future<?>> calling = new ArrayList<>();
  private final AtomicInteger calls = new AtomicInteger();
  private volatile boolean enough;

  /** Has a channel of this kind call them. */
  public Town(Function<VerbenaClient, BalancedChannel.Builder> builder) {
    channel = builder.apply(client).build();
  }

  /** Returns the client whose channel it is. */
  public final VerbenaClient client() {
    return client;
  }

  /** Starts a server that nothing but the caller knows of. */
  public final VerbenaServer server(String name) {
    VerbenaServer server =
        VerbenaServer.builder().listen("127.0.0.1:0").serve(ShopRpc.bind(text -> name)).start();
    servers.add(server);
    return server;
  }

  /** Returns where a channel finds it. */
  public static String address(VerbenaServer server) {
    return server.address().getAuthority();
  }

  /** Returns a stub by the channel. */
  public final Shop shop() {
    return ShopRpc.client(channel);
  }

  /** Returns what the channel knows. */
  public final List<Endpoint> endpoints() {
    return channel.stat().endpoints().stream().map(ChannelStat.EndpointStat::endpoint).toList();
  }

  /** Returns where that is. */
  public final List<String> addresses() {
    return endpoints().stream().map(Endpoint::address).toList();
  }

  /** Waits until the channel knows these and no others. */
  public final void awaitKnown(VerbenaServer... known) {
    Set<String> wanted = new HashSet<>();
    for (VerbenaServer server : known) {
      wanted.add(address(server));
    }
    await().until(() -> Set.copyOf(addresses()).equals(wanted));
  }

  /** Begins to call, again and again. */
  public final void call() {
    for (int i = 0; i < 2; i++) {
      calling.add(
          callers.submit(
              () -> {
                while (!enough) {
                  shop().who("call " + calls.incrementAndGet());
                }
              }));
    }
    awaitCalls();
  }

  /** Waits for a hundred more calls. */
  public final void awaitCalls() {
    int before = calls.get();
    await().until(() -> calls.get() >= before + 100 || calling.stream().anyMatch(Future::isDone));
  }

  /** Calls no more; fails if a call did. */
  public final void stopCalling() throws ExecutionException, InterruptedException {
    enough = true;
    for (Future<?> caller : calling) {
      caller.get();
    }
  }

  @Override
  public final void close() {
    enough = true;
    servers.forEach(VerbenaServer::close);
    channel.close();
    callers.close();
    client.close();
  }
}
