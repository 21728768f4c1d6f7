package io.verbena.channel;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One server's shop. */
final class Branch implements Shop {
  final List<String> executed = Collections.synchronizedList(new ArrayList<>());
  final List<String> told = new ArrayList<>();
  private final String name;

  /** The status with which it refuses calls; null if it serves them. */
  volatile @Nullable RpcStatus refuses;

  /** Whether it says, where it refuses, that it has done nothing. */
  volatile boolean doesNothing;

  Branch(String name) {
    this.name = name;
  }

  @Override
  public String who(String text) {
    RpcStatus status = refuses;
    if (status != null) {
      RpcException refusal = new RpcException(status, "not now");
      throw doesNothing ? refusal.notExecuted() : refusal;
    }
    executed.add(text);
    return name;
  }

  @Override
  public String once(String text) {
    return who(text);
  }

  @Override
  public void tell(String text) {
    told.add(text);
  }

  @Override
  public Received read(Landing into) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    return Received.from(Source.of(MemorySegment.ofArray(bytes)));
  }
}
