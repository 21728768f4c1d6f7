package io.verbena.channel.zookeeper;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.Set;
import java.util.stream.Stream;

/** Names of this machine, as an entry in its file of hosts would give them. */
public final class NamedHere extends InetAddressResolverProvider {
  private static final Set<String> NAMES =
      Set.of("store_1", "3f2a9c1b4d5e", "pod.0a", "xn--bcher-kva.example", "-x-");

  @Override
  public InetAddressResolver get(Configuration configuration) {
    InetAddressResolver system = configuration.builtinResolver();
    return new InetAddressResolver() {
      @Override
      public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
          throws UnknownHostException {
        return NAMES.contains(host)
            ? Stream.of(InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1}))
            : system.lookupByName(host, policy);
      }

      @Override
      public String lookupByAddress(byte[] address) throws UnknownHostException {
        return system.lookupByAddress(address);
      }
    };
  }

  @Override
  public String name() {
    return "names of these tests";
  }
}
