package io.verbena.verbs.ffm.lib;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

/** The functions of librdmacm, the connection manager. Its manual pages describe them. */
public final class Rdmacm {
  private Rdmacm() {}

  static final String SONAME = "librdmacm.so.1";

  private static final NativeLibrary LIBRARY = new NativeLibrary(SONAME);

  /** Returns a null-terminated array of all devices, and holds each until rdma_free_devices. */
  public static final Verb GET_DEVICES = LIBRARY.pointer("rdma_get_devices", ADDRESS);

  /** Frees a list of devices, and releases the hold on each device. */
  public static final Verb FREE_DEVICES = LIBRARY.nothing("rdma_free_devices", ADDRESS);

  /**
   * Makes an event channel. Fails with ENODEV if the kernel has no RDMA, so it is a cheap probe.
   */
  public static final Verb CREATE_EVENT_CHANNEL = LIBRARY.pointer("rdma_create_event_channel");

  public static final Verb DESTROY_EVENT_CHANNEL =
      LIBRARY.nothing("rdma_destroy_event_channel", ADDRESS);
  public static final Verb CREATE_ID =
      LIBRARY.status("rdma_create_id", ADDRESS, ADDRESS, ADDRESS, JAVA_INT);

  /** Frees an id; blocks while events of it are not acknowledged. */
  public static final Verb DESTROY_ID = LIBRARY.status("rdma_destroy_id", ADDRESS);

  public static final Verb BIND_ADDR = LIBRARY.status("rdma_bind_addr", ADDRESS, ADDRESS);
  public static final Verb LISTEN = LIBRARY.status("rdma_listen", ADDRESS, JAVA_INT);
  public static final Verb RESOLVE_ADDR =
      LIBRARY.status("rdma_resolve_addr", ADDRESS, ADDRESS, ADDRESS, JAVA_INT);
  public static final Verb RESOLVE_ROUTE = LIBRARY.status("rdma_resolve_route", ADDRESS, JAVA_INT);
  public static final Verb CONNECT = LIBRARY.status("rdma_connect", ADDRESS, ADDRESS);
  public static final Verb ACCEPT = LIBRARY.status("rdma_accept", ADDRESS, ADDRESS);
  public static final Verb REJECT = LIBRARY.status("rdma_reject", ADDRESS, ADDRESS, JAVA_BYTE);

  /** Ends a connection and brings its QP into the error state. */
  public static final Verb DISCONNECT = LIBRARY.status("rdma_disconnect", ADDRESS);

  /** Makes the QP of an id, and writes the granted sizes back. */
  public static final Verb CREATE_QP = LIBRARY.status("rdma_create_qp", ADDRESS, ADDRESS, ADDRESS);

  public static final Verb GET_CM_EVENT = LIBRARY.status("rdma_get_cm_event", ADDRESS, ADDRESS);
  public static final Verb ACK_CM_EVENT = LIBRARY.status("rdma_ack_cm_event", ADDRESS);
  public static final Verb SET_OPTION =
      LIBRARY.status("rdma_set_option", ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG);
}
