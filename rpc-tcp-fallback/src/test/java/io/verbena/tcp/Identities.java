package io.verbena.tcp;

import io.verbena.testkit.TestIdentity;

/** The identities in the tests of TLS. */
final class Identities {
  static final TestIdentity SERVER =
      TestIdentity.create("CN=server", "dns:localhost", "ip:127.0.0.1");
  static final TestIdentity CLIENT = TestIdentity.create("CN=client");
  static final TestIdentity STRANGER = TestIdentity.create("CN=stranger", "dns:elsewhere.example");

  private Identities() {}
}
