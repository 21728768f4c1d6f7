package io.verbena.core.transfer;

import io.verbena.api.bulk.BulkObjects;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.api.settings.Checks;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.bulk.PublishedObjects;
import io.verbena.core.bulk.Release;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.MemoryLife;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;

/** The user's view of a session's large objects. Safe for use by any thread. */
public final class SessionObjects implements BulkObjects {
  private static final int LONGEST_NAME = 1000;

  private final SessionImpl session;
  private final Transfers transfers;

  public SessionObjects(Transfers transfers) {
    this.session = transfers.session;
    this.transfers = transfers;
  }

  @Override
  public Published publish(Source source, Duration lease) {
    return session.context().bulk().shelf().publish(session.loop(), null, source, lease);
  }

  @Override
  public Published publish(String name, Source source, Duration lease) {
    Checks.required("name", name);
    return session.context().bulk().shelf().publish(session.loop(), name, source, lease);
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
    TransferHandle handle =
        new TransferHandle(session.loop(), PublishedObjects.titleElsewhere(ref.id()));
    handle.whence(() -> peer("from "));
    Landing landing = Destination.watched(into, handle);
    boolean checked =
        switch (options.checksum()) {
          case ALWAYS -> true;
          case FILES -> landing instanceof Landing.InFile;
          case NEVER -> false;
        };
    Destination destination = IncomingTransfer.destination(session, landing);
    start(
        handle,
        options,
        () -> {
          long id = transfers.ids.nextId();
          sendFetch(id, ref, offset, length, checked);
          transfers
              .receive(
                  new IncomingTransfer(
                      transfers,
                      handle,
                      id,
                      destination,
                      checked ? Checksum.ALWAYS : Checksum.NEVER,
                      received -> received))
              .begin(length);
        },
        () -> {});
    return handle;
  }

  private void sendFetch(long id, ObjectRef ref, long offset, long length, boolean checked) {
    session.sendBulk(
        FrameKind.BULK_FETCH,
        id,
        out -> {
          out.writeLong(ref.id());
          out.writeLong(ref.key());
          out.writeVarLong(offset);
          out.writeVarLong(length);
          out.writeByte(checked ? Transfers.CHECKED : 0);
        });
  }

  /**
   * Begins a transfer, now or in its turn.
   *
   * @param drop frees its resources if it ends before
   */
  private void start(
      TransferHandle handle, TransferOptions options, Runnable begin, Runnable drop) {
    begin(handle, options, new TransferIds.Start(handle, begin, drop));
  }

  private void begin(TransferHandle handle, TransferOptions options, TransferIds.Start start) {
    session
        .loop()
        .execute(
            () -> {
              transfers.takeTurns();
              handle.limit(options.timeout());
              transfers.ids.start(start);
              transfers.failIfNoBulk();
              session.schedulePump();
            });
  }

  /** Returns the peer in words; nothing before the session has opened. */
  private String peer(String preposition) {
    String address = session.peer().address();
    return address.isEmpty() ? "" : preposition + address;
  }

  private static String tooSmall(ObjectRef ref, long length, Landing into) {
    String words = ref + ": " + length + " bytes do not fit a landing of " + into.capacity();
    boolean hasNoLength = into instanceof Landing.InMemory && into.capacity() == 0;
    return hasNoLength
        ? words
            + ": if its memory is longer (MemorySegment.ofAddress), reinterpret it to its"
            + " length"
        : words;
  }

  @Override
  public Transfer push(String name, Source source, TransferOptions options) {
    return Release.begin(source, release -> push(name, source, release, options, false));
  }

  /** Pushes an object of another RPC system, for the other end's {@link #onCarried}. */
  public Transfer carry(String name, Source source, TransferOptions options) {
    return Release.begin(source, release -> push(name, source, release, options, true));
  }

  private Transfer push(
      String name, Source source, Release release, TransferOptions options, boolean carried) {
    Checks.required("name", name);
    Checks.required("options", options);
    if (name.length() > LONGEST_NAME) {
      throw new IllegalArgumentException(
          "a name has at most " + LONGEST_NAME + " characters, not " + name.length());
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      throw new IllegalArgumentException("a name has half a surrogate pair: '" + name + "'");
    }
    OpenSource first = OpenSource.open(source, MemoryLife.LENT);
    RunOn opener = OpenSource.openedBy(source);
    if (opener.isFiles()) {
      first.close(); // otherwise each push in the queue would hold descriptors
    }
    TransferHandle handle = new TransferHandle(session.loop(), "push '" + name + "'");
    handle.whence(() -> PublishedObjects.inWords(source) + peer(" to "));
    Consumer<OpenSource> begin =
        opened -> {
          boolean checked = options.checksum() == Checksum.ALWAYS;
          boolean maybeEarly = !checked && !carried; // others land in memory of their own
          EarlyLandings.Landing landing = maybeEarly ? transfers.early.take(opened.length()) : null;
          long id = landing == null ? transfers.ids.nextId() : landing.id();
          transfers.sendOffer(id, opened.length(), options.checksum(), name, carried);
          OutgoingTransfer transfer =
              new OutgoingTransfer(transfers, handle, id, opened, checked, true, release);
          transfers.send(transfer);
          if (landing != null) {
            transfer.granted(landing.grants());
          }
        };
    if (opener.isFiles()) {
      begin(
          handle,
          options,
          new TransferIds.Start(
              handle, opener, () -> OpenSource.open(source, MemoryLife.LENT), begin, release));
    } else {
      start(handle, options, () -> begin.accept(first), release);
    }
    return handle;
  }

  @Override
  public void onPush(PushHandler handler) {
    transfers.taker = new PushTaker(Checks.required("onPush", handler));
  }

  /** Sets the handler of objects of another RPC system. */
  public void onCarried(PushHandler handler) {
    transfers.carriedTaker = new PushTaker(handler);
  }
}
