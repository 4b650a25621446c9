/** What is used of a client of Redis. */
interface RedisClient {
  on(event: 'connect', listener: () => void): unknown;
  destroy(): void;
}

/**
 * Closes a client for good. `destroy` alone passes over a connection that is just being made (redis 6.3): it
 * would be used when it is there, and the process would never end.
 */
export function endRedis(client: RedisClient): void {
  client.on('connect', () => client.destroy());
  client.destroy();
}
