package io.verbena.shm;

import io.verbena.link.LinkException;
import io.verbena.link.LinkProvider;
import io.verbena.link.Secret;
import io.verbena.link.runtime.NanoClock;
import io.verbena.testkit.LinkHarness;
import io.verbena.testkit.UpgradeLinkProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Shared-memory links between drivers of this process, in the system's own directory. */
final class ShmLinkHarness implements LinkHarness {
  private static final long NOBODYS = 0;

  private final ShmUpgradeProvider links;
  private final LinkProvider provider;
  private @Nullable Deaf deaf;

  ShmLinkHarness(ShmSettings settings) {
    links = new ShmUpgradeProvider(LinkFiles.SHM, settings, NanoClock.SYSTEM);
    provider = new UpgradeLinkProvider(new Offers(), links::newDriver, () -> {}, NanoClock.SYSTEM);
  }

  @Override
  public LinkProvider provider() {
    return provider;
  }

  @Override
  public URI freeAddress() {
    return URI.create("shm://any");
  }

  @Override
  public URI nobodyListens() {
    return address(NOBODYS);
  }

  @Override
  public URI nobodyAnswers() {
    try {
      deaf = new Deaf();
      return address(deaf.id);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static URI address(long id) {
    return URI.create(LinkFiles.address(new LinkFiles(LinkFiles.SHM).directory(id)));
  }

  @Override
  public byte[] overstated(byte[] advertisement) {
    ByteBuffer lie = ByteBuffer.wrap(advertisement.clone());
    return lie.putLong(Long.BYTES, 2 * lie.getLong(Long.BYTES)).array();
  }

  @Override
  public void close() {
    if (deaf != null) {
      deaf.close();
    }
    long mapped = links.figures().getOrDefault("shm mapped bytes", -1L);
    if (mapped != 0) {
      throw new AssertionError(mapped + " bytes are still mapped");
    }
  }

  /** Listens, and takes nobody. */
  private static final class Deaf {
    final long id = new SecureRandom().nextLong();
    private final Path directory;
    private final ServerSocketChannel server =
        ServerSocketChannel.open(StandardProtocolFamily.UNIX);

    Deaf() throws IOException {
      directory = new LinkFiles(LinkFiles.SHM).make(id);
      server.bind(UnixDomainSocketAddress.of(directory.resolve(LinkFiles.BELL)));
    }

    void close() {
      try {
        server.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      LinkFiles.remove(directory);
    }
  }

  private static final class Offers implements UpgradeLinkProvider.Offers {
    @Override
    public String scheme() {
      return "shm";
    }

    @Override
    public URI address(byte[] offer) throws LinkException {
      return ShmLinkHarness.address(ShmOffer.decode(offer).directory());
    }

    @Override
    public byte[] strangers(URI address) {
      String name = address.getHost();
      long id = HexFormat.fromHexDigitsToLong(name.substring(name.indexOf('-') + 1));
      return new ShmOffer(id, Secret.random(new SecureRandom()), 1 << 20).encode();
    }
  }
}
