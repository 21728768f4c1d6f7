/**
 * Servers in ZooKeeper, in the format of Curator's service discovery: channels find them by targets
 * such as {@code zookeeper://zk1:2181,zk2:2181/verbena/store}, and servers register by {@link
 * io.verbena.channel.zookeeper.ZooKeeperRegistration}. All of one ensemble in a process share a
 * client of it. What a resolver does, it does on a virtual thread of its own, one thing after the
 * other; nothing here waits on its caller's thread but {@link
 * io.verbena.channel.zookeeper.ZooKeeperRegistration#close}.
 */
@NullMarked
package io.verbena.channel.zookeeper;

import org.jspecify.annotations.NullMarked;
