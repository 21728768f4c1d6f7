package io.verbena.cli.calibrate;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.cost.Costs;
import io.verbena.core.bulk.cost.CutOffs;
import io.verbena.core.link.UpgradeProvider;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server and its clients in this process, over one kind of path. */
public final class Calibration {
  static final String RDMA = "rdma";

  private static final String ANY_PORT = "127.0.0.1:0";
  private static final Duration LONGEST = Duration.ofSeconds(30);
  private static final long NEVER = Long.MAX_VALUE;
  private static final long ALWAYS = 1;

  private final String name;
  private final String address;
  private final PathPolicy policy;
  private final Duration warmUp;

  /** Null for what is on the class path. */
  private final @Nullable UpgradeProvider links;

  private Calibration(
      String name,
      String address,
      PathPolicy policy,
      @Nullable UpgradeProvider links,
      Duration warmUp) {
    this.name = name;
    this.address = address;
    this.policy = policy;
    this.links = links;
    this.warmUp = warmUp;
  }

  /**
   * In memory.
   *
   * @param warmUp how long calls are made before anything is measured
   */
  public static Calibration memory(Duration warmUp) {
    return new Calibration("mem", "mem://calibrate", PathPolicy.TCP_ONLY, null, warmUp);
  }

  /** Over TCP on this host; see {@link #memory}. */
  public static Calibration tcp(Duration warmUp) {
    return new Calibration("tcp", ANY_PORT, PathPolicy.TCP_ONLY, null, warmUp);
  }

  /** Over RDMA on this host; see {@link #memory}. */
  public static Calibration rdma(Duration warmUp) {
    return new Calibration(RDMA, ANY_PORT, PathPolicy.REQUIRE_RDMA, null, warmUp);
  }

  /** Over RDMA, on the links that both ends get from a provider; see {@link #memory}. */
  static Calibration rdma(UpgradeProvider links, Duration warmUp) {
    return new Calibration(RDMA, ANY_PORT, PathPolicy.REQUIRE_RDMA, links, warmUp);
  }

  /**
   * Measures, and makes calls on either side of each cut-off.
   *
   * @param lengths of the calls' values, for each of which calls are made either way for half as
   *     long as before; none for no such calls
   */
  public Reading read(List<Integer> lengths) throws Exception {
    try (VerbenaServer server = server();
        VerbenaClient client = client(NEVER, NEVER);
        VerbenaClient besideClient = client(ALWAYS, NEVER)) {
      String at = server.address().toString();
      Session session = client.connect(at);
      Scales inMessage = ScalesRpc.client(session);
      Scales beside = ScalesRpc.client(besideClient.connect(at));
      Trials trials = new Trials(lengths, warmUp.dividedBy(2));
      Trials.warmUp(inMessage, beside, warmUp);
      Costs costs = measured(client, session);
      return new Reading(
          name + detail(session),
          null,
          costs,
          CutOffs.of(costs),
          trials.of(Trials.Call.array(inMessage), Trials.Call.array(beside)),
          name.equals(RDMA) ? inPlace(trials, at, beside) : List.of());
    } catch (RpcException e) {
      return Reading.absent(name, String.valueOf(e.getMessage()));
    }
  }

  private List<Reading.Trial> inPlace(Trials trials, String at, Scales pooled) {
    try (VerbenaClient client = client(ALWAYS, ALWAYS)) {
      Scales pinned = ScalesRpc.client(client.connect(at));
      return trials.of(Trials.Call.segment(pooled), Trials.Call.segment(pinned));
    }
  }

  private VerbenaServer server() throws IOException {
    VerbenaServer.Builder server =
        VerbenaServer.builder()
            .listen(address)
            .path(policy)
            .serve(ScalesRpc.bind(new Scales.True()));
    return (links == null ? server : server.upgrades(links)).start();
  }

  private VerbenaClient client(long partCutOff, long pinCutOff) {
    VerbenaClient.Builder client =
        VerbenaClient.builder().path(policy).partCutOffBytes(partCutOff).pinCutOffBytes(pinCutOff);
    return (links == null ? client : client.upgrades(links)).build();
  }

  private static Costs measured(VerbenaClient client, Session session) throws Exception {
    return client.measure(session).toCompletableFuture().get(LONGEST.toSeconds(), TimeUnit.SECONDS);
  }

  private static String detail(Session session) {
    String detail = session.path().reason();
    return session.path().link().equals(RDMA) ? " (" + detail + ")" : "";
  }
}
