package io.verbena.simulation;

import io.verbena.testkit.planted.Planting;
import io.verbena.testkit.planted.Slip;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.util.List;

/**
 * What is made wrong, one at a time, and within how many seeds the simulation finds it at the
 * latest: from 1 on, unless another first one is given.
 */
enum Planted {
  /** A loop goes on with the time that it read before it waited. */
  STALE_CLOCK(4, Slip.in("core.loop.EventLoop", "endWait", Planting.withoutWriting("stale"))),

  /** Slots do not come back to their pool. */
  SLOTS_NOT_RETURNED(
      1, Slip.in("link.memory.SlotPool", "putBack", Planting.withoutCalling("offer"))),

  /** The memory that a handler reserved for its reply is not given back. */
  QUOTA_NOT_GIVEN_BACK(
      2, Slip.in("core.call.HandlerStarts", "ended", Planting.withoutCalling("release"))),

  /** Credit that went back is owed again. */
  CREDIT_RETURNED_TWICE(
      8, Slip.in("rdma.link.CreditLedger", "posted", Planting.withoutWriting("toPost"))),

  /** Memory goes back to its owner before the writer is fenced off it. */
  QUARANTINE_SKIPPED(
      8, Slip.in("core.transfer.GrantedPieces", "isFenced", Planting.reading("fences", 0))),

  /** The sender of what was fetched is never told that all has arrived. */
  SENDER_NEVER_TOLD(
      4, Slip.in("core.transfer.Transfers", "tellSenders", Planting.withoutCalling("sendBulk"))),

  /** A landing tells its owner that nothing comes any more when it has merely asked for that. */
  FENCE_BEFORE_IT_STANDS(
      12,
      Workload.CANCELLED_OBJECTS,
      Slip.in(
          "rdma.link.LocalTargets$LocalTarget",
          "close",
          Planting.runInPlaceOfKeeping("whenFenced"))),

  /** What is written from is deregistered when the first of several writes from it is over. */
  DEREGISTERED_WHILE_IN_USE(
      8,
      Workload.CANCELLED_OBJECTS,
      Slip.in("core.transfer.Attached", "freeIfRetired", Planting.reading("retired", 1)),
      Slip.in("core.transfer.Attached", "freeIfRetired", Planting.reading("underWay", 0)),
      Slip.in("rdma.device.Domain", "release", Planting.withoutCalling("mayStay"))),

  /** An immediate counts for whatever landing has its slot now. */
  EPOCH_IGNORED(
      1,
      6,
      Workload.PATIENT,
      "FORGES_IMMEDIATES",
      Slip.in("rdma.link.LocalTargets$Names", "find", Planting.takenForVariable("name", 1))),

  /** A frame is acknowledged that has not come. */
  ACKNOWLEDGED_BEFORE_RECEIVED(
      2, Slip.in("core.session.SessionLinks", "sendFrames", Planting.oneMoreThan("received"))),

  /** A call is answered that was not executed. */
  ANSWERED_BEFORE_EXECUTED(
      2, Slip.in("core.call.ServerCall", "invoke", Planting.withoutCalling("run"))),

  /** A stream's publisher is not told that nobody takes its items any more. */
  PUBLISHER_NOT_CANCELLED(
      4, Slip.in("core.stream.OutgoingStream", "cancel", Planting.withoutCalling("run"))),

  /** An item that is taken for sending is lost. */
  ITEM_DROPPED(2, Slip.in("core.stream.OutgoingStream", "write", new WithoutFirstItem())),

  /** A stream whose peer is gone does not say so. */
  STREAM_OUTLIVES_SESSION(
      4, Slip.in("core.stream.SessionStreams", "peerGone", Planting.withoutCalling("forEach"))),

  /** The end that sends a stream does not hear that nobody takes it any more. */
  ENDED_STREAM_NOT_TOLD(
      4, Slip.in("core.stream.IncomingStream", "end", Planting.withoutCalling("stop"))),

  /** Waiting frames are sent with the latest first. */
  ORDER_BROKEN_BY_PACKING(
      2, Slip.in("core.sequence.Outbox", "add", Planting.calling("addFirst", "addLast"))),

  /**
   * What has been received is taken again when it is sent again. That happens where a better link
   * is lost while one end has left the first one and the other has not.
   */
  RESENT_WITHOUT_DEDUPLICATION(
      8,
      Workload.SETTLING,
      Slip.in(
          "core.sequence.Inbox", "accept", CodeTransform.ofStateful(WithoutDeduplication::new))),

  /** A better link need not stand for a while for the next to be asked for soon after its loss. */
  SOON_ASKED_AGAIN(
      8,
      Workload.FLAPPING,
      Slip.in("core.session.Upgrade", "backOff", Planting.neverBranching(Opcode.IFLT))),

  /** A resumed session asks for a better link at once, however often one was lost. */
  ASKED_WITH_EACH_LINK(
      8,
      Workload.FLAPPING,
      Slip.in("core.session.Upgrade", "linked", Planting.returning("isDue", 1))),

  /** What waits for a server that takes nothing compressed is left as it is. */
  COMPRESSED_FOR_THE_PEER_BEFORE(
      40,
      Workload.COMPRESSED,
      Slip.in("core.call.PendingCall", "directTo", Planting.withoutCalling("expandUnlessTaken"))),

  /**
   * A word is exchanged, or added to, once more when its question is sent again, and nobody minds
   * the second answer: words alone tell of it.
   */
  REGION_CHANGED_TWICE(
      12,
      Workload.REGIONS_SETTLING,
      "operations on words are linearizable",
      Slip.in("core.sequence.Inbox", "accept", CodeTransform.ofStateful(WithoutDeduplication::new)),
      Slip.in("core.call.OutgoingCalls", "take", Planting.withoutCalling("notMade"))),

  /** A closed region does what it is asked for. */
  REGION_REACHED_AFTER_ITS_END(
      8,
      Workload.REGIONS,
      Slip.in("core.region.ExposedRegions", "lambda$expose$0", Planting.withoutCalling("remove")),
      Slip.in("core.region.ExposedRegions", "find", Planting.returning("isOpen", 1)),
      Slip.in("core.region.Exposure", "checkOpen", Planting.reading("open", 1))),

  /** The pieces of a request are read and written from the last to the first. */
  REGION_PIECES_TURNED_ROUND(
      20,
      Workload.REGIONS,
      Slip.in("core.region.SessionRegions", "checked", Planting.reversing("copyOf"))),

  /** A region has ended when its peer is merely asked to leave it alone. */
  REGION_FENCED_TOO_EARLY(
      20,
      Workload.REGIONS,
      Slip.in(
          "rdma.link.LocalTargets$LocalTarget",
          "close",
          Planting.runInPlaceOfKeeping("whenFenced"))),

  /** A word that is written is not. */
  REGION_WRITE_LOST(
      4,
      Workload.REGIONS,
      Slip.in("core.region.Exposure", "write", Planting.withoutCalling("setVolatile"))),

  /** An addition returns more than the former value. */
  REGION_ADDED_TO_MORE(
      4,
      Workload.REGIONS,
      Slip.in("core.region.Exposure", "getAndAdd", Planting.oneMoreThan("getAndAdd"))),

  /** A lease is over, and its region does not end. */
  REGION_LEASE_FOR_EVER(
      8,
      Workload.REGIONS,
      Slip.in("core.region.Exposure", "watchLease", Planting.withoutCalling("closed"))),

  /** A peer's loss ends none of its regions. */
  REGION_OUTLIVES_PEER(
      4,
      Workload.REGIONS,
      Slip.in("core.region.ExposedRegions", "peerGone", Planting.withoutCalling("forEach"))),

  /** A region allows whatever it is asked for. */
  REGION_RIGHTS_IGNORED(
      20,
      Workload.REGIONS,
      Slip.in("core.region.Exposure", "checkOpen", Planting.returning("access", 7))),

  /** A device is asked for more than the region has. */
  REGION_READ_BEYOND(
      20, Workload.REGIONS, Slip.in("core.region.OneSided", "start", Planting.returning("fit", 1))),

  /** What a device has read of, when its link is lost, is taken for read. */
  REGION_READ_FROM_DEAD_LINK(
      40,
      Workload.REGIONS,
      Slip.in("core.region.OneSided$Access", "over", Planting.returning("isClosed", 0))),

  /** A write that may have happened is reported as not executed. */
  REGION_PUT_SAID_NOT_TO_BE(
      8,
      Workload.REGIONS_LOST,
      Slip.in(
          "core.region.OneSided$Access", "failure", Planting.constant("NOT_EXECUTED", "UNKNOWN"))),

  /** A caller that has stepped a loop keeps the helm. */
  HELM_KEPT(
      12, Workload.CALLERS, Slip.in("core.loop.Helm", "release", Planting.withoutCalling("set"))),

  /** A loop's own thread waits for ever while callers may step it. */
  HELM_NOT_TAKEN_BACK(
      8, Workload.CALLERS, Slip.in("core.loop.Helm", "letGo", Planting.returning("takesBack", 0))),

  /** The reply that was kept until the helm was free is never told. */
  KEPT_REPLY_NOT_TOLD(
      8, Workload.CALLERS, Slip.in("core.loop.Helm", "tellLast", Planting.withoutCalling("run"))),

  /** A call that its caller may not step is not handed to the loop either. */
  CALL_NEITHER_DRIVEN_NOR_EXECUTED(
      4,
      Workload.CALLERS,
      Slip.in("core.call.SessionCaller", "begin", Planting.returning("drive", 1))),

  /** A record is told of whose bytes are not in the ring. */
  SHM_TOLD_WITHOUT_BYTES(
      4, Workload.SHM, Slip.in("shm.OutRing", "frame", Planting.withoutCalling("put"))),

  /** Bytes that the peer has not consumed are written over. */
  SHM_WRITTEN_OVER(
      8,
      Workload.SHM_STANDING_STILL,
      Slip.in("shm.OutRing", "frame", Planting.returning("hasRoom", 1))),

  /** The reader is not told that the rest of the ring is left out. */
  SHM_WRAP_NOT_TOLD(
      8, Workload.SHM, Slip.in("shm.OutRing", "claim", Planting.withoutCalling("header"))),

  /** A peer that sleeps is not rung for. */
  SHM_BELL_LOST(
      20,
      Workload.SHM_PATIENT,
      Slip.in("shm.ShmLink", "wakeOnce", Planting.withoutCalling("wakePeer"))),

  /** The peer is not told what has been consumed. */
  SHM_CONSUMED_NOT_TOLD(
      8,
      Workload.SHM_PATIENT,
      Slip.in("shm.InRing", "tell", Planting.withoutCalling("setRelease"))),

  /** An object is told of whose bytes are still in the ring. */
  SHM_LANDED_WITHOUT_BYTES(
      4, Workload.SHM_PATIENT, Slip.in("shm.ShmBulk", "land", Planting.withoutCalling("copy"))),

  /** Bytes for a closed target go to its memory. */
  SHM_CLOSED_TARGET_WRITTEN(
      8,
      Workload.SHM_CANCELLED_OBJECTS,
      Slip.in("shm.ShmBulk$Target", "close", Planting.withoutCalling("remove")));

  private final long first;
  private final int seeds;
  private final Workload workload;
  private final String mischief;
  private final String rule;

  @SuppressWarnings("ImmutableEnumChecker") // nobody changes it
  private final List<Slip> slips;

  Planted(int seeds, Slip... slips) {
    this(1, seeds, Workload.DRAWN, "", "", slips);
  }

  Planted(int seeds, Workload workload, Slip... slips) {
    this(1, seeds, workload, "", "", slips);
  }

  Planted(int seeds, Workload workload, String rule, Slip... slips) {
    this(1, seeds, workload, "", rule, slips);
  }

  Planted(long first, int seeds, Workload workload, String mischief, Slip... slips) {
    this(first, seeds, workload, mischief, "", slips);
  }

  Planted(long first, int seeds, Workload workload, String mischief, String rule, Slip... slips) {
    this.first = first;
    this.seeds = seeds;
    this.workload = workload;
    this.mischief = mischief;
    this.rule = rule;
    this.slips = List.of(slips);
  }

  /** Returns the first seed that is tried. */
  long first() {
    return first;
  }

  /** Returns how many are tried. */
  int seeds() {
    return seeds;
  }

  Workload workload() {
    return workload;
  }

  /** Returns what one client does meanwhile; empty: nothing. */
  String mischief() {
    return mischief;
  }

  /** Returns the rule that it breaks before any other; empty: some rule. */
  String rule() {
    return rule;
  }

  List<Slip> slips() {
    return slips;
  }
}
