package io.verbena.rdma.device;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Memory that is registered with a device, for JDK Flight Recorder. */
@Name("verbena.Registration")
@Label("Registration")
@Category("Verbena")
@Description("Memory is registered with a device, and pinned")
@StackTrace(false)
final class RegistrationEvent extends Event {
  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Done")
  @Description("Whether the device has taken it")
  boolean done;

  /** Registering so many bytes begins. */
  static RegistrationEvent begun(long bytes) {
    RegistrationEvent event = new RegistrationEvent();
    event.bytes = bytes;
    event.begin();
    return event;
  }
}
