package io.verbena.verbs.ext;

import java.util.Map;

/** The results of work requests ({@code enum ibv_wc_status}), with explanations for people. */
public final class WcStatus {
  public static final int SUCCESS = 0;
  public static final int LOC_LEN_ERR = 1;
  public static final int LOC_QP_OP_ERR = 2;
  public static final int LOC_PROT_ERR = 4;
  public static final int WR_FLUSH_ERR = 5;
  public static final int MW_BIND_ERR = 6;
  public static final int BAD_RESP_ERR = 7;
  public static final int LOC_ACCESS_ERR = 8;
  public static final int REM_INV_REQ_ERR = 9;
  public static final int REM_ACCESS_ERR = 10;
  public static final int REM_OP_ERR = 11;
  public static final int RETRY_EXC_ERR = 12;
  public static final int RNR_RETRY_EXC_ERR = 13;
  public static final int REM_ABORT_ERR = 16;
  public static final int FATAL_ERR = 19;
  public static final int RESP_TIMEOUT_ERR = 20;
  public static final int GENERAL_ERR = 21;

  private static final Map<Integer, String> NAMES = Constants.names(WcStatus.class);

  private WcStatus() {}

  /** Returns the name, for messages; never fails. */
  public static String name(int status) {
    return NAMES.getOrDefault(status, "status " + status);
  }

  /** Returns the name and its usual cause in one line, for logs and exceptions; never fails. */
  public static String describe(int status) {
    String cause =
        switch (status) {
          case SUCCESS -> "done";
          case LOC_LEN_ERR ->
              "a message was longer than the receive posted for it, or than allowed";
          case LOC_QP_OP_ERR -> "the queue pair could not carry out its own request";
          case LOC_PROT_ERR -> "an lkey, its bounds or its access rights do not cover the request";
          case WR_FLUSH_ERR -> "the queue pair was in ERR before the request could complete";
          case MW_BIND_ERR -> "a memory window could not be bound as requested";
          case LOC_ACCESS_ERR -> "the peer's WRITE was refused access to memory here";
          case REM_INV_REQ_ERR ->
              "the peer found the request malformed or too long for its receive";
          case REM_ACCESS_ERR -> "the peer refused the rkey, its bounds or its access rights";
          case REM_OP_ERR -> "the peer could not complete the request";
          case RETRY_EXC_ERR -> "the peer did not acknowledge in time: peer or path is gone";
          case RNR_RETRY_EXC_ERR -> "the peer had no receive posted for as long as retries lasted";
          case FATAL_ERR -> "the device failed";
          default -> "see the verbs documentation";
        };
    return name(status) + " (" + cause + ")";
  }
}
