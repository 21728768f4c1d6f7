package io.verbena.rdma;

import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import org.jspecify.annotations.Nullable;

/** Hears of an attempt that must fail, once. */
final class FailureHeard implements LinkDriver.ConnectHandler {
  private @Nullable String message;

  @Override
  public LinkListener onConnected(Link link) {
    throw new AssertionError("a link was opened to " + link.peerAddress());
  }

  @Override
  public void onFailed(LinkException failure) {
    if (message != null) {
      throw new AssertionError("the outcome was told twice");
    }
    message = String.valueOf(failure.getMessage());
  }

  @Nullable String message() {
    return message;
  }
}
