package io.verbena.shm;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.Secret;
import io.verbena.link.runtime.Thrown;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The active end of a link that is being opened: it connects with an offer. */
final class ActiveOpening extends Opening {
  private final LinkFiles place;
  private final LinkOptions options;
  private final byte[] bytes;
  private final Secret nonce;
  private final ByteBuffer status = ByteBuffer.allocate(1);
  private final ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
  private final ByteBuffer reasonLength = ByteBuffer.allocate(Short.BYTES);
  private @Nullable ByteBuffer reason;
  private @Nullable ShmOffer offer;
  private @Nullable RingFile file;
  private String address = ShmLink.KIND + "://?";

  ActiveOpening(
      Links links,
      LinkFiles place,
      byte[] offer,
      Secret nonce,
      LinkOptions options,
      LinkDriver.ConnectHandler handler,
      long now) {
    super(links);
    this.place = place;
    this.bytes = offer;
    this.nonce = nonce;
    this.options = options;
    setHandler(handler, now + options.connectTimeout().toNanos());
  }

  @Override
  int go(long now) throws IOException, LinkException {
    ShmOffer decoded = offer;
    if (decoded == null) {
      start();
      return 1;
    }
    if (file != null) {
      open(file);
      return 1;
    }
    if (!read(status)) {
      return 0;
    }
    switch (status.get(0)) {
      case MADE -> {
        if (read(number)) {
          map(decoded);
          return 1;
        }
      }
      case REFUSED -> hearReason();
      default -> throw new IOException("the peer answered " + status.get(0));
    }
    return 0;
  }

  private void start() throws IOException, LinkException {
    ShmOffer decoded = ShmOffer.decode(bytes);
    offer = decoded;
    Path directory = place.directory(decoded.directory());
    address = LinkFiles.address(directory);
    Path bell = directory.resolve(LinkFiles.BELL);
    try {
      place.requireDirectory(directory);
      place.requireSocket(bell);
    } catch (AccessDeniedException e) {
      throw new LinkException(
          "%s: this process may not enter %s, although the owner has the same number: the owner is another user, and a user namespace shows all that it does not know by one number"
              .formatted(address, directory),
          e);
    } catch (NoSuchFileException e) {
      throw new LinkException(
          "%s: there is no %s here: the peer is gone, or it runs in a container with its own %s; share it by docker run --ipc"
              .formatted(address, e.getFile(), place),
          e);
    }
    try {
      socket(links.sockets.connect(bell));
    } catch (ConnectException e) {
      throw LinkException.nobodyListens(
          address + ": nothing listens there, because the process that offered the link is gone",
          e);
    }
    ByteBuffer greeting = ByteBuffer.allocate(GREETING_BYTES).put(ShmOffer.request());
    decoded.token().write(greeting);
    nonce.write(greeting);
    send(greeting.flip());
  }

  private void hearReason() throws IOException, LinkException {
    if (!read(reasonLength)) {
      return;
    }
    ByteBuffer text = reason;
    if (text == null) {
      int length = reasonLength.getShort(0);
      if (length < 0 || length > MOST_REASON_BYTES) {
        throw new IOException("the peer refuses it with a reason of " + length + " bytes");
      }
      text = ByteBuffer.allocate(length);
      reason = text;
    }
    if (read(text)) {
      String why = new String(text.array(), StandardCharsets.UTF_8);
      throw new LinkException(address + ": the peer refuses the link: " + why, null);
    }
  }

  private void map(ShmOffer by) throws IOException {
    Path path = LinkFiles.file(place.directory(by.directory()), number.getLong(0));
    file = RingFile.open(path, place, by.ringBytes(), nonce);
    send(ByteBuffer.allocate(1).put(MAPPED).flip());
  }

  private void open(RingFile mapped) throws IOException {
    file = null; // owned by the link from here on
    String own = address + "#" + LinkFiles.name(number.getLong(0));
    open(mapped, true, options, own, address);
  }

  @Override
  String late() {
    return "no answer within " + options.connectTimeout().toMillis() + " ms";
  }

  @Override
  LinkException failure(Throwable why) {
    return why instanceof LinkException known
        ? known
        : new LinkException(address + ": " + Thrown.reason(why), why);
  }

  @Override
  void drop() {
    RingFile mapped = file;
    file = null;
    if (mapped != null) {
      mapped.unmap();
    }
  }
}
