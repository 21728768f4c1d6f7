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

/** The connection manager, librdmacm, one method each. Each fails with a {@link VerbsException}. */
public final class Rdmacm {
  private Rdmacm() {}

  static final String SONAME = "librdmacm.so.1";

  private static final NativeLibrary LIBRARY = new NativeLibrary(SONAME);

  private static final MethodHandle GET_DEVICES =
      LIBRARY.control("rdma_get_devices", pointer(ADDRESS));
  private static final MethodHandle FREE_DEVICES =
      LIBRARY.control("rdma_free_devices", nothing(ADDRESS));
  private static final MethodHandle CREATE_EVENT_CHANNEL =
      LIBRARY.control("rdma_create_event_channel", pointer());
  private static final MethodHandle DESTROY_EVENT_CHANNEL =
      LIBRARY.control("rdma_destroy_event_channel", nothing(ADDRESS));
  private static final MethodHandle CREATE_ID =
      LIBRARY.control("rdma_create_id", status(ADDRESS, ADDRESS, ADDRESS, JAVA_INT));
  private static final MethodHandle DESTROY_ID =
      LIBRARY.control("rdma_destroy_id", status(ADDRESS));
  private static final MethodHandle BIND_ADDR =
      LIBRARY.control("rdma_bind_addr", status(ADDRESS, ADDRESS));
  private static final MethodHandle LISTEN =
      LIBRARY.control("rdma_listen", status(ADDRESS, JAVA_INT));
  private static final MethodHandle RESOLVE_ADDR =
      LIBRARY.control("rdma_resolve_addr", status(ADDRESS, ADDRESS, ADDRESS, JAVA_INT));
  private static final MethodHandle RESOLVE_ROUTE =
      LIBRARY.control("rdma_resolve_route", status(ADDRESS, JAVA_INT));
  private static final MethodHandle CONNECT =
      LIBRARY.control("rdma_connect", status(ADDRESS, ADDRESS));
  private static final MethodHandle ACCEPT =
      LIBRARY.control("rdma_accept", status(ADDRESS, ADDRESS));
  private static final MethodHandle REJECT =
      LIBRARY.control("rdma_reject", status(ADDRESS, ADDRESS, JAVA_BYTE));
  private static final MethodHandle DISCONNECT =
      LIBRARY.control("rdma_disconnect", status(ADDRESS));
  private static final MethodHandle CREATE_QP =
      LIBRARY.control("rdma_create_qp", status(ADDRESS, ADDRESS, ADDRESS));
  private static final MethodHandle GET_CM_EVENT =
      LIBRARY.control("rdma_get_cm_event", status(ADDRESS, ADDRESS));
  private static final MethodHandle ACK_CM_EVENT =
      LIBRARY.control("rdma_ack_cm_event", status(ADDRESS));
  private static final MethodHandle SET_OPTION =
      LIBRARY.control("rdma_set_option", status(ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG));

  /** All devices, each held until {@code rdma_free_devices}: a null-terminated array. */
  public static MemorySegment getDevices(MemorySegment countOut) throws VerbsException {
    try (Control call = call("rdma_get_devices")) {
      return call.pointer((MemorySegment) GET_DEVICES.invokeExact(call.errno, countOut));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Gives a list of devices back, and the hold on each of them. */
  public static void freeDevices(MemorySegment list) throws VerbsException {
    try (Control call = call("rdma_free_devices")) {
      FREE_DEVICES.invokeExact(call.errno, list);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** A new event channel; ENODEV where the kernel has no RDMA, so a cheap probe. */
  public static MemorySegment createEventChannel() throws VerbsException {
    try (Control call = call("rdma_create_event_channel")) {
      return call.pointer((MemorySegment) CREATE_EVENT_CHANNEL.invokeExact(call.errno));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Frees a channel that no id uses. */
  public static void destroyEventChannel(MemorySegment channel) throws VerbsException {
    try (Control call = call("rdma_destroy_event_channel")) {
      DESTROY_EVENT_CHANNEL.invokeExact(call.errno, channel);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** A new id on a channel. */
  public static void createId(
      MemorySegment channel, MemorySegment idOut, MemorySegment cookie, int portSpace)
      throws VerbsException {
    try (Control call = call("rdma_create_id")) {
      call.zero((int) CREATE_ID.invokeExact(call.errno, channel, idOut, cookie, portSpace));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Frees an id; blocks while events of it are not acknowledged. */
  public static void destroyId(MemorySegment id) throws VerbsException {
    try (Control call = call("rdma_destroy_id")) {
      call.zero((int) DESTROY_ID.invokeExact(call.errno, id));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Binds to a local address. */
  public static void bindAddr(MemorySegment id, MemorySegment address) throws VerbsException {
    try (Control call = call("rdma_bind_addr")) {
      call.zero((int) BIND_ADDR.invokeExact(call.errno, id, address));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Takes connection requests. */
  public static void listen(MemorySegment id, int backlog) throws VerbsException {
    try (Control call = call("rdma_listen")) {
      call.zero((int) LISTEN.invokeExact(call.errno, id, backlog));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Begins to find the device that leads to an address. */
  public static void resolveAddr(
      MemorySegment id, MemorySegment source, MemorySegment destination, int timeoutMillis)
      throws VerbsException {
    try (Control call = call("rdma_resolve_addr")) {
      call.zero((int) RESOLVE_ADDR.invokeExact(call.errno, id, source, destination, timeoutMillis));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Begins to find the route to an address. */
  public static void resolveRoute(MemorySegment id, int timeoutMillis) throws VerbsException {
    try (Control call = call("rdma_resolve_route")) {
      call.zero((int) RESOLVE_ROUTE.invokeExact(call.errno, id, timeoutMillis));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Asks the peer for a connection. */
  public static void connect(MemorySegment id, MemorySegment param) throws VerbsException {
    try (Control call = call("rdma_connect")) {
      call.zero((int) CONNECT.invokeExact(call.errno, id, param));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Accepts a request. */
  public static void accept(MemorySegment id, MemorySegment param) throws VerbsException {
    try (Control call = call("rdma_accept")) {
      call.zero((int) ACCEPT.invokeExact(call.errno, id, param));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Rejects a request. */
  public static void reject(MemorySegment id, MemorySegment data, byte length)
      throws VerbsException {
    try (Control call = call("rdma_reject")) {
      call.zero((int) REJECT.invokeExact(call.errno, id, data, length));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Ends a connection and brings its QP into the error state. */
  public static void disconnect(MemorySegment id) throws VerbsException {
    try (Control call = call("rdma_disconnect")) {
      call.zero((int) DISCONNECT.invokeExact(call.errno, id));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Makes the id's QP; the granted sizes are written back. */
  public static void createQp(MemorySegment id, MemorySegment pd, MemorySegment initAttr)
      throws VerbsException {
    try (Control call = call("rdma_create_qp")) {
      call.zero((int) CREATE_QP.invokeExact(call.errno, id, pd, initAttr));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Takes the next event off a channel; false when there is none. */
  public static boolean getCmEvent(MemorySegment channel, MemorySegment eventOut)
      throws VerbsException {
    try (Control call = call("rdma_get_cm_event")) {
      return call.ready((int) GET_CM_EVENT.invokeExact(call.errno, channel, eventOut));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Acknowledges and frees an event. */
  public static void ackCmEvent(MemorySegment event) throws VerbsException {
    try (Control call = call("rdma_ack_cm_event")) {
      call.zero((int) ACK_CM_EVENT.invokeExact(call.errno, event));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** Sets an option of an id. */
  public static void setOption(
      MemorySegment id, int level, int name, MemorySegment value, long length)
      throws VerbsException {
    try (Control call = call("rdma_set_option")) {
      call.zero((int) SET_OPTION.invokeExact(call.errno, id, level, name, value, length));
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }
}
