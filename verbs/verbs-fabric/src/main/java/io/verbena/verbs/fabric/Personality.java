package io.verbena.verbs.fabric;

import static io.verbena.verbs.fabric.DeviceBehaviour.BINDS_LATE;
import static io.verbena.verbs.fabric.DeviceBehaviour.CHECKS_KEYS_OF_EMPTY_WRITES;
import static io.verbena.verbs.fabric.DeviceBehaviour.COMPLETES_BEFORE_DELIVERY;
import static io.verbena.verbs.fabric.DeviceBehaviour.FLUSHES_ON_POLL;
import static io.verbena.verbs.fabric.DeviceBehaviour.GRANTS_MORE_INLINE;
import static io.verbena.verbs.fabric.DeviceBehaviour.IGNORES_ACK_TIMEOUT;
import static io.verbena.verbs.fabric.DeviceBehaviour.IGNORES_INLINE;
import static io.verbena.verbs.fabric.DeviceBehaviour.IGNORES_RNR_TIMER;
import static io.verbena.verbs.fabric.DeviceBehaviour.LISTENS_FIRST;
import static io.verbena.verbs.fabric.DeviceBehaviour.LOWERS_INLINE;
import static io.verbena.verbs.fabric.DeviceBehaviour.NEEDS_STATE_TO_MODIFY;
import static io.verbena.verbs.fabric.DeviceBehaviour.NEVER_FLUSHES;
import static io.verbena.verbs.fabric.DeviceBehaviour.REFUSES_BINDS;
import static io.verbena.verbs.fabric.DeviceBehaviour.REFUSES_LATE_RECEIVES;
import static io.verbena.verbs.fabric.DeviceBehaviour.REFUSES_LATE_REQUESTS;
import static io.verbena.verbs.fabric.DeviceBehaviour.REFUSES_QUEUE_PAIRS;
import static io.verbena.verbs.fabric.DeviceBehaviour.REFUSES_SHARED_RECEIVES;
import static io.verbena.verbs.fabric.DeviceBehaviour.REPORTS_ODD_EVENTS;
import static io.verbena.verbs.fabric.DeviceBehaviour.SENDS_FIRST_PIECE;

import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.DeviceAttributes.Transport;
import io.verbena.verbs.fabric.DeviceProfile.Windows;

/**
 * The behaviour of real drivers and adapters, as their source has it, and of what is only
 * suspected. No constant was compared with the adapter itself. Paths are those of rdma-core at
 * 691953d8d (August 2026, after v64), or of Linux below drivers/infiniband, at the commits that
 * docs/internals/adapters.md lists.
 *
 * <p>What every personality leaves to the fabric's seed, such as the depth of queues and the order
 * of completions, {@link Fabric} draws.
 */
@SuppressWarnings("ImmutableEnumChecker") // its collections are copies
public enum Personality {
  /**
   * ConnectX-4 to -9 and BlueField: windows with exact bounds, shared receives with the event of
   * the last one, and more inline than requested, because a work request is a multiple of 64 bytes
   * (providers/mlx5/verbs.c, qp.c). 512 bytes of a request have room for 30 pieces (hw/mlx5/main.c
   * at bf4afc53).
   */
  MLX5(DeviceProfile.full().ofVendor(0x02c9).withMaxSges(30).with(GRANTS_MORE_INLINE)),

  /**
   * ConnectX-3: the kernel sets the flag of windows and leaves their number 0 (hw/mlx4/main.c at
   * bf4afc53); shared receive queues are one shorter than a power of two.
   */
  MLX4(
      DeviceProfile.full()
          .ofVendor(0x02c9)
          .withWindows(Windows.COUNTED_AS_NONE)
          .with(DeviceLimit.SHARED_RECEIVES, (1 << 14) - 1)),

  /**
   * Intel E810 as RoCE: a WRITE without pieces carries the fragment of its list (providers/irdma/
   * uk.c, irdma_uk_rdma_write), timers are accepted and not used (hw/irdma/verbs.c at d5029dc7),
   * windows of type 1 alone, no shared receives, 101 bytes inline, 13 pieces (hw/irdma/user.h). It
   * answers 127 READs (hw/irdma/icrdma_hw.h). A flush is one entry, which the library hands out for
   * each request when it is polled.
   */
  IRDMA_ROCE(
      DeviceProfile.full()
          .ofVendor(DeviceAttributes.INTEL_VENDOR)
          .withoutMemoryWindows()
          .withoutSrq()
          .withMaxInline(101)
          .withMaxSges(13)
          .with(DeviceLimit.READS, 127)
          .with(SENDS_FIRST_PIECE, IGNORES_ACK_TIMEOUT, IGNORES_RNR_TIMER, FLUSHES_ON_POLL)),

  /**
   * Intel X722: as {@link #IRDMA_ROCE}, with 48 bytes inline, 3 pieces and 63 READs
   * (hw/irdma/i40iw_hw.h at 2ace5271). E810 as iWARP has the limits of {@link #IRDMA_ROCE}. The
   * kernel says of either that it has WRITE with immediate (hw/irdma/verbs.c at d5029dc7,
   * irdma_create_qp); whether it has is not known, and Verbena does without.
   */
  IRDMA_IWARP(
      IRDMA_ROCE
          .profile
          .over(Transport.IWARP)
          .withoutImmediates()
          .withMaxInline(48)
          .withMaxSges(3)
          .with(DeviceLimit.READS, 63)),

  /**
   * Intel IPU and E830 as RoCE, the third generation: windows of type 2 and shared receives since
   * rdma-core 64 (providers/irdma/uverbs.c), and the RNR timer is used. The ACK timeout is not, as
   * on {@link #IRDMA_ROCE} (hw/irdma/verbs.c at d5029dc7, irdma_modify_qp_roce). 216 bytes inline,
   * 14 pieces, 64 READs (hw/irdma/ig3rdma_hw.h at f39b6c46).
   */
  IRDMA_GEN3(
      DeviceProfile.full()
          .ofVendor(DeviceAttributes.INTEL_VENDOR)
          .withMaxInline(216)
          .withMaxSges(14)
          .with(DeviceLimit.READS, 64)
          .with(SENDS_FIRST_PIECE, IGNORES_ACK_TIMEOUT, FLUSHES_ON_POLL)),

  /**
   * Azure: any inline length is granted, its flag is ignored, and the key of the piece is used
   * (providers/mana/wr.c, qp.c). Posts are refused except in RTS, receives in ERR; a modify goes to
   * the firmware as it is (hw/mana/qp.c at af217906). A completion queue is no longer than a send
   * queue (hw/mana/main.c at 57578236). Older kernels leave the vendor 0 (844e31bb).
   */
  MANA(
      DeviceProfile.full()
          .ofVendor(0x1414)
          .by("mana")
          .withoutMemoryWindows()
          .withoutSrq()
          .with(DeviceLimit.COMPLETIONS, 1 << 14)
          .with(
              IGNORES_INLINE,
              REFUSES_LATE_REQUESTS,
              REFUSES_LATE_RECEIVES,
              NEVER_FLUSHES,
              NEEDS_STATE_TO_MODIFY)),

  /**
   * Azure with the windows of rdma-core 63 and the kernel's patch of January 2026: they are
   * allocated, and their binds are refused (providers/mana/wr.c).
   */
  MANA_WINDOWS(MANA.profile.withWindows(Windows.BOUNDED).with(REFUSES_BINDS)),

  /**
   * A device that ignores inline and is of no vendor known for it: what a driver that shares code
   * with mana's might do. Suspected.
   */
  INLINE_LIAR(DeviceProfile.full().with(IGNORES_INLINE)),

  /**
   * Alibaba's elastic RDMA as iWARP: WRITE with immediate on a network that lacks it elsewhere, no
   * shared receives, 96 bytes inline, 6 pieces (hw/erdma/erdma_verbs.c at 77916a60), posts refused
   * with EIO in ERR (providers/erdma/erdma_verbs.c).
   */
  ERDMA_IWARP(
      DeviceProfile.full()
          .over(Transport.IWARP)
          .ofVendor(DeviceAttributes.ALIBABA_VENDOR)
          .withoutMemoryWindows()
          .withoutSrq()
          .withMaxInline(96)
          .withMaxSges(6)
          .with(REFUSES_LATE_REQUESTS)),

  /**
   * Alibaba's elastic RDMA as RoCE v2, which a register of the device selects (hw/erdma/
   * erdma_main.c at 77916a60).
   */
  ERDMA_ROCE(ERDMA_IWARP.profile.over(Transport.INFINIBAND)),

  /**
   * OneConnect: posts refused with EINVAL in ERR (providers/ocrdma/ocrdma_verbs.c). All adapters
   * report shared receives and Skyhawk alone makes them (hw/ocrdma/ocrdma_main.c at 157d5e5b).
   */
  OCRDMA(DeviceProfile.full().withoutMemoryWindows().with(REFUSES_LATE_REQUESTS)),

  /**
   * Broadcom: windows that the kernel reports and the library does not make, flush completions by
   * polling alone (providers/bnxt_re/verbs.c, flush.h). 6 pieces, and inline of as many times 16
   * bytes, where requests have one size; up to 13 pieces else (hw/bnxt_re/qplib_sp.c at aaa6a591).
   */
  BNXT(
      DeviceProfile.full()
          .ofVendor(0x14e4)
          .withWindows(Windows.REPORTED)
          .withMaxInline(96)
          .withMaxSges(6)
          .with(FLUSHES_ON_POLL)),

  /**
   * Kunpeng: inline is lowered without an error (providers/hns/hns_roce_u_hw_v2.c), to 32 bytes on
   * HIP08 and 1024 on HIP09 (hw/hns/hns_roce_hw_v2.h).
   */
  HNS(DeviceProfile.full().withoutMemoryWindows().withMaxInline(32).with(LOWERS_INLINE)),

  /**
   * Marvell QL41xxx and QL45xxx as RoCE: windows are counted and not flagged (hw/qedr/verbs.c at
   * 57578236), 128 bytes inline, 4 pieces (providers/qedr/rdma_common.h).
   */
  QEDR_ROCE(
      DeviceProfile.full()
          .ofVendor(0x1077)
          .withoutMemoryWindows()
          .withMaxInline(128)
          .withMaxSges(4)),

  /** The same as iWARP, without immediates; shared receives are of both (hw/qedr/main.c). */
  QEDR_IWARP(
      QEDR_ROCE.profile.over(Transport.IWARP).withoutImmediates().with(COMPLETES_BEFORE_DELIVERY)),

  /**
   * AMD Pensando: windows with exact bounds and no shared receives, 8 pieces, 1024 domains, 16
   * READs (hw/ionic/ionic_ibdev.c at f7ade420, ionic_ibdev.h), flush completions by polling alone
   * (providers/ionic).
   */
  IONIC(
      DeviceProfile.full()
          .ofVendor(0x1dd8)
          .withoutSrq()
          .withMaxSges(8)
          .with(DeviceLimit.DOMAINS, 1024)
          .with(DeviceLimit.READS, 16)
          .with(FLUSHES_ON_POLL)),

  /**
   * Chelsio: iWARP without immediates, 4 pieces, posts refused with EINVAL in ERR
   * (providers/cxgb4/qp.c).
   */
  CXGB4(
      DeviceProfile.full()
          .over(Transport.IWARP)
          .withoutImmediates()
          .withoutMemoryWindows()
          .withoutSrq()
          .withMaxSges(4)
          .with(REFUSES_LATE_REQUESTS)),

  /**
   * VMware: 0 bytes inline are granted (hw/vmw_pvrdma/pvrdma_qp.c at 0a704567), as by all of rdmavt
   * (sw/rdmavt/qp.c at 010e85f9), and there is one vector (pvrdma_main.c at b195c954).
   */
  PVRDMA(
      DeviceProfile.full()
          .withoutMemoryWindows()
          .withMaxInline(0)
          .with(DeviceLimit.VECTORS, 1)
          .with(LOWERS_INLINE)),

  /** siw of Linux, which the laboratory has: late posts are accepted and dropped. */
  SIW(DeviceProfile.full().withoutWriteWithImmediate().withoutMemoryWindows()),

  /** rdma_rxe of Linux, which the laboratory has: bounds of windows are not checked. */
  RXE(DeviceProfile.full().withWindows(Windows.UNBOUNDED)),

  /** Shared receive queues that are reported and refused. Suspected. */
  SRQ_LIAR(DeviceProfile.full().with(REFUSES_SHARED_RECEIVES)),

  /**
   * A depth of READs that librdmacm makes 0 of (librdmacm/cma.c). No such device is known; the
   * deepest are hfi1 and E810, which send 255 (hw/hfi1/verbs.c, hw/irdma/icrdma_hw.h).
   */
  READS_256(DeviceProfile.full().with(DeviceLimit.READS, 256)),

  /** One READ at a time. */
  READS_1(DeviceProfile.full().with(DeviceLimit.READS, 1)),

  /** No READs at all. */
  READS_0(DeviceProfile.full().with(DeviceLimit.READS, 0)),

  /** The key of an empty WRITE is checked, against the InfiniBand specification. Suspected. */
  STRICT_KEYS(DeviceProfile.full().with(CHECKS_KEYS_OF_EMPTY_WRITES)),

  /**
   * An RNIC that completes a Send once TCP has it, and resets the connection in ERR. RFC 5040 (3.2)
   * permits the former. Suspected of cxgb4, irdma, qedr and erdma.
   */
  IWARP_EARLY(SIW.profile.with(COMPLETES_BEFORE_DELIVERY)),

  /**
   * An RNIC without the message by which MPA's peer-to-peer mode (RFC 6581) lets either end send
   * first: iw_cxgb4 with {@code peer2peer=0}, which was its default once (hw/cxgb4/cm.c).
   */
  MPA_ORDER(SIW.profile.with(LISTENS_FIRST)),

  /** Binds that a later Send overtakes unless it has a fence. Suspected of ionic and irdma. */
  BINDS_BEHIND(DeviceProfile.full().with(BINDS_LATE)),

  /** One vector, one piece, few completions. */
  SCARCE(
      DeviceProfile.full()
          .with(DeviceLimit.VECTORS, 1)
          .with(DeviceLimit.PIECES, 1)
          .with(DeviceLimit.COMPLETIONS, 512)
          .with(DeviceLimit.SHARED_RECEIVES, 128)),

  /**
   * Events that nobody waits for, in an order that makes no sense; the event of the last shared
   * receive comes twice. Suspected of no driver: the specification promises no order of them.
   */
  EVENTS(DeviceProfile.full().with(REPORTS_ODD_EVENTS)),

  /** AWS: no queue pairs by the connection manager (providers/efa); sessions stay on TCP. */
  EFA(
      DeviceProfile.full()
          .over(Transport.OTHER)
          .withoutImmediates()
          .withoutMemoryWindows()
          .withoutSrq()
          .with(REFUSES_QUEUE_PAIRS));

  private final DeviceProfile profile;

  Personality(DeviceProfile profile) {
    this.profile = profile;
  }

  /** Returns the device. */
  public DeviceProfile profile() {
    return profile;
  }

  /** Returns whether sessions can have RDMA links over the device. */
  public boolean connects() {
    return !profile.has(REFUSES_QUEUE_PAIRS);
  }
}
