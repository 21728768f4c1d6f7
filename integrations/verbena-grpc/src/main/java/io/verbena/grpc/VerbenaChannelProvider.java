package io.verbena.grpc;

import io.grpc.ChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelProvider;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.List;

/**
 * Lets {@code Grpc.newChannelBuilder} build channels for {@code verbena:} targets, by service
 * loader. With the system property {@code verbena.grpc.forTarget=true} it comes before other
 * transports, so that {@code ManagedChannelBuilder.forTarget} builds such channels, too.
 */
public final class VerbenaChannelProvider extends ManagedChannelProvider {
  private static final String FIRST = "verbena.grpc.forTarget";
  private static final int BEFORE_OTHERS = 9;
  private static final int AFTER_OTHERS = 2;

  /** Makes the provider. The service loader calls it. */
  public VerbenaChannelProvider() {}

  @Override
  protected boolean isAvailable() {
    return true;
  }

  @Override
  protected int priority() {
    return Boolean.getBoolean(FIRST) ? BEFORE_OTHERS : AFTER_OTHERS;
  }

  @Override
  protected ManagedChannelBuilder<?> builderForAddress(String name, int port) {
    return VerbenaChannelBuilder.forAddress(name, port);
  }

  @Override
  protected ManagedChannelBuilder<?> builderForTarget(String target) {
    return VerbenaChannelBuilder.forTarget(target);
  }

  @Override
  protected NewChannelBuilderResult newChannelBuilder(
      String target, ChannelCredentials credentials) {
    try {
      return NewChannelBuilderResult.channelBuilder(
          VerbenaChannelBuilder.forTarget(target, credentials));
    } catch (IllegalArgumentException | IllegalStateException e) {
      return NewChannelBuilderResult.error(String.valueOf(e.getMessage()));
    }
  }

  @Override
  protected Collection<Class<? extends SocketAddress>> getSupportedSocketAddressTypes() {
    return List.of(VerbenaAddress.class);
  }
}
