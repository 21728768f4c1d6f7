package io.verbena.spring.autoconfigure;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.verbena.core.VerbenaClient;
import io.verbena.grpc.VerbenaChannelBuilder;
import io.verbena.spring.VerbenaProperties;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.grpc.client.ClientInterceptorsConfigurer;
import org.springframework.grpc.client.DefaultGrpcChannelFactory;

/** Makes channels of gRPC whose target begins with {@code verbena:}. */
final class SpringGrpcChannels extends DefaultGrpcChannelFactory<VerbenaChannelBuilder> {
  /** The name of its bean. */
  static final String BEAN = "verbenaGrpcChannels";

  private static final String CUSTOMIZERS = "grpcDefaultServicesChannelBuilderCustomizer";
  private static final String SCHEME = "verbena:";

  private final VerbenaProperties.Client settings;
  private final ConfigurableListableBeanFactory beans;

  SpringGrpcChannels(
      VerbenaProperties.Client settings,
      ClientInterceptorsConfigurer interceptors,
      ConfigurableListableBeanFactory beans) {
    super(
        List.of(
            (target, builder) ->
                BootCustomizers.apply(
                    beans,
                    CUSTOMIZERS,
                    new Class<?>[] {String.class, ManagedChannelBuilder.class},
                    target,
                    builder)),
        interceptors);
    this.settings = settings;
    this.beans = beans;
  }

  @Override
  public boolean supports(String target) {
    return targets.getTarget(target).startsWith(SCHEME);
  }

  /**
   * Without TLS of its own, a channel uses the application's client, as channels of contracts do.
   */
  @Override
  protected VerbenaChannelBuilder newChannelBuilder(String target, ChannelCredentials credentials) {
    VerbenaChannelBuilder builder = VerbenaChannelBuilder.forTarget(target, credentials);
    return credentials instanceof InsecureChannelCredentials
        ? builder.client(client())
        : builder.engine(own -> EndSetup.apply(settings, beans, own));
  }

  private VerbenaClient client() {
    for (String name : beans.getBeanNamesForType(VerbenaClient.class)) {
      beans.registerDependentBean(name, BEAN); // it is closed after the channels
    }
    return beans.getBean(VerbenaClient.class);
  }
}
