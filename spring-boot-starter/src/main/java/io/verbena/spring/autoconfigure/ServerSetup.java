package io.verbena.spring.autoconfigure;

import io.verbena.core.ClientAuthenticator;
import io.verbena.core.VerbenaServer;
import io.verbena.spring.VerbenaProperties.Memory;
import io.verbena.spring.VerbenaProperties.Server;
import io.verbena.spring.VerbenaServerCustomizer;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.util.unit.DataSize;

/** Sets a server up by properties, then by beans, then by customizers. */
final class ServerSetup {
  private ServerSetup() {}

  static VerbenaServer.Builder of(Server set, ListableBeanFactory beans) {
    VerbenaServer.Builder server = VerbenaServer.builder().listen(set.listen());
    PropertyMapper map = PropertyMapper.get();
    map.from(set.drainTime()).to(server::drainTime);
    map.from(set.maxSessions()).to(server::maxSessions);
    map.from(set.path()).to(server::path);
    map.from(set.connectTimeout()).to(server::connectTimeout);
    map.from(set.loops()).to(server::loops);
    map.from(Tls.server(set.tls())).to(server::tls);
    if (set.allowPlaintextRdma()) {
      server.allowPlaintextRdma();
    }
    server.limits(SessionLimitsOf.properties(set.limits()));
    memory(set.memory(), server);
    ends(EndBeans.of(beans), server);
    EndBeans.ordered(beans, ClientAuthenticator.class).stream()
        .findFirst()
        .ifPresent(server::authenticator);
    EndBeans.ordered(beans, VerbenaServerCustomizer.class).forEach(bean -> bean.customize(server));
    return server;
  }

  private static void memory(Memory set, VerbenaServer.Builder server) {
    PropertyMapper map = PropertyMapper.get();
    map.from(set.slots()).as(DataSize::toBytes).to(server::slotMemoryBytes);
    map.from(set.assembly()).as(DataSize::toBytes).to(server::maxAssemblyBytes);
    map.from(set.replies()).as(DataSize::toBytes).to(server::maxReplyBytes);
    map.from(set.bulk()).as(DataSize::toBytes).to(server::bulkMemoryBytes);
  }

  private static void ends(EndBeans beans, VerbenaServer.Builder server) {
    beans.serverInterceptors().forEach(server::serverInterceptor);
    beans.clientInterceptors().forEach(server::clientInterceptor);
    beans.listeners().forEach(server::sessionListener);
    PropertyMapper.get().from(beans.handlers()).to(server::handlers);
  }
}
