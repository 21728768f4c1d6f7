/**
 * Servers in ZooKeeper, in the format of Curator's service discovery. Channels find them by targets
 * such as {@code zookeeper://zk1:2181,zk2:2181/verbena/store}, and servers register by {@link
 * io.verbena.channel.zookeeper.ZooKeeperRegistration}. All users of an ensemble in a process share
 * one client of it. A resolver runs its tasks on a virtual thread of its own, one after the other.
 * Only {@link io.verbena.channel.zookeeper.ZooKeeperRegistration#close} waits on its caller's
 * thread.
 */
@NullMarked
package io.verbena.channel.zookeeper;

import org.jspecify.annotations.NullMarked;
