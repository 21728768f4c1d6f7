package io.verbena.core.stat;

/**
 * The one-way calls that were not simply executed, since the session opened or the client or server
 * was made. Those that {@code send} refused are not among them: its caller was told.
 *
 * @param unsent calls of this end that never left, since their session ended or the peer does not
 *     take them: surely not executed
 * @param unknown calls of this end that had left when the peer was lost, and of which it had not
 *     said that they are done: executed or not
 * @param refusedByPeer calls of this end that the peer dropped: surely not executed
 * @param refused calls of the peer that were dropped here: surely not executed
 * @param failed calls of the peer whose handlers here threw
 */
public record OnewayStat(long unsent, long unknown, long refusedByPeer, long refused, long failed) {
  /** Returns whether there is nothing to tell. */
  public boolean isEmpty() {
    return unsent == 0 && unknown == 0 && refusedByPeer == 0 && refused == 0 && failed == 0;
  }
}
