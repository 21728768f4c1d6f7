package io.verbena.verbs.ffm.abi;

import static io.verbena.verbs.ffm.abi.CStruct.struct;

/** The structs of {@code <rdma/rdma_cma.h>} that Java and C exchange. */
public final class CmLayouts {
  private CmLayouts() {}

  private static final int SOCKADDR_STORAGE_BYTES = 128;

  public static final CStruct CONN_PARAM =
      struct("rdma_conn_param")
          .ptr("private_data")
          .u8("private_data_len", "responder_resources", "initiator_depth", "flow_control")
          .u8("retry_count", "rnr_retry_count", "srq")
          .u32("qp_num");

  /** The union's other arm, for datagrams, is longer. Java does not read it. */
  public static final CStruct CM_EVENT =
      struct("rdma_cm_event")
          .ptr("id", "listen_id")
          .u32("event", "status")
          .nested("param.conn", CONN_PARAM)
          .andMore();

  public static final CStruct EVENT_CHANNEL = struct("rdma_event_channel").u32("fd");

  public static final CStruct CM_ID =
      struct("rdma_cm_id")
          .ptr("verbs", "channel", "context", "qp")
          .bytes("route.addr.src_storage", SOCKADDR_STORAGE_BYTES, 8)
          .bytes("route.addr.dst_storage", SOCKADDR_STORAGE_BYTES, 8)
          .bytes("route.addr.addr.ibaddr.sgid", 16, 8)
          .bytes("route.addr.addr.ibaddr.dgid", 16, 8)
          .u16("route.addr.addr.ibaddr.pkey")
          .endUnion(8)
          .ptr("route.path_rec")
          .u32("route.num_paths")
          .endUnion(8)
          .u32("ps")
          .u8("port_num")
          .ptr("event", "send_cq_channel", "send_cq", "recv_cq_channel", "recv_cq", "srq", "pd")
          .u32("qp_type");
}
