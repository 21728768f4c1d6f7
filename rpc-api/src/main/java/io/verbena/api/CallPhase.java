package io.verbena.api;

/** The progress of a call at the moment when it failed. */
public enum CallPhase {
  /** The arguments were being encoded. */
  ENCODING("while its arguments were encoded"),
  /** The call waited on this side for a session, a slot or credit. */
  QUEUED("before it was sent"),
  /** The call was handed to the link, and the peer had not acknowledged it. */
  SENT("after it was sent, before the peer acknowledged it"),
  /** The peer had acknowledged the call and not answered yet. */
  RECEIVED("after the peer received it, before its reply"),
  /** The peer's reply had arrived. */
  REPLIED("when its reply arrived");

  private final String words;

  CallPhase(String words) {
    this.words = words;
  }

  /** Returns the phase in the words of an exception's message. */
  public String words() {
    return words;
  }
}
