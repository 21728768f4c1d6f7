package io.verbena.channel;

import io.verbena.api.settings.Checks;

/**
 * When a server that fails calls is left out for a while. Never the last one: where all are left
 * out, calls go to them as if none were.
 *
 * @param failures after so many failed calls in a row, at least 1. What counts is UNAVAILABLE,
 *     DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, INTERNAL and PROTOCOL_ERROR; UNIMPLEMENTED and
 *     INCOMPATIBLE where the call was not executed. Not what this end refuses itself, since it
 *     makes more calls at once than it may
 * @param time for so long, longer each time until a call there ends well
 */
public record Ejection(int failures, Backoff time) {
  /** Checks what is set. */
  public Ejection {
    Checks.between("failures", failures, 1, 1_000_000);
    Checks.required("time", time);
  }
}
