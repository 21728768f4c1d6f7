package io.verbena.spring.autoconfigure;

import io.verbena.core.VerbenaClient;
import io.verbena.spring.VerbenaClientCustomizer;
import io.verbena.spring.VerbenaProperties.Client;
import io.verbena.spring.VerbenaProperties.Memory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.util.unit.DataSize;

/** Sets a client up by properties, then by beans, then by customizers. */
final class ClientSetup {
  private ClientSetup() {}

  static VerbenaClient.Builder of(Client set, ListableBeanFactory beans) {
    VerbenaClient.Builder client = VerbenaClient.builder();
    PropertyMapper map = PropertyMapper.get();
    map.from(set.path()).to(client::path);
    map.from(set.connectTimeout()).to(client::connectTimeout);
    map.from(set.loops()).to(client::loops);
    map.from(Tls.client(set.tls())).to(client::tls);
    map.from(set.token()).to(token -> client.token(() -> token));
    if (set.allowPlaintextRdma()) {
      client.allowPlaintextRdma();
    }
    client.limits(SessionLimitsOf.properties(set.limits()));
    memory(set.memory(), client);
    ends(EndBeans.of(beans), client);
    EndBeans.ordered(beans, VerbenaClientCustomizer.class).forEach(bean -> bean.customize(client));
    return client;
  }

  private static void memory(Memory set, VerbenaClient.Builder client) {
    PropertyMapper map = PropertyMapper.get();
    map.from(set.slots()).as(DataSize::toBytes).to(client::slotMemoryBytes);
    map.from(set.assembly()).as(DataSize::toBytes).to(client::maxAssemblyBytes);
    map.from(set.replies()).as(DataSize::toBytes).to(client::maxReplyBytes);
    map.from(set.bulk()).as(DataSize::toBytes).to(client::bulkMemoryBytes);
  }

  private static void ends(EndBeans beans, VerbenaClient.Builder client) {
    beans.clientInterceptors().forEach(client::clientInterceptor);
    beans.serverInterceptors().forEach(client::serverInterceptor);
    beans.listeners().forEach(client::sessionListener);
    PropertyMapper.get().from(beans.handlers()).to(client::handlers);
  }
}
