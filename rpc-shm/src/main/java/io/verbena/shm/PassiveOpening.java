package io.verbena.shm;

import io.verbena.link.LinkException;
import io.verbena.link.LocalSockets;
import io.verbena.link.Secret;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The passive end of a link that is being opened, after a peer has connected. */
final class PassiveOpening extends Opening {
  private static final ThrottledLog STRANGERS =
      ThrottledLog.of(PassiveOpening.class, "strangers at the socket of shared-memory links");

  private final ShmAcceptor acceptor;
  private final ByteBuffer greeting = ByteBuffer.allocate(GREETING_BYTES);
  private final ByteBuffer mapped = ByteBuffer.allocate(1);
  private ShmAcceptor.@Nullable Offered offered;
  private @Nullable Secret nonce;
  private long number;
  private @Nullable Path path;
  private RingFile.@Nullable Making making;
  private @Nullable RingFile file;

  PassiveOpening(Links links, ShmAcceptor acceptor, LocalSockets.Connected caller, long deadline) {
    super(links);
    this.acceptor = acceptor;
    socket(caller);
    deadline(deadline);
  }

  @Override
  int go(long now) throws IOException, LinkException {
    if (offered == null) {
      return read(greeting) ? redeem() : 0;
    }
    if (file == null) {
      return make();
    }
    if (!read(mapped)) {
      return 0;
    }
    if (mapped.get(0) != MAPPED) {
      throw new IOException("the peer answered " + mapped.get(0));
    }
    unlink();
    RingFile standing = file;
    file = null; // owned by the link from here on
    String own = acceptor.address();
    open(standing, false, offered.options(), own, own + "#" + LinkFiles.name(number));
    return 1;
  }

  private int redeem() throws IOException, LinkException {
    byte[] head = Arrays.copyOf(greeting.array(), greeting.capacity());
    ShmOffer.requireVersion(head);
    greeting.position(ShmOffer.request().length);
    Secret token = Secret.read(greeting);
    nonce = Secret.read(greeting);
    ShmAcceptor.Offered found = acceptor.redeem(token);
    if (found == null) {
      throw new IOException("its token was not offered here, was used before, or is too old");
    }
    offered = found;
    setHandler(found.handler(), found.deadline());
    return 1;
  }

  private int make() throws IOException {
    try {
      RingFile.Making under = making;
      if (under == null) {
        number = acceptor.nextNumber();
        Path made = LinkFiles.file(acceptor.directory(), number);
        path = made;
        making = new RingFile.Making(made, acceptor.ringBytes());
        return 1;
      }
      Secret proof = nonce;
      if (!under.fill() || proof == null) {
        return 1;
      }
      file = under.map(proof);
      making = null;
      send(ByteBuffer.allocate(1 + Long.BYTES).put(MADE).putLong(number).flip());
      return 1;
    } catch (IOException e) {
      String why = acceptor.whyNoFile(e);
      refuse(why);
      throw new IOException(why, e);
    }
  }

  /** Sends the reason to the peer, if the socket takes it at once. */
  private void refuse(String why) throws IOException {
    byte[] all = why.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(all.length, MOST_REASON_BYTES);
    ByteBuffer answer = ByteBuffer.allocate(1 + Short.BYTES + length);
    answer.put(REFUSED).putShort((short) length).put(all, 0, length).flip();
    int _ = links.sockets.write(socket(), answer);
  }

  private void unlink() throws IOException {
    Path named = path;
    path = null;
    if (named != null) {
      Files.deleteIfExists(named);
    }
  }

  @Override
  String late() {
    return "it was not open in time";
  }

  @Override
  LinkException failure(Throwable why) {
    String words = Thrown.reason(why);
    // A caller that sends nothing only checks whether the socket is served.
    if (offered == null && greeting.position() > 0) {
      links.counters.strangers.increment();
      STRANGERS.warn("A caller at {} was turned away: {}", acceptor.address(), words);
    }
    return ShmAcceptor.notTaken(words, why);
  }

  @Override
  void drop() {
    try (RingFile.Making _ = making) {
      unlink();
    } catch (IOException e) {
      STRANGERS.warn("A file in {} cannot be removed: {}", acceptor.directory(), Thrown.reason(e));
    }
    making = null;
    RingFile under = file;
    file = null;
    if (under != null) {
      under.unmap();
    }
  }
}
