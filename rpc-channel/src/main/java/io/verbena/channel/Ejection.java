package io.verbena.channel;

import io.verbena.api.settings.Checks;

/**
 * Settings for servers that are left out for a while because calls to them failed. If all servers
 * are left out, calls go to them as if none were.
 *
 * @param failures the number of failed calls in a row, at least 1. These statuses count:
 *     UNAVAILABLE, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, INTERNAL and PROTOCOL_ERROR;
 *     UNIMPLEMENTED and INCOMPATIBLE if the call was not executed. Calls that this end itself
 *     refuses because it makes too many at once do not count
 * @param time how long the server is left out; longer each time, until a call there succeeds
 */
public record Ejection(int failures, Backoff time) {
  /** Checks the settings. */
  public Ejection {
    Checks.between("failures", failures, 1, 1_000_000);
    Checks.required("time", time);
  }
}
