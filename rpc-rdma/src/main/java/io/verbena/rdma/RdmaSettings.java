package io.verbena.rdma;

import io.verbena.api.settings.Checks;
import org.jspecify.annotations.Nullable;

/**
 * Sizes and limits of RDMA links. Immutable; start from {@link #DEFAULT}. The two ends exchange
 * their settings, which may differ.
 */
public final class RdmaSettings {
  /** The system property for {@link #device}. */
  public static final String DEVICE_PROPERTY = "verbena.rdma.device";

  /** The environment variable that is used if the property is not set. */
  public static final String DEVICE_VARIABLE = "VERBENA_RDMA_DEVICE";

  private static final String CLASS_PROPERTY = "verbena.rdma.traffic-class";
  private static final String CLASS_VARIABLE = "VERBENA_RDMA_TRAFFIC_CLASS";
  private static final String RAILS_PROPERTY = "verbena.rdma.rails";
  private static final String RAILS_VARIABLE = "VERBENA_RDMA_RAILS";
  private static final String INLINE_PROPERTY = "verbena.rdma.max-inline-bytes";
  private static final String INLINE_VARIABLE = "VERBENA_RDMA_MAX_INLINE_BYTES";

  /**
   * The defaults, and why.
   *
   * <ul>
   *   <li>8 KiB per slot: it holds two of the longest messages that the core encodes in one piece
   *       (4 KiB), and many small ones under load. Longer messages are cut into frames.
   *   <li>32 credits: 256 KiB under way in each direction, more than 100 Gbit/s carry in a round
   *       trip of 20 us. Receives take 280 KiB per link.
   *   <li>8 guaranteed credits: enough for an idle link to begin with, so that a thousand idle
   *       links pin less than 100 MiB. A busy link leases the rest within two round trips.
   *   <li>256 B inline: the most that common devices offer without longer work requests.
   *   <li>ACK time-out 15: 134 ms. A dead path is an error after 8 of them, 1.07 s; devices may
   *       stretch each up to fourfold (InfiniBand specification, 9.7.6.1.3). The device sends
   *       acknowledgements, so a pause of the peer's JVM does not look like a dead path.
   * </ul>
   */
  public static final RdmaSettings DEFAULT =
      new RdmaSettings(
          new Values(
              8 << 10, 32, 256, 512L << 20, 15, 8, 64 << 10, 512 << 10, DeviceChoice.ANY, -1, 4));

  private final Values values;

  private record Values(
      int slotBytes,
      int credits,
      int maxInlineBytes,
      long maxPinnedBytes,
      int ackTimeout,
      int guaranteedCredits,
      int bulkChunkBytes,
      int bulkWindowBytes,
      DeviceChoice device,
      int trafficClass,
      int rails) {
    private Values {
      Checks.that( // so that slots do not share cache lines
          slotBytes >= 512 && slotBytes <= 1 << 20 && slotBytes % 64 == 0,
          "slotBytes",
          "a multiple of 64 from 512 to 1 MiB",
          slotBytes);
      Checks.between("credits", credits, 4, 4096);
      Checks.that(
          guaranteedCredits == 0 || (guaranteedCredits >= 4 && guaranteedCredits <= credits),
          "guaranteedCredits",
          "0, or 4 to credits, which is " + credits,
          guaranteedCredits);
      Checks.between("maxInlineBytes", maxInlineBytes, 0, Integer.MAX_VALUE);
      Checks.between("maxPinnedBytes", maxPinnedBytes, 4L << 20, Long.MAX_VALUE);
      Checks.between("ackTimeout", ackTimeout, 1, 31);
      Checks.that(
          bulkChunkBytes >= 4 << 10
              && bulkChunkBytes <= 16 << 20
              && Integer.bitCount(bulkChunkBytes) == 1,
          "bulkChunkBytes",
          "a power of two from 4 KiB to 16 MiB",
          bulkChunkBytes);
      Checks.that(
          bulkWindowBytes >= bulkChunkBytes,
          "bulkWindowBytes",
          "at least bulkChunkBytes, which is " + bulkChunkBytes,
          bulkWindowBytes);
      Checks.required("device", device);
      Checks.between("trafficClass", trafficClass, -1, 255);
      Checks.between("rails", rails, 1, 8);
    }
  }

  private RdmaSettings(Values values) {
    this.values = values;
  }

  /** Returns the bytes of one registered slot, which holds one Send or receive; 512 to 1 MiB. */
  public int slotBytes() {
    return values.slotBytes;
  }

  /** Returns the largest number of receives per link for Sends with frames; 4 to 4096. */
  public int credits() {
    return values.credits;
  }

  /**
   * Returns the length up to which Sends are copied while they are posted, if the device can; 0 for
   * none.
   */
  public int maxInlineBytes() {
    return values.maxInlineBytes;
  }

  /** Returns the limit of registered memory, in bytes, of all links of this provider. */
  public long maxPinnedBytes() {
    return values.maxPinnedBytes;
  }

  /**
   * Returns the exponent of the acknowledgement time-out, 1 to 31: the device repeats an
   * unacknowledged packet after 4.096 us times 2 to this power, 8 times in all.
   */
  public int ackTimeout() {
    return values.ackTimeout;
  }

  /**
   * Returns the longest time, in nanoseconds, in which a device ends a dead path: eight ACK
   * timeouts, each of which it may stretch fourfold (InfiniBand specification, 9.7.6.1.3).
   */
  public long deadPathNanos() {
    return 8 * 4 * (4_096L << values.ackTimeout);
  }

  /**
   * Returns the part of {@code credits} that a link has from its beginning; it leases more while it
   * needs them, from those that links share if the device can. 4 to credits; 0 gives each link all
   * of its own from the beginning.
   */
  public int guaranteedCredits() {
    return values.guaranteedCredits;
  }

  /** Returns the bytes of one WRITE of large payloads; a power of two from 4 KiB to 16 MiB. */
  public int bulkChunkBytes() {
    return values.bulkChunkBytes;
  }

  /**
   * Returns the bytes of large payloads that are posted and not completed at a time on one link; at
   * least a chunk.
   */
  public int bulkWindowBytes() {
    return values.bulkWindowBytes;
  }

  /** Returns the devices and addresses that links use. */
  public DeviceChoice device() {
    return values.device;
  }

  /**
   * Returns the traffic class of packets in both directions, of links that this end requests; 0 to
   * 255: on RoCE v2 it is DSCP times 4, plus two bits of ECN. -1 leaves it to the host.
   */
  public int trafficClass() {
    return values.trafficClass;
  }

  /**
   * Returns the largest number of links of one session, each over an adapter of its own at both
   * ends. Objects are spread over them; 1 to 8; 1 uses only the adapter of the first link.
   */
  public int rails() {
    return values.rails;
  }

  /**
   * Returns the defaults with the deployment's settings. They are the system property {@code
   * verbena.rdma.device} or the environment variable {@code VERBENA_RDMA_DEVICE}, in the form of
   * {@link DeviceChoice#of}; {@code verbena.rdma.traffic-class} or {@code
   * VERBENA_RDMA_TRAFFIC_CLASS}; {@code verbena.rdma.rails} or {@code VERBENA_RDMA_RAILS}; {@code
   * verbena.rdma.max-inline-bytes} or {@code VERBENA_RDMA_MAX_INLINE_BYTES}.
   *
   * @throws IllegalArgumentException if one is out of range
   */
  public static RdmaSettings ofProperties() {
    RdmaSettings settings = DEFAULT.withDevice(saidDevice());
    String trafficClass = said(CLASS_PROPERTY, CLASS_VARIABLE);
    Checks.that(trafficClass.matches("|\\d{1,3}"), CLASS_PROPERTY, "a number to 255", trafficClass);
    if (!trafficClass.isEmpty()) {
      settings = settings.withTrafficClass(Integer.parseInt(trafficClass));
    }
    String rails = said(RAILS_PROPERTY, RAILS_VARIABLE);
    Checks.that(rails.matches("|[1-8]"), RAILS_PROPERTY, "a number from 1 to 8", rails);
    if (!rails.isEmpty()) {
      settings = settings.withRails(Integer.parseInt(rails));
    }
    String inline = said(INLINE_PROPERTY, INLINE_VARIABLE);
    Checks.that(inline.matches("|\\d{1,6}"), INLINE_PROPERTY, "a number to 999999", inline);
    return inline.isEmpty() ? settings : settings.withMaxInlineBytes(Integer.parseInt(inline));
  }

  private static DeviceChoice saidDevice() {
    try {
      return DeviceChoice.of(said(DEVICE_PROPERTY, DEVICE_VARIABLE));
    } catch (IllegalArgumentException e) {
      String by = System.getProperty(DEVICE_PROPERTY) == null ? DEVICE_VARIABLE : DEVICE_PROPERTY;
      throw new IllegalArgumentException(by + ": " + e.getMessage(), e);
    }
  }

  private static String said(String byProperty, String byVariable) {
    String property = System.getProperty(byProperty);
    String variable = System.getenv(byVariable);
    return property != null ? property : variable != null ? variable : "";
  }

  /** Returns these settings with slots of another size. */
  public RdmaSettings withSlotBytes(int value) {
    return with(
        value,
        values.credits,
        values.maxInlineBytes,
        values.maxPinnedBytes,
        values.bulkChunkBytes,
        values.bulkWindowBytes);
  }

  /**
   * Returns these settings with another number of receives per link. The guaranteed ones are
   * reduced to it if they are more.
   */
  public RdmaSettings withCredits(int value) {
    return with(
        values.slotBytes,
        value,
        values.maxInlineBytes,
        values.maxPinnedBytes,
        values.bulkChunkBytes,
        values.bulkWindowBytes);
  }

  /** Returns these settings with another length limit of inline Sends. */
  public RdmaSettings withMaxInlineBytes(int value) {
    return with(
        values.slotBytes,
        values.credits,
        value,
        values.maxPinnedBytes,
        values.bulkChunkBytes,
        values.bulkWindowBytes);
  }

  /** Returns these settings with another budget of registered memory. */
  public RdmaSettings withMaxPinnedBytes(long value) {
    return with(
        values.slotBytes,
        values.credits,
        values.maxInlineBytes,
        value,
        values.bulkChunkBytes,
        values.bulkWindowBytes);
  }

  /** Returns these settings with another chunk and window of large payloads. */
  public RdmaSettings withBulk(int chunkBytes, int windowBytes) {
    return with(
        values.slotBytes,
        values.credits,
        values.maxInlineBytes,
        values.maxPinnedBytes,
        chunkBytes,
        windowBytes);
  }

  /**
   * Returns these settings with another acknowledgement time-out.
   *
   * @param value exponent of 2, times 4.096 us; a path is dead after 8 time-outs
   */
  public RdmaSettings withAckTimeout(int value) {
    return with(value, values.guaranteedCredits, values.device, values.trafficClass, values.rails);
  }

  /** Returns these settings with another number of guaranteed credits; 0 shares no receives. */
  public RdmaSettings withGuaranteedCredits(int value) {
    return with(values.ackTimeout, value, values.device, values.trafficClass, values.rails);
  }

  /** Returns these settings for other devices or addresses. */
  public RdmaSettings withDevice(DeviceChoice value) {
    return with(
        values.ackTimeout, values.guaranteedCredits, value, values.trafficClass, values.rails);
  }

  /**
   * Returns these settings with another traffic class.
   *
   * @param value 0 to 255, or -1 to leave it to the host
   */
  public RdmaSettings withTrafficClass(int value) {
    return with(values.ackTimeout, values.guaranteedCredits, values.device, value, values.rails);
  }

  /** Returns these settings with another largest number of links per session. */
  public RdmaSettings withRails(int value) {
    return with(
        values.ackTimeout, values.guaranteedCredits, values.device, values.trafficClass, value);
  }

  private RdmaSettings with(int slot, int credit, int inline, long pinned, int chunk, int window) {
    int guaranteed = Math.min(values.guaranteedCredits, credit);
    return new RdmaSettings(
        new Values(
            slot,
            credit,
            inline,
            pinned,
            values.ackTimeout,
            guaranteed,
            chunk,
            window,
            values.device,
            values.trafficClass,
            values.rails));
  }

  private RdmaSettings with(int ack, int guaranteed, DeviceChoice choice, int packets, int most) {
    return new RdmaSettings(
        new Values(
            values.slotBytes,
            values.credits,
            values.maxInlineBytes,
            values.maxPinnedBytes,
            ack,
            guaranteed,
            values.bulkChunkBytes,
            values.bulkWindowBytes,
            choice,
            packets,
            most));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RdmaSettings it && values.equals(it.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Returns the name and value of each option. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "RdmaSettings");
  }
}
