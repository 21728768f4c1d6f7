package io.verbena.api.bulk;

import io.verbena.api.settings.Checks;
import java.time.Duration;

/**
 * The large objects of one session: published for the peer, fetched from it, pushed to it. Safe for
 * use by any thread; nothing here blocks, but that files are opened.
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
   * Lets whoever is given the reference fetch an object, any number of times, over any session of
   * this end.
   *
   * @param lease how long it is kept while nobody fetches it; then it is released
   * @throws java.io.UncheckedIOException if a file cannot be opened, or its channel is closed
   * @throws IllegalArgumentException if a file's channel is not open for reading
   */
  Published publish(Source source, Duration lease);

  /**
   * Publishes an object by a name, so that its reference is {@link ObjectRef#named} and stays good
   * when this end is started again and publishes it again. An object of the same name and length
   * has the same bytes: a fetch that goes on in a {@linkplain Landing#file file} compares them, and
   * begins anew where they differ.
   *
   * @param lease how long it is kept while nobody fetches it; then it is released
   * @throws java.io.UncheckedIOException if a file cannot be opened, or its channel is closed
   * @throws IllegalArgumentException if a file's channel is not open for reading
   * @throws IllegalStateException if an object of this name is published already
   */
  Published publish(String name, Source source, Duration lease);

  /** Fetches an object that the peer has published. */
  default Transfer fetch(ObjectRef ref, Landing into) {
    return fetch(ref, into, TransferOptions.DEFAULT);
  }

  /** Fetches an object that the peer has published. */
  default Transfer fetch(ObjectRef ref, Landing into, TransferOptions options) {
    return fetch(ref, 0, Checks.required("ref", ref).length(), into, options);
  }

  /**
   * Fetches a range of an object that the peer has published.
   *
   * @throws IllegalArgumentException if the object has no such range, or the landing is too small
   */
  Transfer fetch(ObjectRef ref, long offset, long length, Landing into, TransferOptions options);

  /** Pushes an object to the peer, whose {@link #onPush} handler says where it goes. */
  default Transfer push(String name, Source source) {
    return push(name, source, TransferOptions.DEFAULT);
  }

  /**
   * Pushes an object to the peer, whose {@link #onPush} handler says where it goes.
   *
   * @param name for the peer's handler; at most 1000 characters
   * @throws java.io.UncheckedIOException if a file cannot be opened, or its channel is closed
   * @throws IllegalArgumentException if a file's channel is not open for reading, or the name is
   *     too long or has half a surrogate pair
   */
  Transfer push(String name, Source source, TransferOptions options);

  /** Takes what the peer pushes from now on; without a handler it is refused. */
  void onPush(PushHandler handler);
}
