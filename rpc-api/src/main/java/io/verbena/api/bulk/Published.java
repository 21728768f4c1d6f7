package io.verbena.api.bulk;

/** An object that the other end may fetch. Safe for use by any thread. */
public interface Published extends AutoCloseable {
  /** Returns its name, to be sent in a call. */
  ObjectRef ref();

  /** Returns whether it can still be fetched: neither closed nor its lease at an end. */
  boolean isAvailable();

  /**
   * Takes it back. Transfers of it that are under way go on to their end, so wait for them before
   * its memory is freed; nobody can begin another. Closing again does nothing.
   */
  @Override
  void close();
}
