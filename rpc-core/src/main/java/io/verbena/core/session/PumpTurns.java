package io.verbena.core.session;

import io.verbena.core.sequence.Inbox;

/** What a session does when its pump has a turn. On the loop. */
final class PumpTurns implements FramePump.Turns {
  private final SessionCore session;

  PumpTurns(SessionCore session) {
    this.session = session;
  }

  @Override
  public boolean areWanted() {
    return !session.isAttached()
        || session.incomingCalls().hasWaiting()
        || session.transfers().wantsLink()
        || session.isClosing()
        || !session.callPath().mayCall();
  }

  @Override
  public boolean begin() {
    if (session.closing().goesOn()) {
      return false;
    }
    session.incomingCalls().startWaiting(); // what the peer has taken may be what they wait for
    if (!session.isAttached()) {
      if (!session.isEnded() && session.hasCalls()) {
        session.role().linkWanted();
      }
      return false;
    }
    if (!session.callPath().mayCall() && !session.outgoingCalls().isEmpty()) {
      session.upgrade().wanted();
    }
    return true;
  }

  @Override
  public void sendBulk() {
    session.transfers().pump();
  }

  @Override
  public int calls() {
    return session.outgoingCalls().size();
  }

  @Override
  public Inbox inbox() {
    return session.inbox();
  }
}
