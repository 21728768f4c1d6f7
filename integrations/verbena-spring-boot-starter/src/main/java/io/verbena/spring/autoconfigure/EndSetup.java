package io.verbena.spring.autoconfigure;

import io.verbena.api.ClientInterceptor;
import io.verbena.api.ServerInterceptor;
import io.verbena.api.SessionListener;
import io.verbena.api.settings.Checks;
import io.verbena.channel.Health;
import io.verbena.channel.HealthBoard;
import io.verbena.core.ClientAuthenticator;
import io.verbena.core.ConcurrencyLimit;
import io.verbena.core.EngineBuilder;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.spring.VerbenaClientCustomizer;
import io.verbena.spring.VerbenaProperties.Client;
import io.verbena.spring.VerbenaProperties.Concurrency;
import io.verbena.spring.VerbenaProperties.End;
import io.verbena.spring.VerbenaProperties.Server;
import io.verbena.spring.VerbenaServerCustomizer;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.util.unit.DataSize;

/** Configures an end by properties, then by beans, then by customizers. */
final class EndSetup {
  /** The name of the bean with the executor of handlers, which is optional. */
  static final String HANDLERS = "verbenaHandlers";

  private EndSetup() {}

  static void apply(Client set, ListableBeanFactory beans, VerbenaClient.Builder client) {
    PropertyMapper map = PropertyMapper.get();
    map.from(SpringTls.client(set.tls())).to(client::tls);
    map.from(set.token()).to(token -> client.token(() -> token));
    applyToEnd(set, beans, client);
    ordered(beans, VerbenaClientCustomizer.class).forEach(bean -> bean.customize(client));
  }

  static void apply(Server set, ListableBeanFactory beans, VerbenaServer.Builder server) {
    PropertyMapper map = PropertyMapper.get();
    server.drainTime(set.drainTime());
    map.from(set.maxSessions()).to(server::maxSessions);
    map.from(set.tellContracts()).to(server::tellContracts);
    map.from(SpringTls.server(set.tls())).to(server::tls);
    map.from(limit(set.concurrency())).to(server::concurrencyLimit);
    map.from(HttpGatewayOf.properties(set.http(), serving(beans))).to(server::gateway);
    applyToEnd(set, beans, server);
    ordered(beans, ClientAuthenticator.class).stream().findFirst().ifPresent(server::authenticator);
    ordered(beans, VerbenaServerCustomizer.class).forEach(bean -> bean.customize(server));
  }

  /** What the board says of the server as a whole. */
  private static BooleanSupplier serving(ListableBeanFactory beans) {
    ObjectProvider<HealthBoard> board = beans.getBeanProvider(HealthBoard.class);
    return () -> {
      HealthBoard known = board.getIfUnique();
      return known == null || known.check("") == Health.Status.SERVING;
    };
  }

  private static @Nullable ConcurrencyLimit limit(Concurrency set) {
    if (!set.enabled()) {
      return null;
    }
    ConcurrencyLimit known = ConcurrencyLimit.DEFAULT;
    ConcurrencyLimit limit =
        known
            .withBounds(or(set.least(), known.least()), or(set.most(), known.most()))
            .withShares(
                or(set.normalShare(), known.normalShare()),
                or(set.backgroundShare(), known.backgroundShare()))
            .withExempt(set.exempt().toArray(String[]::new));
    return limit.withInitial(or(set.initial(), limit.initial()));
  }

  static <T> T or(@Nullable T set, T known) {
    return set == null ? known : set;
  }

  /** Returns a size in bytes, for a setting of this name that is an int. */
  static int bytes(String setting, @Nullable DataSize set, int known) {
    return set == null ? known : (int) Checks.between(setting, set.toBytes(), 1, Integer.MAX_VALUE);
  }

  /** Applies the settings that both ends have, since each may make and serve calls. */
  private static void applyToEnd(End set, ListableBeanFactory beans, EngineBuilder<?> end) {
    PropertyMapper map = PropertyMapper.get();
    map.from(set.path()).to(end::path);
    map.from(set.connectTimeout()).to(end::connectTimeout);
    map.from(set.loops()).to(end::loops);
    map.from(set.compressFrom())
        .as(size -> bytes("compressFromBytes", size, 1))
        .to(end::compressFromBytes);
    map.from(set.allowPlaintextRdma()).whenTrue().toCall(end::allowPlaintextRdma);
    map.from(set.memory().slots()).as(DataSize::toBytes).to(end::slotMemoryBytes);
    map.from(set.memory().assembly()).as(DataSize::toBytes).to(end::maxAssemblyBytes);
    map.from(set.memory().replies()).as(DataSize::toBytes).to(end::maxReplyBytes);
    map.from(set.memory().bulk()).as(DataSize::toBytes).to(end::bulkMemoryBytes);
    beans.getBean(RdmaLinks.class).giveTo(end, set.path());
    end.limits(SessionLimitsOf.properties(set.limits()));
    ordered(beans, ClientInterceptor.class).forEach(end::clientInterceptor);
    ordered(beans, ServerInterceptor.class).forEach(end::serverInterceptor);
    ordered(beans, SessionListener.class).forEach(end::sessionListener);
    if (beans.containsBean(HANDLERS)) {
      end.handlers(beans.getBean(HANDLERS, Executor.class));
    }
  }

  static <T> List<T> ordered(ListableBeanFactory beans, Class<T> type) {
    return beans.getBeanProvider(type).orderedStream().toList();
  }
}
