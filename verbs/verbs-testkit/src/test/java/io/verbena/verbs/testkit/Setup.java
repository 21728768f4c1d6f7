package io.verbena.verbs.testkit;

import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.SharedReceiveQueue;
import org.jspecify.annotations.Nullable;

/** How a side of a connection is to be made; a test changes what it cares about. */
public final class Setup {
  int maxSend = 16;
  int maxReceive = 16;
  int maxSges = 4;
  int maxInline = 64;
  int sendCqEntries = 64;
  int receiveCqEntries = 256;
  int rnrRetries = 7;
  int retries = 7;

  /** 67 ms; on real devices a lost peer is then known within a second. */
  int ackTimeout = 14;

  int responderResources = 4;
  int initiatorDepth = 4;
  @Nullable SharedReceiveQueue srq;
  int sharedReceives;

  public Setup maxSend(int requests) {
    maxSend = requests;
    return this;
  }

  public Setup maxReceive(int requests) {
    maxReceive = requests;
    return this;
  }

  public Setup maxInline(int bytes) {
    maxInline = bytes;
    return this;
  }

  public Setup sendCqEntries(int entries) {
    sendCqEntries = entries;
    return this;
  }

  public Setup receiveCqEntries(int entries) {
    receiveCqEntries = entries;
    return this;
  }

  public Setup rnrRetries(int count) {
    rnrRetries = count;
    return this;
  }

  public Setup retries(int count) {
    retries = count;
    return this;
  }

  /** Sets the READs that the peer, and that this side may have outstanding. */
  public Setup reads(int responding, int initiating) {
    responderResources = responding;
    initiatorDepth = initiating;
    return this;
  }

  public Setup srq(SharedReceiveQueue shared) {
    srq = shared;
    return this;
  }

  /** Gives the side a shared receive queue of its own: see {@link Side#srq}. */
  public Setup sharedReceives(int requests) {
    sharedReceives = requests;
    return this;
  }

  public ConnectionParameters parameters() {
    ConnectionParameters parameters = new ConnectionParameters();
    parameters.setResponder_resources((byte) responderResources);
    parameters.setInitiator_depth((byte) initiatorDepth);
    parameters.setRetry_count((byte) retries);
    parameters.setRnr_retry_count((byte) rnrRetries);
    return parameters;
  }
}
