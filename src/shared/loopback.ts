/**
 * Returns true for the host of this machine: `localhost`, 127.0.0.0/8 and `[::1]`. `URL` has normalized the spelling.
 */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Returns true for a host name or IP address to listen on that only this machine reaches: `localhost`, `127.0.0.1`, `::1`. */
export function isLoopbackHost(host: string): boolean {
  return isLoopback(host.includes(":") ? `[${host}]` : host.toLowerCase());
}
