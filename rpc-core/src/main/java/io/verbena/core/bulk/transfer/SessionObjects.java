package io.verbena.core.bulk.transfer;

import io.verbena.api.bulk.BulkObjects;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.api.settings.Checks;
import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.bulk.PublishedObjects;
import io.verbena.core.bulk.Release;
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
    return host.bulkContext().shelf().publish(loop(), null, source, lease);
  }

  @Override
  public Published publish(String name, Source source, Duration lease) {
    Checks.required("name", name);
    return host.bulkContext().shelf().publish(loop(), name, source, lease);
  }

  @Override
  public Transfer fetch(
      ObjectRef ref, long offset, long length, Landing into, TransferOptions options) {
    Checks.required("ref", ref);
    Checks.required("into", into);
    Checks.required("options", options);
    Checks.between("offset", offset, 0, ref.length());
    Checks.between("length", length, 0, ref.length() - offset);
    if (length > into.capacity()) {
      throw new IllegalArgumentException(tooSmall(ref, length, into));
    }
    TransferHandle handle = new TransferHandle(loop(), PublishedObjects.titleElsewhere(ref.id()));
    handle.whence(() -> peer("from "));
    Landing landing = Destination.watched(into, handle);
    boolean checked =
        switch (options.checksum()) {
          case ALWAYS -> true;
          case FILES -> landing instanceof Landing.InFile;
          case NEVER -> false;
        };
    Destination destination = Destination.of(host, landing);
    loop()
        .execute(() -> transfers.fetch(handle, ref, offset, length, destination, options, checked));
    return handle;
  }

  /** Returns who the peer is; nothing where the session has not opened yet. */
  private String peer(String preposition) {
    String address = host.peer().address();
    return address.isEmpty() ? "" : preposition + address;
  }

  private static String tooSmall(ObjectRef ref, long length, Landing into) {
    String words = ref + ": " + length + " bytes do not fit a landing of " + into.capacity();
    boolean hasNoLength = into instanceof Landing.InMemory && into.capacity() == 0;
    return hasNoLength
        ? words
            + ": if its memory is longer, as at MemorySegment.ofAddress, reinterpret it to its"
            + " length"
        : words;
  }

  @Override
  public Transfer push(String name, Source source, TransferOptions options) {
    return Release.begin(source, release -> push(name, source, release, options));
  }

  private Transfer push(String name, Source source, Release release, TransferOptions options) {
    Checks.required("name", name);
    Checks.required("options", options);
    if (name.length() > LONGEST_NAME) {
      throw new IllegalArgumentException(
          "a name has at most " + LONGEST_NAME + " characters, not " + name.length());
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      throw new IllegalArgumentException("a name has half a surrogate pair: '" + name + "'");
    }
    OpenSource opened = OpenSource.open(source);
    TransferHandle handle = new TransferHandle(loop(), "push '" + name + "'");
    handle.whence(() -> PublishedObjects.inWords(source) + peer(" to "));
    loop().execute(() -> transfers.push(handle, name, opened, release, options));
    return handle;
  }

  @Override
  public void onPush(PushHandler handler) {
    transfers.onPush(PushTaker.of(Checks.required("onPush", handler)));
  }
}
