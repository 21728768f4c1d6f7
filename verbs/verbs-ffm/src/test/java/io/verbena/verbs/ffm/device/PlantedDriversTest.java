package io.verbena.verbs.ffm.device;

import static io.verbena.testkit.planted.Planting.neverBranching;
import static io.verbena.testkit.planted.Planting.number;
import static io.verbena.testkit.planted.Planting.returning;

import io.verbena.testkit.planted.PlantedTests;
import io.verbena.testkit.planted.Slip;
import java.lang.classfile.Opcode;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The test of tests of other drivers: each fault that some would have shown, put back, fails. */
final class PlantedDriversTest {
  /** What is made wrong, one at a time, and which test finds it. */
  enum Planted {
    /** A poll that makes a system call is a critical call. */
    POLL_BY_SYSTEM_CALL(
        "device.OtherDriversTest#pollsThatMakeASystemCallAreKnown",
        Slip.in("verbs.ffm.device.FfmContext", "pollsBySystemCall", returning("contains", 0))),

    /** What a poll returns is taken for an error number. */
    COUNT_TAKEN_FOR_ERRNO(
        "cq.FfmCqTest#aNegativeCountIsNoErrorNumber",
        Slip.in("verbs.ffm.cq.FfmCq", "broken", number(2, 5))),

    /** Devices that nobody can use are held open. */
    DEVICES_HELD_OPEN(
        "device.OtherDriversTest#devicesWithoutConnectionsAreLeftAlone",
        Slip.in("verbs.ffm.device.Devices", "onlyWithoutConnections", returning("allMatch", 0))),

    /** A port in INIT is no port. */
    PORT_IN_INIT(
        "device.OtherDriversTest#aPortOfIwarpCarriesTrafficInInit",
        Slip.in("verbs.ffm.device.DeviceQueries", "carries", number(4, 2))),

    /** Every aarch64 has the mutex of glibc. */
    MUTEX_OF_MUSL(
        "LayoutsTest#theMutexIsThatOfTheCLibrary",
        Slip.in("verbs.ffm.abi.VerbsLayouts", "mutexBytes", neverBranching(Opcode.IFEQ)));

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
    PlantedTests.assertFound(fault.name(), fault.slips, "verbs.ffm." + fault.foundBy);
  }

  @ParameterizedTest
  @EnumSource
  void isFoundByATestThatPasses(Planted fault) {
    PlantedTests.assertPasses("verbs.ffm." + fault.foundBy);
  }
}
