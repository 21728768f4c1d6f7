/** Messages compressed by LZ4. */
module io.verbena.compression {
  requires transitive io.verbena.codec;
  requires org.lz4.java;
  requires static org.jspecify;

  exports io.verbena.compression;

  provides io.verbena.codec.Lz4 with
      io.verbena.compression.JavaLz4;
}
