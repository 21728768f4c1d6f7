package io.verbena.spring.autoconfigure;

import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import io.verbena.spring.VerbenaChannelCustomizer;
import io.verbena.spring.VerbenaChannels;
import io.verbena.spring.VerbenaProperties;
import io.verbena.spring.VerbenaProperties.Remote;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Makes each client's channel at its first use. Safe for use by any thread. */
final class SpringChannels implements VerbenaChannels, SmartInitializingSingleton, DisposableBean {
  /** The name of its bean. */
  static final String BEAN = "verbenaChannels";

  private static final Logger LOG = LoggerFactory.getLogger(SpringChannels.class);

  private final VerbenaClient client;
  private final VerbenaProperties properties;
  private final List<VerbenaChannelCustomizer> customizers;
  private final List<ChannelObserver> observers;
  private final BeanFactory beans;
  private final Map<String, BalancedChannel> channels = new LinkedHashMap<>();
  private boolean closed;

  SpringChannels(
      VerbenaClient client,
      VerbenaProperties properties,
      List<VerbenaChannelCustomizer> customizers,
      List<ChannelObserver> observers,
      BeanFactory beans) {
    this.client = client;
    this.properties = properties;
    this.customizers = customizers;
    this.observers = observers;
    this.beans = beans;
  }

  @Override
  public synchronized BalancedChannel channel(String name) {
    if (closed) {
      throw new VerbenaStartException(
          "There is no channel '" + name + "' any more: the application has stopped",
          "Get it before.");
    }
    BalancedChannel known = channels.get(name);
    if (known == null) {
      BalancedChannel made = made(name);
      channels.put(name, made);
      observers.forEach(observer -> observer.made(name, made));
      return made;
    }
    return known;
  }

  @Override
  public synchronized Map<String, BalancedChannel> all() {
    return new LinkedHashMap<>(channels);
  }

  /**
   * Warns of a name that is spelled in two ways: its properties have no effect, and no other check
   * finds that.
   */
  @Override
  public void afterSingletonsInstantiated() {
    Set<String> made = all().keySet();
    Set<String> unused = new TreeSet<>(properties.clients().keySet());
    unused.removeAll(made);
    if (!unused.isEmpty()) {
      LOG.warn(
          "No stub asks for verbena.clients.{}; injected stubs use {}."
              + " Use the same name in both places, unless the channel is used later",
          String.join(", verbena.clients.", unused),
          made);
    }
  }

  /**
   * Connects at once to servers that could not be reached. The application has been stopped or
   * paused, as contexts of tests are, and with it servers that its stubs call.
   */
  void resumed() {
    all().values().forEach(BalancedChannel::resetConnectBackoff);
  }

  /** Returns a blocking or async stub of a client's contract. */
  Object stub(String name, Class<?> type) {
    Contract.Stubs stubs = Contract.stubs(type);
    return stubs.over(channel(name), options(name).calls());
  }

  private ChannelOptions options(String name) {
    return new ChannelOptions(properties.clients().get(name), properties.client(), beans);
  }

  private BalancedChannel made(String name) {
    if (name.isBlank()) {
      throw new VerbenaStartException(
          "A stub's client has no name",
          "Name the client, such as @VerbenaStub(\"stock\"): its properties are"
              + " verbena.clients.stock.*.");
    }
    String target = target(name);
    try {
      BalancedChannel.Builder channel = new Target(target).channel(client);
      options(name).apply(channel);
      customizers.forEach(customizer -> customizer.customize(name, channel));
      return channel.build();
    } catch (IllegalArgumentException e) {
      throw new VerbenaStartException(
          "The channel of client '%s' cannot be made, with servers at '%s': %s"
              .formatted(name, target, e.getMessage()),
          "Set verbena.clients.%1$s.target to host:port, or to a target of a channel such as dns:///name:port; or correct the error above."
              .formatted(name),
          e);
    }
  }

  private String target(String name) {
    Remote own = properties.clients().get(name);
    @Nullable String set = own == null ? null : own.target();
    return set == null || set.isBlank() ? "verbena:///" + name : set.strip();
  }

  /** Ends every session. The client is closed after this. */
  @Override
  public void destroy() {
    Map<String, BalancedChannel> all;
    synchronized (this) {
      closed = true;
      all = all();
    }
    all.values().forEach(BalancedChannel::close);
  }
}
