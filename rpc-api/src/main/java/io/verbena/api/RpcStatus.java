package io.verbena.api;

enum RpcStatus {
  OK
}
