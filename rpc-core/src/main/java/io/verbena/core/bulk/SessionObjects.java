package io.verbena.core.bulk;

import io.verbena.api.bulk.BulkObjects;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.loop.EventLoop;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A session's large objects as its user sees them. Safe for use by any thread. */
public final class SessionObjects implements BulkObjects {
  private static final int LONGEST_NAME = 1000;

  private final BulkHost host;
  private final Transfers transfers;

  /** The objects of the session that has these transfers. */
  public SessionObjects(BulkHost host, Transfers transfers) {
    this.host = host;
    this.transfers = transfers;
  }

  private EventLoop loop() {
    return host.loop();
  }

  @Override
  public Published publish(Source source, Duration lease) {
    return host.bulkContext().publish(loop(), source, lease);
  }

  @Override
  public Transfer fetch(
      ObjectRef ref, long offset, long length, Landing into, TransferOptions options) {
    if (offset < 0 || length < 0 || length > ref.length() - offset) {
      throw new IllegalArgumentException(ref + " has no range of " + length + " from " + offset);
    }
    if (length > into.capacity()) {
      throw new IllegalArgumentException(
          ref + ": " + length + " bytes do not fit a landing of " + into.capacity());
    }
    TransferHandle handle = new TransferHandle(loop(), "object " + ref.id());
    Destination destination = Destination.of(host, into);
    loop().execute(() -> transfers.fetch(handle, ref, offset, length, destination, options));
    return handle;
  }

  @Override
  public Transfer push(String name, Source source, TransferOptions options) {
    if (name.length() > LONGEST_NAME) {
      throw new IllegalArgumentException(
          "a name has at most " + LONGEST_NAME + " characters, not " + name.length());
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      throw new IllegalArgumentException("a name has half a surrogate pair: '" + name + "'");
    }
    OpenSource opened = OpenSource.open(source);
    TransferHandle handle = new TransferHandle(loop(), "push '" + name + "'");
    loop().execute(() -> transfers.push(handle, name, opened, options));
    return handle;
  }

  @Override
  public void onPush(PushHandler handler) {
    transfers.onPush(PushTaker.of(handler));
  }
}
