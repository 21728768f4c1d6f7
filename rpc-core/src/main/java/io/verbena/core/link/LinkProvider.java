package io.verbena.core.link;

/** A kind of link, found by {@link java.util.ServiceLoader}. Safe for use by any thread. */
public interface LinkProvider {
  /** Returns the scheme of the addresses that this kind of link reaches, such as {@code "tcp"}. */
  String scheme();

  /** Makes what steps this kind of link on one event loop, called by that loop alone afterwards. */
  LinkDriver newDriver();
}
