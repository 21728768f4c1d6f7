package io.verbena.channel.town;

import io.verbena.channel.Endpoint;
import io.verbena.channel.Resolver;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The results of a resolver, in order. */
public final class Heard implements Resolver.Listener {
  private final BlockingQueue<List<Endpoint>> found = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> failures = new LinkedBlockingQueue<>();
  private final Runnable whenFound;

  /**
   * Nothing yet.
   *
   * @param whenFound runs each time that endpoints are told
   */
  public Heard(Runnable whenFound) {
    this.whenFound = whenFound;
  }

  /** Returns the endpoints that were told. */
  public BlockingQueue<List<Endpoint>> found() {
    return found;
  }

  /** Returns the failures that were told. */
  public BlockingQueue<String> failures() {
    return failures;
  }

  @Override
  public void endpoints(List<Endpoint> all) {
    found.add(all);
    whenFound.run();
  }

  @Override
  public void failed(String reason) {
    failures.add(reason);
  }
}
