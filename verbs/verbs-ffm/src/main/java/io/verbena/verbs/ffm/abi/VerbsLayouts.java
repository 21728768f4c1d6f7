package io.verbena.verbs.ffm.abi;

import static io.verbena.verbs.ffm.abi.CStruct.struct;

import java.lang.foreign.Linker;

/**
 * The structs of {@code <infiniband/verbs.h>} that Java and C exchange.
 *
 * <p>The structs are the same in every header from 2017 to 2026. A struct that the library makes
 * and Java only reads ends here with the last member that Java reads.
 */
public final class VerbsLayouts {
  private VerbsLayouts() {}

  private static final int PTHREAD_MUTEX_BYTES =
      mutexBytes(
          System.getProperty("os.arch"),
          Linker.nativeLinker().defaultLookup().find("gnu_get_libc_version").isPresent());

  /**
   * Returns the size of {@code pthread_mutex_t}: on 64-bit processors 40 bytes, but 48 in glibc on
   * aarch64 (sysdeps/aarch64/nptl/bits/pthreadtypes-arch.h; musl: include/alltypes.h.in).
   */
  public static int mutexBytes(String processor, boolean glibc) {
    return processor.equals("aarch64") && glibc ? 48 : 40;
  }

  public static final CStruct SGE = struct("ibv_sge").u64("addr").u32("length", "lkey");

  public static final CStruct SEND_WR =
      struct("ibv_send_wr")
          .u64("wr_id")
          .ptr("next", "sg_list")
          .u32("num_sge", "opcode", "send_flags")
          .u32("imm_data")
          .or("imm_data")
          .u32("invalidate_rkey")
          .u64("wr.rdma.remote_addr")
          .u32("wr.rdma.rkey")
          .or("wr.rdma.remote_addr")
          .u64("wr.atomic.remote_addr", "wr.atomic.compare_add", "wr.atomic.swap")
          .u32("wr.atomic.rkey")
          .or("wr.rdma.remote_addr")
          .ptr("wr.ud.ah")
          .u32("wr.ud.remote_qpn", "wr.ud.remote_qkey")
          .endUnion(8)
          .u32("qp_type.xrc.remote_srqn")
          .ptr("bind_mw.mw")
          .u32("bind_mw.rkey")
          .ptr("bind_mw.bind_info.mr")
          .u64("bind_mw.bind_info.addr", "bind_mw.bind_info.length")
          .u32("bind_mw.bind_info.mw_access_flags");

  public static final CStruct RECV_WR =
      struct("ibv_recv_wr").u64("wr_id").ptr("next", "sg_list").u32("num_sge");

  public static final CStruct WC =
      struct("ibv_wc")
          .u64("wr_id")
          .u32("status", "opcode", "vendor_err", "byte_len", "imm_data")
          .or("imm_data")
          .u32("invalidated_rkey")
          .u32("qp_num", "src_qp", "wc_flags")
          .u16("pkey_index", "slid")
          .u8("sl", "dlid_path_bits");

  public static final CStruct QP_CAP =
      struct("ibv_qp_cap")
          .u32("max_send_wr", "max_recv_wr", "max_send_sge", "max_recv_sge", "max_inline_data");

  public static final CStruct QP_INIT_ATTR =
      struct("ibv_qp_init_attr")
          .ptr("qp_context", "send_cq", "recv_cq", "srq")
          .nested("cap", QP_CAP)
          .u32("qp_type", "sq_sig_all");

  private static final CStruct AH_ATTR =
      struct("ibv_ah_attr")
          .bytes("grh.dgid", 16, 8)
          .u32("grh.flow_label")
          .u8("grh.sgid_index", "grh.hop_limit", "grh.traffic_class")
          .endUnion(8)
          .u16("dlid")
          .u8("sl", "src_path_bits", "static_rate", "is_global", "port_num");

  public static final CStruct QP_ATTR =
      struct("ibv_qp_attr")
          .u32("qp_state", "cur_qp_state", "path_mtu", "path_mig_state")
          .u32("qkey", "rq_psn", "sq_psn", "dest_qp_num", "qp_access_flags")
          .nested("cap", QP_CAP)
          .nested("ah_attr", AH_ATTR)
          .nested("alt_ah_attr", AH_ATTR)
          .u16("pkey_index", "alt_pkey_index")
          .u8("en_sqd_async_notify", "sq_draining", "max_rd_atomic", "max_dest_rd_atomic")
          .u8("min_rnr_timer", "port_num", "timeout", "retry_cnt", "rnr_retry")
          .u8("alt_port_num", "alt_timeout")
          .u32("rate_limit");

  public static final CStruct SRQ_ATTR =
      struct("ibv_srq_attr").u32("max_wr", "max_sge", "srq_limit");

  public static final CStruct SRQ_INIT_ATTR =
      struct("ibv_srq_init_attr").ptr("srq_context").nested("attr", SRQ_ATTR);

  public static final CStruct ASYNC_EVENT =
      struct("ibv_async_event")
          .ptr("element.cq")
          .or("element.cq")
          .u32("element.port_num")
          .endUnion(8)
          .u32("event_type");

  public static final CStruct DEVICE_ATTR =
      struct("ibv_device_attr")
          .bytes("fw_ver", 64, 1)
          .u64("node_guid", "sys_image_guid", "max_mr_size", "page_size_cap")
          .u32("vendor_id", "vendor_part_id", "hw_ver", "max_qp", "max_qp_wr", "device_cap_flags")
          .u32("max_sge", "max_sge_rd", "max_cq", "max_cqe", "max_mr", "max_pd")
          .u32("max_qp_rd_atom", "max_ee_rd_atom", "max_res_rd_atom", "max_qp_init_rd_atom")
          .u32("max_ee_init_rd_atom", "atomic_cap", "max_ee", "max_rdd", "max_mw")
          .u32("max_raw_ipv6_qp", "max_raw_ethy_qp", "max_mcast_grp", "max_mcast_qp_attach")
          .u32("max_total_mcast_qp_attach", "max_ah", "max_fmr", "max_map_per_fmr")
          .u32("max_srq", "max_srq_wr", "max_srq_sge")
          .u16("max_pkeys")
          .u8("local_ca_ack_delay", "phys_port_cnt");

  /**
   * The struct grew from 52 to 56 bytes after rdma-core 44. The called entry fills the first 52, up
   * to {@code flags}.
   */
  public static final CStruct PORT_ATTR =
      struct("ibv_port_attr")
          .u32("state", "max_mtu", "active_mtu", "gid_tbl_len", "port_cap_flags", "max_msg_sz")
          .u32("bad_pkey_cntr", "qkey_viol_cntr")
          .u16("pkey_tbl_len", "lid", "sm_lid")
          .u8("lmc", "max_vl_num", "sm_sl", "subnet_timeout", "init_type_reply")
          .u8("active_width", "active_speed", "phys_state", "link_layer", "flags")
          .u16("port_cap_flags2")
          .andMore();

  /** The data-path verbs. libibverbs keeps the members with an underscore as placeholders. */
  public static final CStruct CONTEXT_OPS =
      struct("ibv_context_ops")
          .ptr("_compat_query_device", "_compat_query_port", "_compat_alloc_pd")
          .ptr("_compat_dealloc_pd", "_compat_reg_mr", "_compat_rereg_mr", "_compat_dereg_mr")
          .ptr("alloc_mw", "bind_mw", "dealloc_mw", "_compat_create_cq")
          .ptr("poll_cq", "req_notify_cq", "_compat_cq_event", "_compat_resize_cq")
          .ptr("_compat_destroy_cq", "_compat_create_srq", "_compat_modify_srq")
          .ptr("_compat_query_srq", "_compat_destroy_srq", "post_srq_recv", "_compat_create_qp")
          .ptr("_compat_query_qp", "_compat_modify_qp", "_compat_destroy_qp")
          .ptr("post_send", "post_recv", "_compat_create_ah", "_compat_destroy_ah")
          .ptr("_compat_attach_mcast", "_compat_detach_mcast", "_compat_async_event");

  public static final CStruct CONTEXT =
      struct("ibv_context")
          .ptr("device")
          .nested("ops", CONTEXT_OPS)
          .u32("cmd_fd", "async_fd", "num_comp_vectors")
          .bytes("mutex", PTHREAD_MUTEX_BYTES, 8)
          .ptr("abi_compat");

  public static final CStruct DEVICE =
      struct("ibv_device")
          .ptr("_ops._dummy1", "_ops._dummy2")
          .u32("node_type", "transport_type")
          .bytes("name", 64, 1)
          .bytes("dev_name", 64, 1)
          .bytes("dev_path", 256, 1)
          .bytes("ibdev_path", 256, 1);

  public static final CStruct PD = struct("ibv_pd").ptr("context").u32("handle");

  public static final CStruct MR =
      struct("ibv_mr").ptr("context", "pd", "addr", "length").u32("handle", "lkey", "rkey");

  public static final CStruct MW =
      struct("ibv_mw").ptr("context", "pd").u32("rkey", "handle", "type");

  public static final CStruct QP =
      struct("ibv_qp")
          .ptr("context", "qp_context", "pd", "send_cq", "recv_cq", "srq")
          .u32("handle", "qp_num", "state", "qp_type")
          .andMore();

  public static final CStruct CQ =
      struct("ibv_cq").ptr("context", "channel", "cq_context").u32("handle", "cqe").andMore();

  public static final CStruct SRQ =
      struct("ibv_srq").ptr("context", "srq_context", "pd").u32("handle").andMore();

  public static final CStruct COMP_CHANNEL =
      struct("ibv_comp_channel").ptr("context").u32("fd", "refcnt");
}
