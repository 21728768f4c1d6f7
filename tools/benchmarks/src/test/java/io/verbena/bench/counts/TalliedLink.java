package io.verbena.bench.counts;

import io.verbena.link.BulkPort;
import io.verbena.link.Link;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.LinkDriver.ConnectHandler;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A link whose frames and pieces of bulk are counted as they leave. */
final class TalliedLink implements Link {
  private final Link real;
  private final LinkTally tally;
  private final @Nullable BulkPort bulk;

  TalliedLink(Link real, LinkTally tally) {
    this.real = real;
    this.tally = tally;
    BulkPort port = real.bulk();
    this.bulk = port == null ? null : new TalliedBulk(port, tally);
  }

  /** Has the link of an attempt counted. */
  static ConnectHandler tallied(ConnectHandler handler, LinkTally tally) {
    return new ConnectHandler() {
      @Override
      public LinkListener onConnected(Link link) {
        return handler.onConnected(new TalliedLink(link, tally));
      }

      @Override
      public void onFailed(LinkException failure) {
        handler.onFailed(failure);
      }
    };
  }

  @Override
  public SendResult send(Slot slot) {
    int length = slot.length();
    SendResult result = real.send(slot);
    if (result == SendResult.SENT) {
      tally.frame(length);
    }
    return result;
  }

  @Override
  public @Nullable BulkPort bulk() {
    return bulk;
  }

  @Override
  public void listener(LinkListener next) {
    real.listener(next);
  }

  @Override
  public LinkCapabilities capabilities() {
    return real.capabilities();
  }

  @Override
  public String localAddress() {
    return real.localAddress();
  }

  @Override
  public String peerAddress() {
    return real.peerAddress();
  }

  @Override
  public List<X509Certificate> peerCertificates() {
    return real.peerCertificates();
  }

  @Override
  public void flush() {
    real.flush();
  }

  @Override
  public void setReceiving(boolean receiving) {
    real.setReceiving(receiving);
  }

  @Override
  public Map<String, Long> figures() {
    return real.figures();
  }

  @Override
  public void close() {
    real.close();
  }

  @Override
  public void abort(String reason) {
    real.abort(reason);
  }
}
