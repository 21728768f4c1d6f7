package io.verbena.core;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Transfer;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Receives the long pieces of another RPC system's streams, which travel beside the messages of a
 * session. See {@link CarriedCalls#push}. On the session's loop.
 */
public abstract class CarriedPieces {
  /** Of a piece: its stream, its place, and whether it is the last. */
  private static final Pattern NAME = Pattern.compile("([0-9]{1,18})/([0-9]{1,9})(/last)?");

  /** Makes a receiver; see {@link CarriedCalls#onPush}. */
  protected CarriedPieces() {}

  /**
   * Returns memory for a piece, outside the heap, which belongs to this receiver until the piece
   * has {@linkplain #arrived arrived} or is {@linkplain #lost lost}; null to refuse the piece.
   *
   * @param length of the piece in bytes, as the peer announces it
   */
  protected abstract @Nullable ByteBuffer memory(long length);

  /**
   * A piece has arrived.
   *
   * @param stream its stream, at least 0
   * @param sequence its place in the stream, at least 0
   * @param memory begins with its bytes
   */
  protected abstract void arrived(
      long stream, int sequence, boolean last, ByteBuffer memory, int length);

  /** A piece will not arrive, and nothing writes into its memory any more. */
  protected abstract void lost(ByteBuffer memory, int length);

  /**
   * The peer has not executed one-way calls of this end, such as for lack of memory. They are not
   * made again.
   *
   * @param why for logs
   */
  protected abstract void refused(String why);

  static String name(long stream, int sequence, boolean last) {
    return stream + "/" + sequence + (last ? "/last" : "");
  }

  PushHandler handler() {
    return new Handler();
  }

  private final class Handler implements PushHandler {
    private final Map<Transfer, ByteBuffer> underWay = new HashMap<>();

    @Override
    public boolean nonBlocking() {
      return true;
    }

    @Override
    public @Nullable Landing offered(Offer offer) {
      ByteBuffer memory = NAME.matcher(offer.name()).matches() ? memory(offer.length()) : null;
      if (memory == null) {
        return null;
      }
      Transfer transfer = offer.transfer();
      int length = (int) offer.length();
      underWay.put(transfer, memory);
      var _ =
          transfer
              .result()
              .whenComplete(
                  (received, failure) -> {
                    if (failure != null && underWay.remove(transfer) != null) {
                      lost(memory, length);
                    }
                  });
      return Landing.of(memory.slice(0, length));
    }

    @Override
    public void received(Offer offer, Received received) {
      ByteBuffer memory = Objects.requireNonNull(underWay.remove(offer.transfer()));
      Matcher name = NAME.matcher(offer.name());
      boolean _ = name.matches();
      arrived(
          Long.parseLong(name.group(1)),
          Integer.parseInt(name.group(2)),
          name.group(3) != null,
          memory,
          (int) offer.length());
    }
  }
}
