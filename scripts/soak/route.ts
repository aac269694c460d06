/** A port that leads to a store, which changes or goes away behind its URL. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream";

export type Route = Awaited<ReturnType<typeof openRoute>>;

export async function openRoute(url: string) {
  let target = new URL(url);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    // If one end breaks off, so does the other.
    pipeline(socket, connect(Number(target.port), target.hostname), socket, () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const here = new URL(url);
  here.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    const number = open.size;
    for (const socket of open) socket.destroy();
    return number;
  };
  return {
    /** The URL of the store, by way of this route. */
    url: here.href,
    /** Returns the number of connections. */
    connections: () => open.size,
    /** Leads new connections to another store, and breaks off the others. */
    to(next: string): void {
      target = new URL(next);
      cut();
    },
    /** Breaks off all connections. Returns their number. */
    cut,
    async close(): Promise<void> {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
