package io.verbena.simulation.plan;

/** The phase of a session, as far as its user can see. */
public enum Phase {
  NO_LINK("no link"),
  STREAM("stream"),
  STREAM_WITH_BULK("stream+"),
  UPGRADING("upgrading"),
  UPGRADING_WITH_BULK("upgrad.+"),
  BETTER("better"),
  BETTER_WITH_BULK("better+"),
  BETTER_LOST("way back"),
  BETTER_LOST_WITH_BULK("way back+");

  private final String heading;

  Phase(String heading) {
    this.heading = heading;
  }

  /** Returns a short name. */
  public String heading() {
    return heading;
  }
}
