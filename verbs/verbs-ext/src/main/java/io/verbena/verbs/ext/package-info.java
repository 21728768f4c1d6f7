/**
 * Extensions of DiSNI's types, as small interfaces that any provider can implement.
 *
 * <p>The roles:
 *
 * <ul>
 *   <li>A <b>provider</b> ({@link io.verbena.verbs.ext.VerbsProvider}) makes objects that extend
 *       DiSNI's classes and implement an interface of this package: its {@code IbvQP} is a {@link
 *       io.verbena.verbs.ext.VerbsQp}, and so on for VerbsContext, VerbsPd, VerbsMr, VerbsCq,
 *       VerbsCompChannel and VerbsCmId. {@link io.verbena.verbs.ext.SharedReceiveQueue} and {@link
 *       io.verbena.verbs.ext.MemoryWindow} have no counterpart in DiSNI.
 *   <li>A <b>user</b> works with DiSNI's types and asks {@code VerbsQp.of(qp)} for the rest.
 *   <li>The data path consists of three concrete classes over off-heap memory in the devices' own
 *       layout: {@link io.verbena.verbs.ext.SendBlock}, {@link io.verbena.verbs.ext.ReceiveBlock}
 *       and {@link io.verbena.verbs.ext.CompletionBlock}. They are filled once and posted often,
 *       without allocation.
 *   <li>The module verbs-disni stands behind DiSNI's static entry points for every provider at
 *       once, and implements DiSNI's calls (RdmaVerbs, RdmaCm, the SVC classes) over the objects. A
 *       provider writes none of these; a program that uses them has that module on its path.
 * </ul>
 *
 * <p>A provider's classes must override these methods of DiSNI, because the bridge calls them:
 *
 * <pre>
 * RdmaEventChannel  createId getCmEvent destroyEventChannel getFd
 * RdmaCmId          createQP bindAddr listen resolveAddr resolveRoute connect accept disconnect
 *                   destroyId destroyQP destroyEp getSource getDestination getVerbs
 * RdmaCmEvent       ackEvent                      (its fields are set by the subclass)
 * IbvContext        allocPd createCompChannel createCQ queryOdpSupport getCmd_fd
 * IbvPd             deallocPd getHandle
 * IbvMr             getAddr getLkey getRkey getLength expPrefetchMr
 * IbvCompChannel    getCqEvent destroyCompChannel getFd
 * IbvCQ             ackEvents destroyCQ
 * IbvQP             getState
 * </pre>
 *
 * <p>Rules for both providers, which the behaviour suite of verbs-testkit states as tests:
 *
 * <ul>
 *   <li>Failures are {@link io.verbena.verbs.ext.VerbsException}s that name the C function. Any use
 *       of a destroyed object is EBADF, never a crash; destroying an object in use is EBUSY and
 *       changes nothing. {@code destroyX()} returns 0 or throws. One exception: DiSNI's own
 *       RdmaCqProvider destroys a completion channel before its queues, so the channel is closed
 *       then, and freed with the last queue.
 *   <li>DiSNI's {@code close()} destroys, too, and wraps the exception in an {@link
 *       java.io.UncheckedIOException}; on an object already destroyed it does nothing.
 *   <li>DiSNI's time limits are milliseconds, -1 for none; those of this package are nanoseconds
 *       and always limited.
 *   <li>{@code getCmEvent} returns null after the time limit. An event keeps its private data until
 *       {@code ackEvent}; an id or channel can be destroyed while events of it are unacknowledged.
 *   <li>{@code createQP} refuses every type but reliable connections, gives requests at least as
 *       many pieces as libdisni does ({@link io.verbena.verbs.ext.QpRequest}), and writes the
 *       resulting capacities into {@code attr.cap()}.
 *   <li>An id that is destroyed still names its device ({@code getVerbs}).
 *   <li>{@code IbvQP.getState} asks the device; a queue pair that is destroyed is in ERR.
 *   <li>DiSNI's calls send an immediate as libdisni does: the bytes of the int as they are in
 *       memory. So a peer that reads it by {@link io.verbena.verbs.ext.CompletionBlock#immediate}
 *       on a little-endian machine finds them reversed. The blocks of this package use this
 *       machine's byte order.
 *   <li>Private data arrives padded with zeros to the limits of {@link
 *       io.verbena.verbs.ext.ConnectionParameters}.
 * </ul>
 *
 * <p>Addresses are raw, as in C, and some are used without a check. The device's library reads the
 * pieces of an inline send in this process when it is posted. The kernel reads the pieces of every
 * request to a device in software. An inline piece that is not mapped ends the JVM with SIGSEGV. So
 * does a block whose arena was closed, or registered memory that was unmapped if the program still
 * touches it. The device checks addresses that belong to a registration; a wrong one causes a
 * completion with an error.
 *
 * <p>Each interface documents its thread-safety. This package starts no thread.
 */
@NullMarked
package io.verbena.verbs.ext;

import org.jspecify.annotations.NullMarked;
