package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvQP;
import org.jspecify.annotations.Nullable;

/**
 * An event of a device outside of the completion queues.
 *
 * @param qp the queue pair of a QP_, COMM_EST, SQ_DRAINED or PATH_ event, else null; also null if
 *     it was destroyed meanwhile, as for cq and srq
 * @param cq the completion queue of CQ_ERR, else null
 * @param srq the shared receive queue of an SRQ_ event, else null
 * @param port the port of a PORT_, LID_, PKEY_, SM_, GID_ or CLIENT_ event, else 0
 */
public record AsyncEvent(
    Type type, @Nullable IbvQP qp, @Nullable IbvCQ cq, @Nullable SharedReceiveQueue srq, int port) {

  /** The types of events, in the order of {@code enum ibv_event_type}. */
  public enum Type {
    CQ_ERR,
    QP_FATAL,
    QP_REQ_ERR,
    QP_ACCESS_ERR,
    COMM_EST,
    SQ_DRAINED,
    PATH_MIG,
    PATH_MIG_ERR,
    DEVICE_FATAL,
    PORT_ACTIVE,
    PORT_ERR,
    LID_CHANGE,
    PKEY_CHANGE,
    SM_CHANGE,
    SRQ_ERR,
    SRQ_LIMIT_REACHED,
    QP_LAST_WQE_REACHED,
    CLIENT_REREGISTER,
    GID_CHANGE,
    WQ_FATAL
  }
}
