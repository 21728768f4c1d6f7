package io.verbena.tcp;

import io.netty.util.concurrent.FastThreadLocal;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.testkit.callers.SteppingCallersContract;
import java.util.List;

/** Blocking callers over TCP. */
class TcpSteppingCallersTest extends SteppingCallersContract {
  @Override
  protected String address() {
    return "127.0.0.1:0";
  }

  @Override
  protected VerbenaClient.Builder settings(VerbenaClient.Builder client) {
    return client.path(PathPolicy.TCP_ONLY);
  }

  @Override
  protected List<String> kept() {
    int values = FastThreadLocal.size();
    return values == 0 ? List.of() : List.of(values + " values of Netty's");
  }
}
