package io.verbena.core.stat;

/**
 * The one-way calls that were not simply executed, since the session opened, or since the client or
 * server was made. Calls that {@code send} refused do not count, because the caller received the
 * failure.
 *
 * @param unsent calls of this end that were never sent, because their session ended or the peer
 *     does not accept them; certainly not executed
 * @param unknown calls of this end that were sent but not confirmed when the peer was lost; perhaps
 *     executed
 * @param refusedByPeer calls of this end that the peer dropped; certainly not executed
 * @param refused calls of the peer that were dropped here; certainly not executed
 * @param failed calls of the peer whose handlers here threw
 */
public record OnewayStat(long unsent, long unknown, long refusedByPeer, long refused, long failed) {
  /** Returns whether all figures are 0. */
  public boolean isEmpty() {
    return unsent == 0 && unknown == 0 && refusedByPeer == 0 && refused == 0 && failed == 0;
  }
}
