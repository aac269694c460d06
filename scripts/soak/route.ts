/** Ports that lead to a store, which changes or goes away behind its URL, and to the workers in turn. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Route {
  /** The URL of the store, by way of this route. */
  readonly url: string;
  /** Returns the number of connections. */
  connections(): number;
  /** Leads new connections to another store, and breaks off the others. */
  to(url: string): void;
  /** Breaks off all connections. Returns their number. */
  cut(): number;
  close(): Promise<void>;
}

export async function openRoute(url: string): Promise<Route> {
  let target = new URL(url);
  const { port, connections, cut, close } = await openPort(() => target);
  const here = new URL(url);
  here.port = String(port);
  return {
    url: here.href,
    connections,
    to(next) {
      target = new URL(next);
      cut();
    },
    cut,
    close,
  };
}

/** A port that leads each connection to the next of some servers, as a load balancer does. */
export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

/** @param urlsOf - Returns the URLs of the servers that are ready. */
export async function openBalancer(urlsOf: () => readonly string[]): Promise<Balancer> {
  let count = 0;
  const { port, close } = await openPort(() => {
    const urls = urlsOf();
    count += 1;
    return new URL(urls[count % urls.length] ?? "");
  });
  return { url: `http://127.0.0.1:${port}`, close };
}

interface Port extends Omit<Route, "url" | "to"> {
  readonly port: number;
}

/** Opens a port whose connections lead on to the server that a function returns for each. */
async function openPort(targetOf: () => URL): Promise<Port> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const { hostname, port } = targetOf();
    join(socket, connect(Number(port), hostname), open);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A connection has two sockets.
  const connections = () => Math.ceil(open.size / 2);
  const cut = () => {
    const number = connections();
    for (const socket of open) socket.destroy();
    return number;
  };
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    cut,
    async close() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}

/** Makes one connection of two, and keeps both in a set while they are open. */
function join(socket: Socket, beyond: Socket, open: Set<Socket>): void {
  for (const [one, other] of [
    [socket, beyond],
    [beyond, socket],
  ] as const) {
    open.add(one);
    // `close` follows.
    one.on("error", () => {});
    one.once("close", () => {
      open.delete(one);
      other.destroy();
    });
    one.pipe(other);
  }
}
