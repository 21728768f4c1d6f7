package io.verbena.spark;

import static org.awaitility.Awaitility.await;

import io.verbena.api.bulk.Landing;
import io.verbena.spark.ShuffleBlocks.Wanted;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.jspecify.annotations.Nullable;

/**
 * Lets the tasks of two executors wait until the session to the other one has the path of {@code
 * verbena.upgrade}. Blocks would not wait for it, and those of a short test all come before.
 */
public final class UpgradedFirst implements SparkPlugin {
  @Override
  public @Nullable DriverPlugin driverPlugin() {
    return null;
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new Member();
  }

  private static final class Member implements ExecutorPlugin {
    private final String path = System.getProperty("verbena.upgrade", "none");
    private String other = "";

    @Override
    public void init(PluginContext context, Map<String, String> extra) {
      other = context.executorID().equals("0") ? "1" : "0";
    }

    @Override
    public void onTaskStart() {
      ShuffleExchange exchange = ShuffleExchange.current();
      if (exchange == null || path.equals("none")) {
        return;
      }
      ShuffleExchange.Peer peer = exchange.peer(other);
      if (peer == null || peer.session().path().link().equals(path)) {
        return; // an executor that is not known yet has no blocks
      }
      // A call that is refused opens the session, too.
      peer.blocks().fetch(new Wanted("", other, List.of()), Landing.pooled(1));
      await()
          .pollInterval(Duration.ofMillis(1))
          .atMost(Duration.ofMinutes(1))
          .until(() -> peer.session().path().link().equals(path));
    }
  }
}
