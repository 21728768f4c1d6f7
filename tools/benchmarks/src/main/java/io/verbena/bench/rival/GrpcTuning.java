package io.verbena.bench.rival;

import io.verbena.core.EngineBuilder;
import io.verbena.core.PathPolicy;
import io.verbena.shm.ShmUpgradeProvider;
import java.nio.file.Path;

/** The settings of gRPC. */
enum GrpcTuning {
  /** The defaults. */
  NONE,
  /** Handlers and callbacks on the event loop, and a flow-control window of 4 MiB. */
  TUNED,
  /** The same over a Unix socket, in the folder for temporary files. */
  UNIX,
  /** The defaults, over sessions on TCP. */
  SESSIONS,
  /** The same with handlers and callbacks on the event loop. */
  SESSIONS_TUNED,
  /** The same over shared memory. */
  SESSIONS_SHM;

  static final int WINDOW_BYTES = 4 << 20;

  /** Large messages always need a higher limit, because the default is 4 MiB. */
  static final int MOST_MESSAGE_BYTES = 256 << 20;

  /** Returns whether sessions carry the calls. */
  boolean isOverSessions() {
    return switch (this) {
      case SESSIONS, SESSIONS_TUNED, SESSIONS_SHM -> true;
      case NONE, TUNED, UNIX -> false;
    };
  }

  /** Returns whether handlers and callbacks run on the event loop. */
  boolean isDirect() {
    return this != NONE && this != SESSIONS;
  }

  /** Makes sessions use the one path that is measured, and wait for it. */
  void setPath(EngineBuilder<?> engine) {
    if (this == SESSIONS_SHM) {
      engine.path(PathPolicy.REQUIRE_RDMA);
      engine.upgrades(new ShmUpgradeProvider());
    } else {
      engine.path(PathPolicy.TCP_ONLY);
    }
  }

  /** Returns the socket that stands for a port. */
  static Path socket(int port) {
    return Path.of(System.getProperty("java.io.tmpdir"), "verbena-bench-" + port + ".socket");
  }
}
