package io.verbena.verbs.ffm.lib;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

/** The control verbs of libibverbs. Its manual pages describe them. */
public final class Ibverbs {
  private Ibverbs() {}

  static final String SONAME = "libibverbs.so.1";

  private static final NativeLibrary LIBRARY = new NativeLibrary(SONAME);

  public static final Verb ALLOC_PD = LIBRARY.pointer("ibv_alloc_pd", ADDRESS);
  public static final Verb DEALLOC_PD = LIBRARY.status("ibv_dealloc_pd", ADDRESS);
  public static final Verb REG_MR =
      LIBRARY.pointer("ibv_reg_mr", ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
  public static final Verb DEREG_MR = LIBRARY.status("ibv_dereg_mr", ADDRESS);
  public static final Verb CREATE_COMP_CHANNEL =
      LIBRARY.pointer("ibv_create_comp_channel", ADDRESS);
  public static final Verb DESTROY_COMP_CHANNEL =
      LIBRARY.status("ibv_destroy_comp_channel", ADDRESS);
  public static final Verb CREATE_CQ =
      LIBRARY.pointer("ibv_create_cq", ADDRESS, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);

  /** Frees a CQ; blocks while events of it are not acknowledged. */
  public static final Verb DESTROY_CQ = LIBRARY.status("ibv_destroy_cq", ADDRESS);

  public static final Verb GET_CQ_EVENT =
      LIBRARY.status("ibv_get_cq_event", ADDRESS, ADDRESS, ADDRESS);
  public static final Verb ACK_CQ_EVENTS = LIBRARY.nothing("ibv_ack_cq_events", ADDRESS, JAVA_INT);
  public static final Verb CREATE_SRQ = LIBRARY.pointer("ibv_create_srq", ADDRESS, ADDRESS);

  /** Resizes an SRQ or arms its limit. */
  public static final Verb MODIFY_SRQ =
      LIBRARY.status("ibv_modify_srq", ADDRESS, ADDRESS, JAVA_INT);

  public static final Verb DESTROY_SRQ = LIBRARY.status("ibv_destroy_srq", ADDRESS);
  public static final Verb MODIFY_QP = LIBRARY.status("ibv_modify_qp", ADDRESS, ADDRESS, JAVA_INT);
  public static final Verb QUERY_QP =
      LIBRARY.status("ibv_query_qp", ADDRESS, ADDRESS, JAVA_INT, ADDRESS);

  /** Frees a QP without bound windows; blocks while events of it are not acknowledged. */
  public static final Verb DESTROY_QP = LIBRARY.status("ibv_destroy_qp", ADDRESS);

  public static final Verb QUERY_DEVICE = LIBRARY.status("ibv_query_device", ADDRESS, ADDRESS);

  /** Reads the state of a port; writes 52 bytes. */
  public static final Verb QUERY_PORT =
      LIBRARY.status("ibv_query_port", ADDRESS, JAVA_BYTE, ADDRESS);

  public static final Verb QUERY_GID =
      LIBRARY.status("ibv_query_gid", ADDRESS, JAVA_BYTE, JAVA_INT, ADDRESS);

  /** Returns the name of a device, as in /sys/class/infiniband. */
  public static final Verb GET_DEVICE_NAME = LIBRARY.pointer("ibv_get_device_name", ADDRESS);

  public static final Verb GET_ASYNC_EVENT =
      LIBRARY.status("ibv_get_async_event", ADDRESS, ADDRESS);
  public static final Verb ACK_ASYNC_EVENT = LIBRARY.nothing("ibv_ack_async_event", ADDRESS);
}
