package io.verbena.rdma;

import io.verbena.link.LinkException;
import io.verbena.link.Secret;
import io.verbena.rdma.wire.RdmaOffer;
import io.verbena.testkit.UpgradeLinkProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.List;

/** Addresses of devices, for the link contract. */
final class RdmaOffers implements UpgradeLinkProvider.Offers {
  @Override
  public String scheme() {
    return "rdma";
  }

  @Override
  public URI address(byte[] offer) throws LinkException {
    InetSocketAddress first = RdmaOffer.decode(offer).candidates().getFirst();
    String host = first.getAddress().getHostAddress();
    return URI.create(
        "rdma://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + first.getPort());
  }

  @Override
  public byte[] strangers(URI address) throws LinkException {
    try {
      InetAddress host = InetAddress.getByName(address.getHost());
      Secret token = Secret.random(new SecureRandom());
      return new RdmaOffer(token, List.of(new InetSocketAddress(host, address.getPort()))).encode();
    } catch (UnknownHostException e) {
      throw new LinkException(address + ": " + e, e);
    }
  }
}
