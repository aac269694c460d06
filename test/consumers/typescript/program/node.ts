/** The entry points for Node alone. */
import { createServer } from "node:http";
import { ServiceApi } from "serviceapi";
import type { BookingJournal } from "serviceapi/flights";
import { fileJournal, lambdaHandler, nodeFetch, nodeHandler } from "serviceapi/node";
import { memoryStore, Webhooks } from "serviceapi/webhooks";
import { type Same, sure } from "./any.js";

export const api = new ServiceApi({ fetch: nodeFetch({ maxSockets: 5, proxy: new URL("http://127.0.0.1:3128") }) });

const journal = fileJournal("bookings.jsonl");
sure<Same<typeof journal, BookingJournal>>();

const webhooks = new Webhooks({ auth: "none", store: memoryStore(), findOrder: "none" });
const handler = webhooks.handler({ SUCCESS() {}, FAILED() {}, REJECTED() {} });
const receive = nodeHandler(handler);
const lambda = lambdaHandler(handler);
sure<Same<Awaited<ReturnType<typeof lambda>>["statusCode"], number>>();
// @ts-expect-error: a request is not any
receive(1, 2);
createServer((request, response) => {
  receive(request, response).catch((error: unknown) => console.error(error));
});
