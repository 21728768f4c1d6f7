package io.verbena.rdma.device;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Memory that is registered no more, for JDK Flight Recorder. */
@Name("verbena.Deregistration")
@Label("Deregistration")
@Category("Verbena")
@Description("Memory is registered with a device no more")
@StackTrace(false)
final class DeregistrationEvent extends Event {
  @Label("Bytes")
  @DataAmount
  long bytes;

  /** Deregistering so many bytes begins. */
  static DeregistrationEvent begun(long bytes) {
    DeregistrationEvent event = new DeregistrationEvent();
    event.bytes = bytes;
    event.begin();
    return event;
  }
}
