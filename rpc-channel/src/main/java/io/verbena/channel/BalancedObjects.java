package io.verbena.channel;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.api.settings.Checks;

/**
 * Fetches the objects that the servers of a channel have published. A fetch that loses its server,
 * or whose object is not published there, goes on at another server or later, within the channel's
 * {@link Retries} or, with {@link BalancedChannel.Builder#waitForReady}, for as long as it may
 * wait. So each server should publish the same bytes under the same {@linkplain ObjectRef#named
 * name}. Safe for use by any thread. No method blocks.
 *
 * <p>A fetch goes on after the last byte that has arrived, in the caller's memory, in a file and
 * with a consumer, which sees each byte once. In pooled memory, and in memory {@linkplain
 * TransferOptions#withChecksum with a checksum}, it starts from the beginning.
 *
 * <p>Publishing and pushing belong to one session.
 */
public final class BalancedObjects {
  private final BalancedChannel channel;

  BalancedObjects(BalancedChannel channel) {
    this.channel = channel;
  }

  /** Fetches an object, with the default options. */
  public Transfer fetch(ObjectRef ref, Landing into) {
    return fetch(ref, into, TransferOptions.DEFAULT);
  }

  /**
   * Fetches an object. The {@linkplain Transfer#result() result} tells of a failure.
   *
   * @param options their timeout covers all attempts and waits. Without one, a fetch that waits for
   *     a server fails when nothing has arrived for the {@code defaultTimeout} of the client's
   *     limits
   * @throws IllegalArgumentException if the landing is too small
   */
  public Transfer fetch(ObjectRef ref, Landing into, TransferOptions options) {
    Checks.required("into", into);
    Checks.required("options", options);
    Checks.that(
        Checks.required("ref", ref).length() <= into.capacity(),
        "into",
        "a landing of at least " + ref.length() + " bytes",
        into);
    BalancedFetch fetch = new BalancedFetch(channel, ref, into, options);
    fetch.begin();
    return fetch;
  }
}
