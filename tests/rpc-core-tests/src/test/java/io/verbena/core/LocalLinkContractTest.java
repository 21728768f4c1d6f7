package io.verbena.core;

import static java.util.Objects.requireNonNull;

import io.verbena.core.loop.EventLoop;
import io.verbena.link.Link;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.LinkProvider;
import io.verbena.link.runtime.NanoClock;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.LinkContract;
import io.verbena.testkit.LinkHarness;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("A link within a loop")
final class LocalLinkContractTest extends LinkContract {
  @Override
  protected LinkHarness newHarness() {
    return new Harness();
  }

  /** Nobody opens such links by their addresses: that is done here, and the suite leaves it out. */
  private static final class Harness implements LinkHarness, LinkProvider {
    private static final URI ADDRESS = URI.create("local://server");

    private final EventLoop loop = new EventLoop("test", NanoClock.SYSTEM, new InMemoryNetwork());
    private final Map<URI, LinkDriver.AcceptHandler> listening = new HashMap<>();
    private int clients;

    /** One of two that step the same loop. */
    private final class Driver implements LinkDriver {
      private final List<Link> links = new ArrayList<>();

      @Override
      public int poll() {
        return loop.doWork();
      }

      @Override
      public int await(long nanos) {
        return poll();
      }

      @Override
      public void wakeup() {}

      @Override
      public void connect(URI address, LinkOptions options, ConnectHandler handler) {
        LocalLink.open(
            loop,
            new LinkCapabilities("local", "", options.maxFrameBytes(), false),
            address.toString(),
            new LocalLink.Remote("local://client" + ++clients, List.of()),
            new ConnectHandler() {
              @Override
              public LinkListener onConnected(Link link) {
                links.add(link);
                return handler.onConnected(link);
              }

              @Override
              public void onFailed(LinkException failure) {
                handler.onFailed(failure);
              }
            },
            requireNonNull(listening.get(address)));
      }

      @Override
      public Listening listen(URI address, LinkOptions options, AcceptHandler handler) {
        listening.put(
            address,
            link -> {
              links.add(link);
              return handler.onAccepted(link);
            });
        return new Listening() {
          @Override
          public URI address() {
            return address;
          }

          @Override
          public void close() {
            listening.remove(address);
          }
        };
      }

      @Override
      public void close() {
        links.forEach(Link::close);
      }
    }

    @Override
    public LinkProvider provider() {
      return this;
    }

    @Override
    public String scheme() {
      return "local";
    }

    @Override
    public LinkDriver newDriver(Runnable wakeLoop) {
      return new Driver();
    }

    @Override
    public boolean hasLoopForEachEnd() {
      return false;
    }

    /** A frame is copied, and its delivery is a command of the loop. */
    @Override
    public int allocatedBytesPerRoundTrip() {
      return 400;
    }

    @Override
    public URI freeAddress() {
      return ADDRESS;
    }

    @Override
    public URI nobodyListens() {
      return URI.create("local://nobody");
    }

    @Override
    public URI nobodyAnswers() {
      return URI.create("local://silent");
    }

    @Override
    public void close() {}
  }
}
