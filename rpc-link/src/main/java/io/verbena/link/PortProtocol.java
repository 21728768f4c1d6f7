package io.verbena.link;

/**
 * What else is spoken at an address where links are accepted, told from links by how a connection
 * begins. Each kind of link that has room for it has an interface of its own for it, with what its
 * connections are made of.
 */
public interface PortProtocol {}
