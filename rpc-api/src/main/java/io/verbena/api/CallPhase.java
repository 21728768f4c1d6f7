package io.verbena.api;

/** How far a call had come when it failed. */
public enum CallPhase {
  /** Its arguments were being encoded. */
  ENCODING("while its arguments were encoded"),
  /** It waited on this side for a session, a slot or credit. */
  QUEUED("before it was sent"),
  /** It was handed to the link, and the peer had not acknowledged it. */
  SENT("after it was sent, before the peer acknowledged it"),
  /** The peer had acknowledged it and not answered yet. */
  RECEIVED("after the peer received it, before its reply"),
  /** The peer's reply had arrived. */
  REPLIED("when its reply arrived");

  private final String words;

  CallPhase(String words) {
    this.words = words;
  }

  /** Returns the phase as it stands in a message. */
  public String words() {
    return words;
  }
}
