package io.verbena.api.bulk;

import io.verbena.api.settings.Checks;
import java.time.Duration;

/**
 * Publishes, fetches and pushes the large objects of one session. Safe for use by any thread. No
 * method blocks, except to open a file.
 *
 * <pre>{@code
 * try (Published published = session.objects().publish(Source.file(path), lease)) {
 *   ObjectRef ref = published.ref();                               // send it in a call
 * }
 * Transfer transfer = session.objects().fetch(ref, Landing.of(segment));
 * Received received = transfer.get();
 * }</pre>
 */
public interface BulkObjects {
  /**
   * Publishes an object. Every peer that has the reference may fetch it, any number of times, over
   * any session of this end.
   *
   * @param lease the time for which the object is kept while no peer fetches it; then it is
   *     released
   * @throws java.io.UncheckedIOException if a file cannot be opened, or its channel is closed
   * @throws IllegalArgumentException if a file's channel is not open for reading, or is open for
   *     direct I/O
   */
  Published publish(Source source, Duration lease);

  /**
   * Publishes an object under a name. Its reference is {@link ObjectRef#named}, and stays valid
   * when this end restarts and publishes the object again. Objects of the same name and length must
   * have the same bytes. A fetch that resumes in a {@linkplain Landing#file file} compares the
   * bytes, and starts from the beginning if they differ.
   *
   * @param lease the time for which the object is kept while no peer fetches it; then it is
   *     released
   * @throws java.io.UncheckedIOException if a file cannot be opened, or its channel is closed
   * @throws IllegalArgumentException if a file's channel is not open for reading, or is open for
   *     direct I/O
   * @throws IllegalStateException if an object of this name is published already
   */
  Published publish(String name, Source source, Duration lease);

  /**
   * Fetches an object that the peer has published. The {@linkplain Transfer#result() result} tells
   * of a failure.
   */
  default Transfer fetch(ObjectRef ref, Landing into) {
    return fetch(ref, into, TransferOptions.DEFAULT);
  }

  /** Fetches an object that the peer has published. */
  default Transfer fetch(ObjectRef ref, Landing into, TransferOptions options) {
    return fetch(ref, 0, Checks.required("ref", ref).length(), into, options);
  }

  /**
   * Fetches a range of an object that the peer has published. The {@linkplain Transfer#result()
   * result} tells of a failure at the peer or on the way.
   *
   * @param offset the first byte of the range
   * @param length of the range, in bytes
   * @throws IllegalArgumentException if the object has no such range, or the landing is too small
   */
  Transfer fetch(ObjectRef ref, long offset, long length, Landing into, TransferOptions options);

  /** Pushes an object to the peer, whose {@link #onPush} handler chooses the landing. */
  default Transfer push(String name, Source source) {
    return push(name, source, TransferOptions.DEFAULT);
  }

  /**
   * Pushes an object to the peer, whose {@link #onPush} handler chooses the landing. The
   * {@linkplain Transfer#result() result} tells of a failure at the peer or on the way.
   *
   * <p>Of many pushes, some wait for their turn. Files are opened when their turn comes, so do not
   * delete them before the end of the transfer.
   *
   * @param name for the peer's handler; at most 1000 characters
   * @throws java.io.UncheckedIOException if a file cannot be opened, or its channel is closed
   * @throws IllegalArgumentException if a file's channel is not open for reading or is open for
   *     direct I/O, or the name is too long or has half a surrogate pair
   */
  Transfer push(String name, Source source, TransferOptions options);

  /**
   * Sets the handler for objects that the peer pushes from now on. Without a handler they are
   * refused.
   */
  void onPush(PushHandler handler);
}
