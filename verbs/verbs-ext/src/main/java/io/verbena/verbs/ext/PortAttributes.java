package io.verbena.verbs.ext;

/**
 * A port of a device ({@code struct ibv_port_attr}).
 *
 * @param active whether the port carries traffic now
 * @param activeMtu in bytes: 256, 512, 1024, 2048 or 4096
 * @param maxMessageSize in bytes
 * @param ethernet true for RoCE and iWARP, false for InfiniBand
 */
public record PortAttributes(
    boolean active,
    int activeMtu,
    int maxMtu,
    long maxMessageSize,
    int gidTableLength,
    int lid,
    boolean ethernet) {}
