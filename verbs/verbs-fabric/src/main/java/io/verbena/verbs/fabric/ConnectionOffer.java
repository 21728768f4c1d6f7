package io.verbena.verbs.fabric;

import com.ibm.disni.verbs.RdmaConnParam;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** The parameters that one side gave to connect or accept, as a copy. */
record ConnectionOffer(
    ByteBuffer privateData,
    int responderResources,
    int initiatorDepth,
    int retries,
    int rnrRetries) {

  /**
   * Copies the parameters of a call.
   *
   * @param mostResponding what {@link ConnectionParameters#GREATEST_DEPTH} stands for
   * @param mostInitiating the same, of READs that this side has outstanding
   */
  static ConnectionOffer of(
      String call, RdmaConnParam param, int maxData, int mostResponding, int mostInitiating)
      throws VerbsException {
    int length = param.getPrivate_data_len() & 0xff;
    if (length > maxData) {
      throw new VerbsException(
          call, Errno.EINVAL, length + " bytes of private data; at most " + maxData + ".");
    }
    byte[] copy = new byte[length];
    if (length > 0) {
      MemorySegment data = MemorySegment.ofAddress(param.getPrivate_data()).reinterpret(length);
      MemorySegment.copy(data, ValueLayout.JAVA_BYTE, 0, copy, 0, length);
    }
    return new ConnectionOffer(
        ByteBuffer.wrap(copy),
        depth(param.getResponder_resources(), mostResponding),
        depth(param.getInitiator_depth(), mostInitiating),
        Math.min(7, param.getRetry_count() & 0xff),
        Math.min(7, param.getRnr_retry_count() & 0xff));
  }

  private static int depth(byte asked, int most) {
    return asked == ConnectionParameters.GREATEST_DEPTH ? most : asked & 0xff;
  }

  /**
   * Returns the parameters as the other side sees them. Private data is padded with zeros, as in
   * packets. The initiator depth of this side becomes the responder resources of the other.
   */
  ConnectionParameters seenByPeer(int dataLength) {
    ConnectionParameters seen = new ConnectionParameters();
    seen.privateData(padded(privateData, dataLength));
    seen.setResponder_resources((byte) initiatorDepth);
    seen.setInitiator_depth((byte) responderResources);
    seen.setRetry_count((byte) retries);
    seen.setRnr_retry_count((byte) rnrRetries);
    return seen;
  }

  static ByteBuffer padded(ByteBuffer data, int length) {
    return ByteBuffer.allocate(length).put(data.duplicate()).rewind();
  }
}
