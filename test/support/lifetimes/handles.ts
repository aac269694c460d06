import { Server, Socket } from "node:net";

/** The standard streams and the connections that Mock Service Worker imitates, kept because `remotePort` is a system call. */
const ignored = new WeakSet<object>();

/**
 * Returns what keeps the process alive: servers, sockets, child processes, watchers. Node has no other list that tells
 * one from another.
 */
export function* openHandles(): Iterable<readonly [object, () => string]> {
  const handles: readonly object[] = Reflect.get(process, "_getActiveHandles").call(process);
  for (const handle of handles) {
    if (ignored.has(handle)) continue;
    if (isStandard(handle) || isImitated(handle)) ignored.add(handle);
    else yield [handle, () => describe(handle)];
  }
}

/** Returns the server that accepted a socket. */
export function serverOf(handle: object): object | undefined {
  const server: unknown = handle instanceof Socket ? Reflect.get(handle, "server") : undefined;
  return server instanceof Server ? server : undefined;
}

/** The standard streams of the process. */
function isStandard(handle: object): boolean {
  const descriptor: unknown = Reflect.get(handle, "fd");
  return typeof descriptor === "number" && descriptor >= 0 && descriptor <= 2;
}

/** A connection that Mock Service Worker imitates, and keeps. No test connects to this port. */
function isImitated(handle: object): boolean {
  return handle instanceof Socket && handle.remotePort === 443;
}

function describe(handle: object): string {
  const { localPort, remotePort, spawnargs } = handle as Record<string, unknown>;
  const ports = [localPort, remotePort].filter((port) => port !== undefined).join(" → ");
  const command = Array.isArray(spawnargs) ? spawnargs.join(" ").slice(0, 200) : "";
  return ["an open", handle.constructor.name, ports, command].filter((word) => word !== "").join(" ");
}
