/** Serializers by Kryo. */
module io.verbena.codec.kryo {
  requires transitive com.esotericsoftware.kryo;
  requires transitive io.verbena.api;
  requires org.objenesis;
  requires static transitive org.jspecify;

  exports io.verbena.codec.kryo;
}
