package io.verbena.rdma;

import static io.verbena.testkit.planted.Planting.neverBranching;
import static io.verbena.testkit.planted.Planting.passing;
import static io.verbena.testkit.planted.Planting.reading;
import static io.verbena.testkit.planted.Planting.returning;
import static io.verbena.testkit.planted.Planting.withoutCalling;
import static io.verbena.testkit.planted.Planting.withoutCatching;

import io.verbena.testkit.planted.PlantedTests;
import io.verbena.testkit.planted.Slip;
import java.lang.classfile.Opcode;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The test of {@link OtherDevicesTest}: each fault that some adapter would have shown, put back,
 * fails there.
 */
final class PlantedAdaptersTest {
  private static final String TESTS = "rdma.OtherDevicesTest#";

  /** What is made wrong, one at a time, and which test finds it. */
  enum Planted {
    /** An empty WRITE points to the piece of a request before it: irdma writes that. */
    PROBE_WITH_OLD_PIECE(
        "aSlowReaderLosesNothing",
        Slip.in("verbs.ext.RequestBlock", "begin", passing("putList", 1))),

    /** A path is probed although a peer's device has refused that. */
    PROBE_REFUSED_AGAIN(
        "aSlowReaderLosesNothing",
        Slip.in("rdma.link.SendSide", "probe", returning("sendsEmptyWrites", 1))),

    /** Inline is relied on before it was seen to work. */
    INLINE_UNPROVEN(
        "aDeviceThatIgnoresInlineIsFoundOut",
        Slip.in("rdma.link.SendSide", "post", returning("trustsInline", 1))),

    /** The driver that is known to ignore inline is not: its first link is lost. */
    INLINE_OF_MANA(
        "whatWasSentBeforeALinkIsClosedArrives",
        Slip.in("rdma.device.RdmaDevice", "<init>", returning("equals", 0))),

    /** The first inline length that a device takes is taken for its longest. */
    INLINE_NOT_TO_THE_BYTE(
        "anInlineLengthIsFoundToTheByte",
        Slip.in("rdma.device.RdmaDevice", "create", neverBranching(Opcode.IF_ICMPNE))),

    /** A request that is refused in ERR leaves the drain to its time limit. */
    LATE_REQUEST_REFUSED(
        "aLinkIsDrainedSoonWhateverADeviceDoesInErr",
        Slip.in("rdma.link.QpDrain", "postLastSend", withoutCatching("IOException"))),

    /** A late request that is dropped is waited for. */
    LATE_REQUEST_DROPPED(
        "aLinkIsDrainedSoonWhateverADeviceDoesInErr",
        Slip.in("rdma.link.QpDrain", "drain", returning("flushesLateRequests", 1))),

    /** Receives that no device flushes are waited for. */
    RECEIVES_NEVER_FLUSHED(
        "aLinkIsDrainedSoonWhateverADeviceDoesInErr",
        Slip.in("rdma.link.QpDrain", "drainsByTime", reading("refused", 0))),

    /** A drain ends by its first time limit, whatever a device has flushed meanwhile. */
    DRAIN_WITHOUT_PROGRESS(
        "aDeviceThatFlushesSlowlyIsWaitedForAsLongAsItGoesOn",
        Slip.in("rdma.link.QpDrain", "lookAtFlushes", reading("draining", 0))),

    /** A device is left to find dead paths that keeps its own timers. */
    TIMERS_IGNORED(
        "aDeadPathIsNoticedThoughTheDeviceKeepsItsOwnTimers",
        Slip.in("rdma.device.RdmaDevice", "<init>", returning("keepsAckTimeout", 1))),

    /** A device that refuses another RNR timer ends the link. */
    RNR_TIMER_REFUSED(
        "aLinkIsDrainedSoonWhateverADeviceDoesInErr",
        Slip.in("rdma.device.QueuePair", "established", withoutCatching("VerbsException"))),

    /** No iWARP device is thought to have immediates. */
    IMMEDIATES_OF_ERDMA(
        "immediatesAreUsedWhereADeviceHasThem",
        Slip.in("verbs.ext.DeviceAttributes", "hasWriteWithImmediate", reading("vendor", 0))),

    /** Shared receives that a device refuses cost the link. */
    SHARED_RECEIVES_REFUSED(
        "sharedReceivesThatAreReportedAndRefusedAreDoneWithout",
        Slip.in("rdma.device.RdmaDevice", "shareReceives", withoutCatching("VerbsException"))),

    /** Windows are relied on that the library does not make. */
    WINDOWS_NOT_TRIED(
        "withoutWindowsWhateverTheKernelReportsLinksShareNothing",
        Slip.in("rdma.device.RdmaDevice", "opening", returning("makesWindows", 1))),

    /** Windows are bound again that a device has refused to bind. */
    BINDS_REFUSED_AGAIN(
        "aDeviceThatRefusesBindsIsOpenedByRegistrationsFromTheNextLinkOn",
        Slip.in("rdma.device.RdmaDevice", "enter", returning("bindsWindows", 1))),

    /** A window's key is sent behind its bind, and may overtake it. */
    KEY_BEFORE_ITS_BIND(
        "whoeverIsToldOfMemoryMayWriteThere",
        Slip.in("rdma.link.SendSide", "fence", reading("bound", 0))),

    /** READs are posted to a device that has none. */
    READS_WITHOUT_DEPTH(
        "withoutReadsNoMemoryIsReadByTheDevice",
        Slip.in("rdma.link.RdmaLink", "reads", reading("reads", 1))),

    /** Over TCP, a completed Send is taken for a delivered one. */
    FAREWELL_NOT_DELIVERED(
        "whatWasSentBeforeALinkIsClosedArrives",
        Slip.in("rdma.link.RdmaLink", "sent", returning("completesAfterDelivery", 1))),

    /** The end that accepted an iWARP connection sends first. */
    ACCEPTOR_SPEAKS_FIRST(
        "theEndThatAcceptedMayHaveTheFirstFrame",
        Slip.in("rdma.link.RdmaLink", "established", returning("acceptorListensFirst", 0))),

    /** The end that connected says nothing, and the other waits. */
    NO_HELLO(
        "theEndThatAcceptedMayHaveTheFirstFrame",
        Slip.in("rdma.link.RdmaLink", "established", withoutCalling("sayHello")));

    private final String foundBy;

    @SuppressWarnings("ImmutableEnumChecker") // nobody changes it
    private final List<Slip> slips;

    Planted(String foundBy, Slip... slips) {
      this.foundBy = foundBy;
      this.slips = List.of(slips);
    }
  }

  @ParameterizedTest
  @EnumSource
  void isFound(Planted fault) {
    PlantedTests.assertFound(fault.name(), fault.slips, TESTS + fault.foundBy);
  }

  static Stream<String> tests() {
    return Arrays.stream(Planted.values()).map(fault -> fault.foundBy).distinct();
  }

  /** Otherwise it would be no sign that they fail. */
  @ParameterizedTest
  @MethodSource("tests")
  void isFoundByATestThatPasses(String test) {
    PlantedTests.assertPasses(TESTS + test);
  }
}
