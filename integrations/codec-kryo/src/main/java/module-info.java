/** Serializers by Kryo. */
module io.verbena.codec.kryo {
  requires transitive com.esotericsoftware.kryo.kryo5;
  requires transitive io.verbena.api;
  requires static transitive org.jspecify;

  exports io.verbena.codec.kryo;
}
