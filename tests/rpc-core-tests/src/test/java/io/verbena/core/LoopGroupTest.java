package io.verbena.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Idling;
import io.verbena.mem.InMemoryNetwork;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopGroupTest {
  private final LoopGroup group = new LoopGroup("test", new InMemoryNetwork(), Idling.ADAPTIVE, 2);

  @AfterEach
  void end() {
    boolean _ = group.end();
  }

  @Test
  void sessionsGoWhereTheFewestAre() {
    EventLoop first = group.join();
    EventLoop second = group.join();
    assertThat(second).isNotSameAs(first);
    assertThat(group.join()).isSameAs(first);
    group.leave(second);
    assertThat(group.join()).isSameAs(second);
  }

  @Test
  void whoComesWhileItIsClosedStartsNoLoopThatNobodyWouldClose() {
    group.join();
    end();
    assertThatThrownBy(group::join)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(group::all).isInstanceOf(IllegalStateException.class);
  }
}
