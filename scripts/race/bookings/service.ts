/** The service's side of the race. It refuses no duplicate: it books and counts every request. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { quoteOf } from "./orders.ts";

export interface BookingService {
  readonly url: string;
  /** The references under which each order was booked. */
  readonly bookings: ReadonlyMap<string, readonly string[]>;
  /** Returns the result of a look-up. */
  pnrOf(reference: string): string | null;
  stop(): Promise<void>;
}

interface Fate {
  readonly name: string;
  /** The share of all bookings. */
  readonly share: number;
  fate(body: Record<string, string>, response: ServerResponse): Promise<unknown>;
}

/** Longer than the deadline of a booking. */
const slow = 2_200;

export async function startService(count: (what: string) => void): Promise<BookingService> {
  const bookings = new Map<string, string[]>();
  const references = new Map<string, string>();
  let quotes = 0;

  const book = ({ trace_id, client_referenceId }: Record<string, string>): object => {
    const [order = ""] = String(trace_id).split(" ");
    const pnr = `P${String(references.size + 1).padStart(4, "0")}R`;
    bookings.set(order, [...(bookings.get(order) ?? []), String(client_referenceId)]);
    references.set(String(client_referenceId), pnr);
    return { status: "SUCCESS", status_code: "200", message: "", data: { trace_id, result: { pnr } } };
  };

  /** The booking takes effect and gets a response. */
  const certain: Fate = {
    name: "booked",
    share: 1,
    fate: async (body, response) => {
      await sleep(Math.random() * 60);
      send(response, book(body));
    },
  };
  /** The fates of the others, in every way that leaves doubt. */
  const fates: readonly Fate[] = [
    { name: "dropped before it was booked", share: 0.08, fate: async (_body, response) => response.destroy() },
    {
      name: "dropped after it was booked",
      share: 0.08,
      fate: async (body, response) => {
        book(body);
        response.destroy();
      },
    },
    { name: "booked after the deadline", share: 0.04, fate: (body) => sleep(slow).then(() => book(body)) },
    {
      name: "answered after the deadline",
      share: 0.04,
      fate: async (body, response) => send(response, await sleep(slow, book(body))),
    },
    {
      name: "refused",
      share: 0.08,
      fate: async (_body, response) =>
        send(response, { status: "FAILED", status_code: "401", message: "Unauthorized" }, 401),
    },
    {
      name: "booked, and a gateway's 502",
      share: 0.04,
      fate: async (body, response) => {
        book(body);
        response.writeHead(502).end("<html>");
      },
    },
  ];

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (request.url?.endsWith("fare_quote")) {
      quotes += 1;
      return send(response, quoteOf(String(body.trace_id), `Q${quotes}`));
    }
    const { name, fate } = pick(fates) ?? certain;
    count(`service: ${name}`);
    return fate(body, response);
  };
  // A killed process breaks off its requests.
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  server.on("clientError", (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bookings,
    pnrOf: (reference) => references.get(reference) ?? null,
    stop: async () => void server.close().closeAllConnections(),
  };
}

function send(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Returns one of the fates by its share, or none. */
function pick(fates: readonly Fate[]): Fate | undefined {
  let dice = Math.random();
  for (const fate of fates) {
    dice -= fate.share;
    if (dice < 0) return fate;
  }
  return undefined;
}
