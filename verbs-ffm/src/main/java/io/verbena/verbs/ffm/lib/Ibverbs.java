package io.verbena.verbs.ffm.lib;

import static io.verbena.verbs.ffm.lib.Shapes.nothing;
import static io.verbena.verbs.ffm.lib.Shapes.pointer;
import static io.verbena.verbs.ffm.lib.Shapes.status;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.verbs.ext.VerbsException;
import java.lang.foreign.MemorySegment;

/** The control verbs of libibverbs, one method each. Each fails with a {@link VerbsException}. */
public final class Ibverbs {
  private Ibverbs() {}

  static final String SONAME = "libibverbs.so.1";

  private static final NativeLibrary LIBRARY = new NativeLibrary(SONAME);

  private static final Verb ALLOC_PD = LIBRARY.control("ibv_alloc_pd", pointer(ADDRESS));
  private static final Verb DEALLOC_PD = LIBRARY.control("ibv_dealloc_pd", status(ADDRESS));
  private static final Verb REG_MR =
      LIBRARY.control("ibv_reg_mr", pointer(ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT));
  private static final Verb DEREG_MR = LIBRARY.control("ibv_dereg_mr", status(ADDRESS));
  private static final Verb CREATE_COMP_CHANNEL =
      LIBRARY.control("ibv_create_comp_channel", pointer(ADDRESS));
  private static final Verb DESTROY_COMP_CHANNEL =
      LIBRARY.control("ibv_destroy_comp_channel", status(ADDRESS));
  private static final Verb CREATE_CQ =
      LIBRARY.control("ibv_create_cq", pointer(ADDRESS, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
  private static final Verb DESTROY_CQ = LIBRARY.control("ibv_destroy_cq", status(ADDRESS));
  private static final Verb GET_CQ_EVENT =
      LIBRARY.control("ibv_get_cq_event", status(ADDRESS, ADDRESS, ADDRESS));
  private static final Verb ACK_CQ_EVENTS =
      LIBRARY.control("ibv_ack_cq_events", nothing(ADDRESS, JAVA_INT));
  private static final Verb CREATE_SRQ =
      LIBRARY.control("ibv_create_srq", pointer(ADDRESS, ADDRESS));
  private static final Verb MODIFY_SRQ =
      LIBRARY.control("ibv_modify_srq", status(ADDRESS, ADDRESS, JAVA_INT));
  private static final Verb DESTROY_SRQ = LIBRARY.control("ibv_destroy_srq", status(ADDRESS));
  private static final Verb MODIFY_QP =
      LIBRARY.control("ibv_modify_qp", status(ADDRESS, ADDRESS, JAVA_INT));
  private static final Verb QUERY_QP =
      LIBRARY.control("ibv_query_qp", status(ADDRESS, ADDRESS, JAVA_INT, ADDRESS));
  private static final Verb DESTROY_QP = LIBRARY.control("ibv_destroy_qp", status(ADDRESS));
  private static final Verb QUERY_DEVICE =
      LIBRARY.control("ibv_query_device", status(ADDRESS, ADDRESS));
  private static final Verb QUERY_PORT =
      LIBRARY.control("ibv_query_port", status(ADDRESS, JAVA_BYTE, ADDRESS));
  private static final Verb QUERY_GID =
      LIBRARY.control("ibv_query_gid", status(ADDRESS, JAVA_BYTE, JAVA_INT, ADDRESS));
  private static final Verb GET_DEVICE_NAME =
      LIBRARY.control("ibv_get_device_name", pointer(ADDRESS));
  private static final Verb GET_ASYNC_EVENT =
      LIBRARY.control("ibv_get_async_event", status(ADDRESS, ADDRESS));
  private static final Verb ACK_ASYNC_EVENT =
      LIBRARY.control("ibv_ack_async_event", nothing(ADDRESS));

  /** A new protection domain. */
  public static MemorySegment allocPd(MemorySegment context) throws VerbsException {
    return ALLOC_PD.pointer(context);
  }

  /** Frees a protection domain that nothing stands on. */
  public static void deallocPd(MemorySegment pd) throws VerbsException {
    DEALLOC_PD.zero(pd);
  }

  /** Pins and registers memory. */
  public static MemorySegment regMr(
      MemorySegment pd, MemorySegment address, long length, int access) throws VerbsException {
    return REG_MR.pointer(pd, address, length, access);
  }

  /** Ends a registration. */
  public static void deregMr(MemorySegment mr) throws VerbsException {
    DEREG_MR.zero(mr);
  }

  /** A new completion channel. */
  public static MemorySegment createCompChannel(MemorySegment context) throws VerbsException {
    return CREATE_COMP_CHANNEL.pointer(context);
  }

  /** Frees a channel that no CQ uses. */
  public static void destroyCompChannel(MemorySegment channel) throws VerbsException {
    DESTROY_COMP_CHANNEL.zero(channel);
  }

  /** A new completion queue. */
  public static MemorySegment createCq(
      MemorySegment context, int entries, MemorySegment cookie, MemorySegment channel, int vector)
      throws VerbsException {
    return CREATE_CQ.pointer(context, entries, cookie, channel, vector);
  }

  /** Frees a CQ; blocks while events of it are not acknowledged. */
  public static void destroyCq(MemorySegment cq) throws VerbsException {
    DESTROY_CQ.zero(cq);
  }

  /** Takes the next event off a completion channel; false when there is none. */
  public static boolean getCqEvent(
      MemorySegment channel, MemorySegment cqOut, MemorySegment cookieOut) throws VerbsException {
    return GET_CQ_EVENT.ready(channel, cqOut, cookieOut);
  }

  /** Acknowledges events of a CQ. */
  public static void ackCqEvents(MemorySegment cq, int count) throws VerbsException {
    ACK_CQ_EVENTS.run(cq, count);
  }

  /** A new shared receive queue. */
  public static MemorySegment createSrq(MemorySegment pd, MemorySegment initAttr)
      throws VerbsException {
    return CREATE_SRQ.pointer(pd, initAttr);
  }

  /** Resizes an SRQ or arms its limit. */
  public static void modifySrq(MemorySegment srq, MemorySegment attr, int mask)
      throws VerbsException {
    MODIFY_SRQ.zero(srq, attr, mask);
  }

  /** Frees an SRQ that no QP uses. */
  public static void destroySrq(MemorySegment srq) throws VerbsException {
    DESTROY_SRQ.zero(srq);
  }

  /** Moves a QP to a state or changes its timers. */
  public static void modifyQp(MemorySegment qp, MemorySegment attr, int mask)
      throws VerbsException {
    MODIFY_QP.zero(qp, attr, mask);
  }

  /** Reads a QP's attributes. */
  public static void queryQp(MemorySegment qp, MemorySegment attr, int mask, MemorySegment initAttr)
      throws VerbsException {
    QUERY_QP.zero(qp, attr, mask, initAttr);
  }

  /** Frees a QP that nothing is bound to; blocks while events of it are not acknowledged. */
  public static void destroyQp(MemorySegment qp) throws VerbsException {
    DESTROY_QP.zero(qp);
  }

  /** Reads a device's limits. */
  public static void queryDevice(MemorySegment context, MemorySegment attr) throws VerbsException {
    QUERY_DEVICE.zero(context, attr);
  }

  /** Reads a port's state; 52 bytes are written. */
  public static void queryPort(MemorySegment context, byte port, MemorySegment attr)
      throws VerbsException {
    QUERY_PORT.zero(context, port, attr);
  }

  /** Reads an entry of a port's GID table. */
  public static void queryGid(MemorySegment context, byte port, int index, MemorySegment gid)
      throws VerbsException {
    QUERY_GID.zero(context, port, index, gid);
  }

  /** The name, as in /sys/class/infiniband. */
  public static MemorySegment getDeviceName(MemorySegment device) throws VerbsException {
    return GET_DEVICE_NAME.pointer(device);
  }

  /** Takes the next asynchronous event off a device; false when there is none. */
  public static boolean getAsyncEvent(MemorySegment context, MemorySegment event)
      throws VerbsException {
    return GET_ASYNC_EVENT.ready(context, event);
  }

  /** Acknowledges an asynchronous event. */
  public static void ackAsyncEvent(MemorySegment event) throws VerbsException {
    ACK_ASYNC_EVENT.run(event);
  }
}
