/** A port that leads to a store, which changes or goes away behind its URL. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type Route = Awaited<ReturnType<typeof openRoute>>;

export async function openRoute(url: string) {
  let target = new URL(url);
  /** Both ends of each connection. */
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const beyond = connect(Number(target.port), target.hostname);
    join(socket, beyond);
    join(beyond, socket);
  });
  const join = (one: Socket, other: Socket) => {
    open.add(one);
    one.on("error", () => {}); // `close` follows.
    one.once("close", () => {
      open.delete(one);
      other.destroy();
    });
    one.pipe(other);
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const here = new URL(url);
  here.port = String((server.address() as AddressInfo).port);
  const connections = () => Math.ceil(open.size / 2);
  const cut = () => {
    const number = connections();
    for (const socket of open) socket.destroy();
    return number;
  };
  return {
    /** The URL of the store, by way of this route. */
    url: here.href,
    /** Returns the number of connections. */
    connections,
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
