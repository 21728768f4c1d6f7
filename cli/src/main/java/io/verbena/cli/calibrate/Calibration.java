package io.verbena.cli.calibrate;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.Costs;
import io.verbena.core.bulk.CutOffs;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server and its clients in this process, over one kind of path. */
public final class Calibration {
  static final String RDMA = "rdma";

  private static final String ANY_PORT = "127.0.0.1:0";
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private final String name;
  private final String address;
  private final PathPolicy policy;
  private final Duration warmUp;

  private Calibration(String name, String address, PathPolicy policy, Duration warmUp) {
    this.name = name;
    this.address = address;
    this.policy = policy;
    this.warmUp = warmUp;
  }

  /**
   * In memory.
   *
   * @param warmUp how long calls are made before anything is measured
   */
  public static Calibration memory(Duration warmUp) {
    return new Calibration("mem", "mem://calibrate", PathPolicy.TCP_ONLY, warmUp);
  }

  /** Over TCP on this host; see {@link #memory}. */
  public static Calibration tcp(Duration warmUp) {
    return new Calibration("tcp", ANY_PORT, PathPolicy.TCP_ONLY, warmUp);
  }

  /** Over RDMA on this host; see {@link #memory}. */
  public static Calibration rdma(Duration warmUp) {
    return new Calibration(RDMA, ANY_PORT, PathPolicy.REQUIRE_RDMA, warmUp);
  }

  /**
   * Measures; where asked for, makes calls either way too, each length either way for half as long
   * as calls were made before.
   */
  public Reading read(boolean trials) throws Exception {
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen(address)
                .path(policy)
                .serve(ScalesRpc.bind(load -> load.length))
                .start();
        VerbenaClient client = client(Long.MAX_VALUE);
        VerbenaClient besideClient = client(1)) {
      String at = server.address().toString();
      Session session = client.connect(at);
      Scales inMessage = ScalesRpc.client(session);
      Scales beside = ScalesRpc.client(besideClient.connect(at));
      Trials.warmUp(inMessage, beside, warmUp);
      Costs costs = measured(client, session);
      String path = name + detail(session);
      List<Reading.Trial> made =
          trials ? Trials.of(inMessage, beside, warmUp.dividedBy(2)) : List.of();
      return new Reading(path, null, costs, CutOffs.of(costs), made);
    } catch (RpcException e) {
      return Reading.absent(name, String.valueOf(e.getMessage()));
    }
  }

  private VerbenaClient client(long cutOff) {
    return VerbenaClient.builder().path(policy).partCutOffBytes(cutOff).build();
  }

  private static Costs measured(VerbenaClient client, Session session) throws Exception {
    return client.measure(session).toCompletableFuture().get(LONGEST.toSeconds(), TimeUnit.SECONDS);
  }

  private static String detail(Session session) {
    String detail = session.path().reason();
    return session.path().link().equals(RDMA) ? " (" + detail + ")" : "";
  }
}
