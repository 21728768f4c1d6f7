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

/** The connection manager, librdmacm, one method each. Each fails with a {@link VerbsException}. */
public final class Rdmacm {
  private Rdmacm() {}

  static final String SONAME = "librdmacm.so.1";

  private static final NativeLibrary LIBRARY = new NativeLibrary(SONAME);

  private static final Verb GET_DEVICES = LIBRARY.control("rdma_get_devices", pointer(ADDRESS));
  private static final Verb FREE_DEVICES = LIBRARY.control("rdma_free_devices", nothing(ADDRESS));
  private static final Verb CREATE_EVENT_CHANNEL =
      LIBRARY.control("rdma_create_event_channel", pointer());
  private static final Verb DESTROY_EVENT_CHANNEL =
      LIBRARY.control("rdma_destroy_event_channel", nothing(ADDRESS));
  private static final Verb CREATE_ID =
      LIBRARY.control("rdma_create_id", status(ADDRESS, ADDRESS, ADDRESS, JAVA_INT));
  private static final Verb DESTROY_ID = LIBRARY.control("rdma_destroy_id", status(ADDRESS));
  private static final Verb BIND_ADDR = LIBRARY.control("rdma_bind_addr", status(ADDRESS, ADDRESS));
  private static final Verb LISTEN = LIBRARY.control("rdma_listen", status(ADDRESS, JAVA_INT));
  private static final Verb RESOLVE_ADDR =
      LIBRARY.control("rdma_resolve_addr", status(ADDRESS, ADDRESS, ADDRESS, JAVA_INT));
  private static final Verb RESOLVE_ROUTE =
      LIBRARY.control("rdma_resolve_route", status(ADDRESS, JAVA_INT));
  private static final Verb CONNECT = LIBRARY.control("rdma_connect", status(ADDRESS, ADDRESS));
  private static final Verb ACCEPT = LIBRARY.control("rdma_accept", status(ADDRESS, ADDRESS));
  private static final Verb REJECT =
      LIBRARY.control("rdma_reject", status(ADDRESS, ADDRESS, JAVA_BYTE));
  private static final Verb DISCONNECT = LIBRARY.control("rdma_disconnect", status(ADDRESS));
  private static final Verb CREATE_QP =
      LIBRARY.control("rdma_create_qp", status(ADDRESS, ADDRESS, ADDRESS));
  private static final Verb GET_CM_EVENT =
      LIBRARY.control("rdma_get_cm_event", status(ADDRESS, ADDRESS));
  private static final Verb ACK_CM_EVENT = LIBRARY.control("rdma_ack_cm_event", status(ADDRESS));
  private static final Verb SET_OPTION =
      LIBRARY.control("rdma_set_option", status(ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG));

  /** All devices, each held until {@code rdma_free_devices}: a null-terminated array. */
  public static MemorySegment getDevices(MemorySegment countOut) throws VerbsException {
    return GET_DEVICES.pointer(countOut);
  }

  /** Gives a list of devices back, and the hold on each of them. */
  public static void freeDevices(MemorySegment list) throws VerbsException {
    FREE_DEVICES.run(list);
  }

  /** A new event channel; ENODEV where the kernel has no RDMA, so a cheap probe. */
  public static MemorySegment createEventChannel() throws VerbsException {
    return CREATE_EVENT_CHANNEL.pointer();
  }

  /** Frees a channel that no id uses. */
  public static void destroyEventChannel(MemorySegment channel) throws VerbsException {
    DESTROY_EVENT_CHANNEL.run(channel);
  }

  /** A new id on a channel. */
  public static void createId(
      MemorySegment channel, MemorySegment idOut, MemorySegment cookie, int portSpace)
      throws VerbsException {
    CREATE_ID.zero(channel, idOut, cookie, portSpace);
  }

  /** Frees an id; blocks while events of it are not acknowledged. */
  public static void destroyId(MemorySegment id) throws VerbsException {
    DESTROY_ID.zero(id);
  }

  /** Binds to a local address. */
  public static void bindAddr(MemorySegment id, MemorySegment address) throws VerbsException {
    BIND_ADDR.zero(id, address);
  }

  /** Takes connection requests. */
  public static void listen(MemorySegment id, int backlog) throws VerbsException {
    LISTEN.zero(id, backlog);
  }

  /** Begins to find the device that leads to an address. */
  public static void resolveAddr(
      MemorySegment id, MemorySegment source, MemorySegment destination, int timeoutMillis)
      throws VerbsException {
    RESOLVE_ADDR.zero(id, source, destination, timeoutMillis);
  }

  /** Begins to find the route to an address. */
  public static void resolveRoute(MemorySegment id, int timeoutMillis) throws VerbsException {
    RESOLVE_ROUTE.zero(id, timeoutMillis);
  }

  /** Asks the peer for a connection. */
  public static void connect(MemorySegment id, MemorySegment param) throws VerbsException {
    CONNECT.zero(id, param);
  }

  /** Accepts a request. */
  public static void accept(MemorySegment id, MemorySegment param) throws VerbsException {
    ACCEPT.zero(id, param);
  }

  /** Rejects a request. */
  public static void reject(MemorySegment id, MemorySegment data, byte length)
      throws VerbsException {
    REJECT.zero(id, data, length);
  }

  /** Ends a connection and brings its QP into the error state. */
  public static void disconnect(MemorySegment id) throws VerbsException {
    DISCONNECT.zero(id);
  }

  /** Makes the id's QP; the granted sizes are written back. */
  public static void createQp(MemorySegment id, MemorySegment pd, MemorySegment initAttr)
      throws VerbsException {
    CREATE_QP.zero(id, pd, initAttr);
  }

  /** Takes the next event off a channel; false when there is none. */
  public static boolean getCmEvent(MemorySegment channel, MemorySegment eventOut)
      throws VerbsException {
    return GET_CM_EVENT.ready(channel, eventOut);
  }

  /** Acknowledges and frees an event. */
  public static void ackCmEvent(MemorySegment event) throws VerbsException {
    ACK_CM_EVENT.zero(event);
  }

  /** Sets an option of an id. */
  public static void setOption(
      MemorySegment id, int level, int name, MemorySegment value, long length)
      throws VerbsException {
    SET_OPTION.zero(id, level, name, value, length);
  }
}
