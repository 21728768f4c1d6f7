package io.verbena.rdma;

import io.verbena.api.settings.Checks;

/**
 * Sizes and limits of RDMA links. Immutable; start from {@link #DEFAULT}. The two ends exchange
 * their settings, which may differ.
 *
 * @param slotBytes the bytes of one registered slot, which holds one Send or receive; 512 to 1 MiB
 * @param credits the largest number of receives per link for Sends with frames; 4 to 4096
 * @param maxInlineBytes Sends up to this length are copied while they are posted, if the device
 *     can; 0 for none
 * @param maxPinnedBytes the registered memory of all links of this provider
 * @param ackTimeout an exponent, 1 to 31: the device repeats an unacknowledged packet after 4.096
 *     us times 2 to this power, 8 times in all
 * @param guaranteedCredits the part of {@code credits} that a link has from its beginning, if links
 *     share their receives; it leases more while it needs them. 4 to credits; 0 turns sharing off.
 *     Devices that cannot share ignore it
 * @param bulkChunkBytes the bytes of one WRITE of large payloads; a power of two from 4 KiB to 16
 *     MiB
 * @param bulkWindowBytes the bytes of large payloads that are posted and not completed at a time on
 *     one link; at least a chunk
 * @param device the devices and addresses that links use
 * @param trafficClass the traffic class of packets in both directions, of links that this end
 *     requests; 0 to 255: on RoCE v2 it is DSCP times 4, plus two bits of ECN. -1 leaves it to the
 *     host
 * @param numa whether, on a host of several NUMA nodes, loops run on the node of their device
 * @param rails the largest number of links of one session, each over an adapter of its own at both
 *     ends. Objects are spread over them; 1 to 8; 1 uses only the adapter of the first link
 */
public record RdmaSettings(
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
    boolean numa,
    int rails) {
  /** The system property for {@link #device}. */
  public static final String DEVICE_PROPERTY = "verbena.rdma.device";

  /** The environment variable that is used if the property is not set. */
  public static final String DEVICE_VARIABLE = "VERBENA_RDMA_DEVICE";

  private static final String CLASS_PROPERTY = "verbena.rdma.traffic-class";
  private static final String CLASS_VARIABLE = "VERBENA_RDMA_TRAFFIC_CLASS";
  private static final String NUMA_PROPERTY = "verbena.rdma.numa";
  private static final String NUMA_VARIABLE = "VERBENA_RDMA_NUMA";
  private static final String RAILS_PROPERTY = "verbena.rdma.rails";
  private static final String RAILS_VARIABLE = "VERBENA_RDMA_RAILS";

  /**
   * The defaults, and why.
   *
   * <ul>
   *   <li>8 KiB per slot: it holds two of the longest messages that the core encodes in one piece
   *       (4 KiB), and many small ones under load. Longer messages are cut into frames.
   *   <li>32 credits: 256 KiB under way in each direction, more than 100 Gbit/s carry in a round
   *       trip of 20 us. Receives take 280 KiB per link.
   *   <li>8 guaranteed credits, if the device can share receives: enough for an idle link to begin
   *       with, so that a thousand idle links pin less than 100 MiB. A busy link leases the rest
   *       within two round trips.
   *   <li>256 B inline: the most that common devices offer without longer work requests.
   *   <li>ACK time-out 15: 134 ms. A dead path is an error after 8 of them, 1.07 s; devices may
   *       stretch each up to fourfold (InfiniBand specification, 9.7.6.1.3). The device sends
   *       acknowledgements, so a pause of the peer's JVM does not look like a dead path.
   * </ul>
   */
  public static final RdmaSettings DEFAULT =
      new RdmaSettings(
          8 << 10, 32, 256, 512L << 20, 15, 8, 64 << 10, 512 << 10, DeviceChoice.ANY, -1, true, 4);

  /** Checks every value. */
  public RdmaSettings {
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

  /**
   * Returns the defaults with the deployment's settings. They are the system property {@code
   * verbena.rdma.device} or the environment variable {@code VERBENA_RDMA_DEVICE}, in the form of
   * {@link DeviceChoice#of}; {@code verbena.rdma.traffic-class} or {@code
   * VERBENA_RDMA_TRAFFIC_CLASS}; {@code verbena.rdma.numa} or {@code VERBENA_RDMA_NUMA}; {@code
   * verbena.rdma.rails} or {@code VERBENA_RDMA_RAILS}.
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
    String numa = said(NUMA_PROPERTY, NUMA_VARIABLE);
    Checks.that(numa.matches("|true|false"), NUMA_PROPERTY, "true or false", numa);
    settings = settings.withNuma(!numa.equals("false"));
    String rails = said(RAILS_PROPERTY, RAILS_VARIABLE);
    Checks.that(rails.matches("|[1-8]"), RAILS_PROPERTY, "a number from 1 to 8", rails);
    return rails.isEmpty() ? settings : settings.withRails(Integer.parseInt(rails));
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
    return with(value, credits, maxInlineBytes, maxPinnedBytes, bulkChunkBytes, bulkWindowBytes);
  }

  /**
   * Returns these settings with another number of receives per link. The guaranteed ones are
   * reduced to it if they are more.
   */
  public RdmaSettings withCredits(int value) {
    return with(slotBytes, value, maxInlineBytes, maxPinnedBytes, bulkChunkBytes, bulkWindowBytes);
  }

  /** Returns these settings with another length limit of inline Sends. */
  public RdmaSettings withMaxInlineBytes(int value) {
    return with(slotBytes, credits, value, maxPinnedBytes, bulkChunkBytes, bulkWindowBytes);
  }

  /** Returns these settings with another budget of registered memory. */
  public RdmaSettings withMaxPinnedBytes(long value) {
    return with(slotBytes, credits, maxInlineBytes, value, bulkChunkBytes, bulkWindowBytes);
  }

  /** Returns these settings with another chunk and window of large payloads. */
  public RdmaSettings withBulk(int chunkBytes, int windowBytes) {
    return with(slotBytes, credits, maxInlineBytes, maxPinnedBytes, chunkBytes, windowBytes);
  }

  /**
   * Returns these settings with another acknowledgement time-out.
   *
   * @param value exponent of 2, times 4.096 us; a path is dead after 8 time-outs
   */
  public RdmaSettings withAckTimeout(int value) {
    return with(value, guaranteedCredits, device, trafficClass, numa, rails);
  }

  /** Returns these settings with another number of guaranteed credits; 0 shares no receives. */
  public RdmaSettings withGuaranteedCredits(int value) {
    return with(ackTimeout, value, device, trafficClass, numa, rails);
  }

  /** Returns these settings for other devices or addresses. */
  public RdmaSettings withDevice(DeviceChoice value) {
    return with(ackTimeout, guaranteedCredits, value, trafficClass, numa, rails);
  }

  /**
   * Returns these settings with another traffic class.
   *
   * @param value 0 to 255, or -1 to leave it to the host
   */
  public RdmaSettings withTrafficClass(int value) {
    return with(ackTimeout, guaranteedCredits, device, value, numa, rails);
  }

  /** Returns these settings with NUMA binding of loops turned on or off. */
  public RdmaSettings withNuma(boolean value) {
    return with(ackTimeout, guaranteedCredits, device, trafficClass, value, rails);
  }

  /** Returns these settings with another largest number of links per session. */
  public RdmaSettings withRails(int value) {
    return with(ackTimeout, guaranteedCredits, device, trafficClass, numa, value);
  }

  private RdmaSettings with(int slot, int credit, int inline, long pinned, int chunk, int window) {
    int guaranteed = Math.min(guaranteedCredits, credit);
    return new RdmaSettings(
        slot,
        credit,
        inline,
        pinned,
        ackTimeout,
        guaranteed,
        chunk,
        window,
        device,
        trafficClass,
        numa,
        rails);
  }

  private RdmaSettings with(
      int ack, int guaranteed, DeviceChoice choice, int packets, boolean nodes, int most) {
    return new RdmaSettings(
        slotBytes,
        credits,
        maxInlineBytes,
        maxPinnedBytes,
        ack,
        guaranteed,
        bulkChunkBytes,
        bulkWindowBytes,
        choice,
        packets,
        nodes,
        most);
  }
}
