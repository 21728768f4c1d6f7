package io.verbena.core.bulk.transfer;

import io.verbena.core.bulk.BulkPath;
import io.verbena.link.LinkException;
import io.verbena.link.RemoteTarget;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What the receiver of an object has granted, in its order. A grant of a later generation makes all
 * earlier ones void. On the loop.
 */
final class Grants {
  private static final int MOST = 64;

  private final long length;
  private final ArrayDeque<Granted> grants = new ArrayDeque<>();
  private int generation;
  private long upTo;

  /**
   * None yet.
   *
   * @param length of the object
   */
  Grants(long length) {
    this.length = length;
  }

  /**
   * A receiver's grant.
   *
   * @param generation counts the times that memory was granted anew
   * @param offset where in the object it begins
   * @param length how long it is
   * @param epoch of the link that it is written over
   * @param advertisement what the link knows it by
   */
  record Grant(int generation, long offset, long length, int epoch, ByteBuffer advertisement) {}

  /** Memory that was granted, and how far it is written. */
  final class Granted {
    final BulkPath path;
    final RemoteTarget target;
    private final long offset;
    private final long size;
    private long written;

    private Granted(BulkPath path, RemoteTarget target, long offset, long size) {
      this.path = path;
      this.target = target;
      this.offset = offset;
      this.size = size;
    }

    /** Returns where in the object it goes on. */
    long at() {
      return offset + written;
    }

    /** Returns how much is written. */
    long written() {
      return written;
    }

    /** Returns how much is still to be written. */
    long left() {
      return Math.min(size, length - offset) - written;
    }

    void wrote(int bytes) {
      written += bytes;
    }
  }

  /** Returns whether memory was granted. */
  boolean isAny() {
    return generation > 0;
  }

  /** Returns whether a later grant has made this one void. */
  boolean isVoid(Grant grant) {
    return grant.generation() < generation;
  }

  /** Returns whether a grant makes all before void. */
  boolean voidedBy(Grant grant) {
    return grant.generation() > generation;
  }

  /** All is granted anew, from there on. */
  void beginAnew(Grant first) {
    generation = first.generation();
    upTo = first.offset();
    grants.clear();
  }

  /** Counts the next one; returns what is wrong with it, or null. */
  @Nullable String next(Grant grant) {
    if (grant.offset() != upTo || grants.size() == MOST) {
      return "a grant from " + grant.offset() + " behind one up to " + upTo;
    }
    upTo += grant.length();
    return null;
  }

  /** Opens the latest one for writing; returns what is wrong with it, or null. */
  @Nullable String open(Grant grant, BulkPath path) throws LinkException {
    RemoteTarget target = path.port().remote(grant.advertisement());
    if (target.length() != grant.length()) {
      return "a grant of " + grant.length() + " that advertises " + target.length();
    }
    grants.add(new Granted(path, target, grant.offset(), grant.length()));
    return null;
  }

  /** Returns where to write now; null if nowhere. */
  @Nullable Granted head() {
    Granted grant = grants.peek();
    while (grant != null && grant.left() <= 0) {
      grants.remove();
      grant = grants.peek();
    }
    return grant;
  }

  void pathClosed(BulkPath path) {
    grants.removeIf(grant -> grant.path == path);
  }

  void clear() {
    grants.clear();
  }
}
