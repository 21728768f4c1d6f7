package io.verbena.grpc;

import io.grpc.internal.SharedResourceHolder;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;

/** What channels and servers use unless it is set. */
final class Defaults {
  private static final int MOST_CALLS = 16_384;

  /** gRPC has no limit of calls by default, so this one is high. */
  static final SessionLimits LIMITS = SessionLimits.DEFAULT.withMaxCalls(MOST_CALLS);

  /** The client of all channels without settings of their own. It ends with the last of them. */
  static final SharedResourceHolder.Resource<VerbenaClient> CLIENT =
      new SharedResourceHolder.Resource<>() {
        @Override
        public VerbenaClient create() {
          return VerbenaClient.builder().limits(LIMITS).build();
        }

        @Override
        public void close(VerbenaClient client) {
          client.close();
        }
      };

  private Defaults() {}
}
