package io.verbena.link;

/**
 * Another protocol at an address where links are accepted. The first bytes of a connection
 * distinguish it from a link. Each kind of link that allows this extends the interface with the
 * type of its connections.
 */
public interface PortProtocol {}
