/** The service: the emulator, which forgets nothing of a run, and what it knows in the end. */
import { createEmulator, type ReceivedRequest } from "../../src/emulator/emulator.ts";
import { limits } from "../../src/emulator/state/limits.ts";
import { isObject } from "../../src/shared/json.ts";
import { type Acknowledgement, acknowledgedBy, type ServiceTruth } from "./accounts/truth.ts";
import { bookingLimit } from "./calls.ts";
import { signature } from "./receiver.ts";

export type Service = Awaited<ReturnType<typeof startService>>;

/** The header of a request that the service makes itself. */
const ours = "x-attempt-withheld";

export async function startService() {
  Object.assign(limits, { entries: Number.POSITIVE_INFINITY, length: Number.POSITIVE_INFINITY });
  const emulator = createEmulator({ pace: 5 });
  // A machine may be slow, but nobody waits any longer for a booking.
  emulator.on("flights.book", (_, request) => (isTooLate(request) ? "reset" : undefined));
  const server = await emulator.listen({ port: 0 });
  const acknowledgements: Acknowledgement[] = [];
  return {
    emulator,
    url: server.url,
    /** Delivers payouts from now on, and waits for an acknowledgement for some milliseconds. */
    deliverTo(urlOf: (reference: string) => string, ackTimeout: number): void {
      const deliver = async (request: Request) => {
        const { method, headers, signal } = request;
        const body = await request.text();
        const reference: string = JSON.parse(body).client_referenceId;
        const response = await fetch(urlOf(reference), { method, headers, body, signal, redirect: "manual" });
        const acknowledgement = await response.text();
        const [, status] = /"status":"(SUCCESS|DUPLICATE)"/.exec(acknowledgement) ?? [];
        if (status !== undefined) acknowledgements.push({ reference, isFirst: status === "SUCCESS", at: Date.now() });
        return new Response(acknowledgement, response);
      };
      emulator.deliverTo(deliver, { auth: signature, retrySchedule: [1_000, 3_000, 6_000], ackTimeout });
    },
    /** Makes all retries that are due, and redelivers each payout until it is acknowledged, as the operator would on request. */
    async redeliverAll(): Promise<void> {
      await emulator.clock.runToEnd();
      const events = new Map(emulator.deliveries.map((row) => [row.client_referenceId, row.event])).values();
      const redeliver = async () => {
        for (const event of events) {
          for (let attempt = 0; attempt < 8; attempt += 1) {
            const { problem } = await emulator.fire(event);
            if (problem === undefined) break;
          }
        }
      };
      await Promise.all(Array.from({ length: 32 }, redeliver));
    },
    truth: (): ServiceTruth => ({
      received: emulator.requests
        .filter(({ headers }) => !(ours in headers))
        .flatMap((request) =>
          request.operation === undefined ? [] : { operation: request.operation, reference: referenceIn(request) },
        ),
      bookings: emulator.bookings,
      deliveries: emulator.deliveries.map(({ client_referenceId, attempts }) => ({
        reference: client_referenceId,
        statuses: attempts.map(acknowledgedBy),
      })),
      acknowledgements,
    }),
    stop: () => server.close(),
  };
}

/** Whether nobody looks for a booking any more that is made now. */
export const isTooLate = ({ headers }: ReceivedRequest): boolean =>
  Date.now() - Number(headers["x-attempt-at"]) > bookingLimit;

/** Makes the booking of a request, unless that fails, and keeps the response to itself. */
export async function bookAnyway({ emulator, url }: Service, { path, headers, body }: ReceivedRequest): Promise<void> {
  const sent = { ...headers, "client-secret": "soak", [ours]: "yes" };
  await emulator.fetch(`${url}${path}`, { method: "POST", headers: sent, body: JSON.stringify(body) }).catch(() => {});
}

/** A quote has no reference. */
function referenceIn({ operation, headers, body }: ReceivedRequest): string {
  if (operation === "flights.fareQuote") return `${headers["x-attempt"]}q`;
  const { client_referenceId, clientData } = Object(body);
  return String(client_referenceId ?? (isObject(clientData) ? clientData.client_id : ""));
}
