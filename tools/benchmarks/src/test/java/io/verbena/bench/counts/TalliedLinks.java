package io.verbena.bench.counts;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.LinkProvider;
import java.net.URI;

/**
 * Links that are counted, of one end.
 *
 * @param woken told whenever the end's loop is woken from a wait
 */
record TalliedLinks(LinkProvider real, LinkTally tally, Runnable woken) implements LinkProvider {
  @Override
  public String scheme() {
    return real.scheme();
  }

  @Override
  public LinkDriver newDriver(Runnable wakeLoop) {
    return new Driver(real.newDriver(wakeLoop), tally, woken);
  }

  private record Driver(LinkDriver links, LinkTally tally, Runnable woken) implements LinkDriver {
    @Override
    public int poll() {
      return links.poll();
    }

    @Override
    public int await(long nanos) {
      return links.await(nanos);
    }

    @Override
    public void wakeup() {
      woken.run();
      links.wakeup();
    }

    @Override
    public void connect(URI address, LinkOptions options, ConnectHandler handler) {
      links.connect(address, options, TalliedLink.tallied(handler, tally));
    }

    @Override
    public Listening listen(URI address, LinkOptions options, AcceptHandler handler)
        throws LinkException {
      return links.listen(
          address, options, link -> handler.onAccepted(new TalliedLink(link, tally)));
    }

    @Override
    public void close() {
      links.close();
    }
  }
}
