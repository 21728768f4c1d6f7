package io.verbena.it;

import io.netty.buffer.ByteBuf;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Source;
import java.util.stream.Stream;

/** Buffers of Netty's as sources and landings. */
final class NettyBuffers {
  private NettyBuffers() {}

  /** Returns what can be read now. Each use of it holds a reference to the buffer. */
  static Source source(ByteBuf buffer) {
    Source[] pieces = Stream.of(buffer.nioBuffers()).map(Source::of).toArray(Source[]::new);
    return Source.gathered(pieces).counted(buffer::retain, buffer::release);
  }

  /** Returns the room behind what was written. Each transfer holds a reference to the buffer. */
  static Landing landing(ByteBuf buffer) {
    return Landing.of(buffer.nioBuffer(buffer.writerIndex(), buffer.writableBytes()))
        .watched(
            transfer -> {
              buffer.retain();
              transfer.result().whenComplete((received, failure) -> buffer.release());
            });
  }
}
