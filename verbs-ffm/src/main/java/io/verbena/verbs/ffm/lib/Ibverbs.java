package io.verbena.verbs.ffm.lib;

import static io.verbena.verbs.ffm.lib.Control.call;
import static io.verbena.verbs.ffm.lib.Control.unexpected;
import static io.verbena.verbs.ffm.lib.Shapes.nothing;
import static io.verbena.verbs.ffm.lib.Shapes.pointer;
import static io.verbena.verbs.ffm.lib.Shapes.status;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.verbs.ext.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The control verbs of libibverbs, one method each. Each fails with a {@link VerbsException}. */
public final class Ibverbs {
  private Ibverbs() {}

  static final String SONAME = "libibverbs.so.1";

  private static final NativeLibrary LIBRARY = new NativeLibrary(SONAME);

  private static final MethodHandle ALLOC_PD = LIBRARY.control("ibv_alloc_pd", pointer(ADDRESS));
  private static final MethodHandle DEALLOC_PD = LIBRARY.control("ibv_dealloc_pd", status(ADDRESS));
  private static final MethodHandle REG_MR =
      LIBRARY.control("ibv_reg_mr", pointer(ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT));
  private static final MethodHandle DEREG_MR = LIBRARY.control("ibv_dereg_mr", status(ADDRESS));
  private static final MethodHandle CREATE_COMP_CHANNEL =
      LIBRARY.control("ibv_create_comp_channel", pointer(ADDRESS));
  private static final MethodHandle DESTROY_COMP_CHANNEL =
      LIBRARY.control("ibv_destroy_comp_channel", status(ADDRESS));
  private static final MethodHandle CREATE_CQ =
      LIBRARY.control("ibv_create_cq", pointer(ADDRESS, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
  private static final MethodHandle DESTROY_CQ = LIBRARY.control("ibv_destroy_cq", status(ADDRESS));
  private static final MethodHandle GET_CQ_EVENT =
      LIBRARY.control("ibv_get_cq_event", status(ADDRESS, ADDRESS, ADDRESS));
  private static final MethodHandle ACK_CQ_EVENTS =
      LIBRARY.control("ibv_ack_cq_events", nothing(ADDRESS, JAVA_INT));
  private static final MethodHandle CREATE_SRQ =
      LIBRARY.control("ibv_create_srq", pointer(ADDRESS, ADDRESS));
  private static final MethodHandle MODIFY_SRQ =
      LIBRARY.control("ibv_modify_srq", status(ADDRESS, ADDRESS, JAVA_INT));
  private static final MethodHandle QUERY_SRQ =
      LIBRARY.control("ibv_query_srq", status(ADDRESS, ADDRESS));
  private static final MethodHandle DESTROY_SRQ =
      LIBRARY.control("ibv_destroy_srq", status(ADDRESS));
  private static final MethodHandle MODIFY_QP =
      LIBRARY.control("ibv_modify_qp", status(ADDRESS, ADDRESS, JAVA_INT));
  private static final MethodHandle QUERY_QP =
      LIBRARY.control("ibv_query_qp", status(ADDRESS, ADDRESS, JAVA_INT, ADDRESS));
  private static final MethodHandle DESTROY_QP = LIBRARY.control("ibv_destroy_qp", status(ADDRESS));
  private static final MethodHandle QUERY_DEVICE =
      LIBRARY.control("ibv_query_device", status(ADDRESS, ADDRESS));
  private static final MethodHandle QUERY_PORT =
      LIBRARY.control("ibv_query_port", status(ADDRESS, JAVA_BYTE, ADDRESS));
  private static final MethodHandle QUERY_GID =
      LIBRARY.control("ibv_query_gid", status(ADDRESS, JAVA_BYTE, JAVA_INT, ADDRESS));
  private static final MethodHandle GET_DEVICE_NAME =
      LIBRARY.control("ibv_get_device_name", pointer(ADDRESS));
  private static final MethodHandle GET_ASYNC_EVENT =
      LIBRARY.control("ibv_get_async_event", status(ADDRESS, ADDRESS));
  private static final MethodHandle ACK_ASYNC_EVENT =
      LIBRARY.control("ibv_ack_async_event", nothing(ADDRESS));

  /** A new protection domain. */
  public static MemorySegment allocPd(MemorySegment context) throws VerbsException {
    try (Control call = call("ibv_alloc_pd")) {
      return call.pointer((MemorySegment) ALLOC_PD.invokeExact(call.errno, context));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Frees a protection domain that nothing stands on. */
  public static void deallocPd(MemorySegment pd) throws VerbsException {
    try (Control call = call("ibv_dealloc_pd")) {
      call.zero((int) DEALLOC_PD.invokeExact(call.errno, pd));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Pins and registers memory. */
  public static MemorySegment regMr(
      MemorySegment pd, MemorySegment address, long length, int access) throws VerbsException {
    try (Control call = call("ibv_reg_mr")) {
      return call.pointer(
          (MemorySegment) REG_MR.invokeExact(call.errno, pd, address, length, access));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Ends a registration. */
  public static void deregMr(MemorySegment mr) throws VerbsException {
    try (Control call = call("ibv_dereg_mr")) {
      call.zero((int) DEREG_MR.invokeExact(call.errno, mr));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** A new completion channel. */
  public static MemorySegment createCompChannel(MemorySegment context) throws VerbsException {
    try (Control call = call("ibv_create_comp_channel")) {
      return call.pointer((MemorySegment) CREATE_COMP_CHANNEL.invokeExact(call.errno, context));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Frees a channel that no CQ uses. */
  public static void destroyCompChannel(MemorySegment channel) throws VerbsException {
    try (Control call = call("ibv_destroy_comp_channel")) {
      call.zero((int) DESTROY_COMP_CHANNEL.invokeExact(call.errno, channel));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** A new completion queue. */
  public static MemorySegment createCq(
      MemorySegment context, int entries, MemorySegment cookie, MemorySegment channel, int vector)
      throws VerbsException {
    try (Control call = call("ibv_create_cq")) {
      return call.pointer(
          (MemorySegment)
              CREATE_CQ.invokeExact(call.errno, context, entries, cookie, channel, vector));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Frees a CQ; blocks while events of it are not acknowledged. */
  public static void destroyCq(MemorySegment cq) throws VerbsException {
    try (Control call = call("ibv_destroy_cq")) {
      call.zero((int) DESTROY_CQ.invokeExact(call.errno, cq));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Takes the next event off a completion channel; false when there is none. */
  public static boolean getCqEvent(
      MemorySegment channel, MemorySegment cqOut, MemorySegment cookieOut) throws VerbsException {
    try (Control call = call("ibv_get_cq_event")) {
      return call.ready((int) GET_CQ_EVENT.invokeExact(call.errno, channel, cqOut, cookieOut));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Acknowledges events of a CQ. */
  public static void ackCqEvents(MemorySegment cq, int count) throws VerbsException {
    try (Control call = call("ibv_ack_cq_events")) {
      ACK_CQ_EVENTS.invokeExact(call.errno, cq, count);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** A new shared receive queue. */
  public static MemorySegment createSrq(MemorySegment pd, MemorySegment initAttr)
      throws VerbsException {
    try (Control call = call("ibv_create_srq")) {
      return call.pointer((MemorySegment) CREATE_SRQ.invokeExact(call.errno, pd, initAttr));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Resizes an SRQ or arms its limit. */
  public static void modifySrq(MemorySegment srq, MemorySegment attr, int mask)
      throws VerbsException {
    try (Control call = call("ibv_modify_srq")) {
      call.zero((int) MODIFY_SRQ.invokeExact(call.errno, srq, attr, mask));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Reads an SRQ's sizes and limit. */
  public static void querySrq(MemorySegment srq, MemorySegment attr) throws VerbsException {
    try (Control call = call("ibv_query_srq")) {
      call.zero((int) QUERY_SRQ.invokeExact(call.errno, srq, attr));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Frees an SRQ that no QP uses. */
  public static void destroySrq(MemorySegment srq) throws VerbsException {
    try (Control call = call("ibv_destroy_srq")) {
      call.zero((int) DESTROY_SRQ.invokeExact(call.errno, srq));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Moves a QP to a state or changes its timers. */
  public static void modifyQp(MemorySegment qp, MemorySegment attr, int mask)
      throws VerbsException {
    try (Control call = call("ibv_modify_qp")) {
      call.zero((int) MODIFY_QP.invokeExact(call.errno, qp, attr, mask));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Reads a QP's attributes. */
  public static void queryQp(MemorySegment qp, MemorySegment attr, int mask, MemorySegment initAttr)
      throws VerbsException {
    try (Control call = call("ibv_query_qp")) {
      call.zero((int) QUERY_QP.invokeExact(call.errno, qp, attr, mask, initAttr));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Frees a QP that nothing is bound to; blocks while events of it are not acknowledged. */
  public static void destroyQp(MemorySegment qp) throws VerbsException {
    try (Control call = call("ibv_destroy_qp")) {
      call.zero((int) DESTROY_QP.invokeExact(call.errno, qp));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Reads a device's limits. */
  public static void queryDevice(MemorySegment context, MemorySegment attr) throws VerbsException {
    try (Control call = call("ibv_query_device")) {
      call.zero((int) QUERY_DEVICE.invokeExact(call.errno, context, attr));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Reads a port's state; 52 bytes are written. */
  public static void queryPort(MemorySegment context, byte port, MemorySegment attr)
      throws VerbsException {
    try (Control call = call("ibv_query_port")) {
      call.zero((int) QUERY_PORT.invokeExact(call.errno, context, port, attr));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Reads an entry of a port's GID table. */
  public static void queryGid(MemorySegment context, byte port, int index, MemorySegment gid)
      throws VerbsException {
    try (Control call = call("ibv_query_gid")) {
      call.zero((int) QUERY_GID.invokeExact(call.errno, context, port, index, gid));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** The name, as in /sys/class/infiniband. */
  public static MemorySegment getDeviceName(MemorySegment device) throws VerbsException {
    try (Control call = call("ibv_get_device_name")) {
      return call.pointer((MemorySegment) GET_DEVICE_NAME.invokeExact(call.errno, device));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Takes the next asynchronous event off a device; false when there is none. */
  public static boolean getAsyncEvent(MemorySegment context, MemorySegment event)
      throws VerbsException {
    try (Control call = call("ibv_get_async_event")) {
      return call.ready((int) GET_ASYNC_EVENT.invokeExact(call.errno, context, event));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Acknowledges an asynchronous event. */
  public static void ackAsyncEvent(MemorySegment event) throws VerbsException {
    try (Control call = call("ibv_ack_async_event")) {
      ACK_ASYNC_EVENT.invokeExact(call.errno, event);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }
}
