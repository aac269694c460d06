/** A weight as it was in 0.1.0 before the library was halved, the most that it may have now, and what it is to become. */
export type Budget = readonly [before: number, budget: number, goal: number];

/** A module of a user, which is bundled from the built package. */
export interface Program {
  readonly name: string;
  readonly code: string;
  /** Words that must not be in what it loads at start. */
  readonly without?: readonly string[];
}

const core = `export { Client } from "serviceapi/core"; export { findVpas } from "serviceapi/verification";`;

export const programs: readonly Program[] = [
  {
    name: "{ ServiceApi }",
    code: `export { ServiceApi } from "serviceapi";`,
    without: ["parse5", "htmlparser2", "temporal", "tldts", "__emulator"],
  },
  { name: "core with findVpas", code: core },
  { name: "all of flights", code: `export * from "serviceapi/flights";`, without: ["htmlparser2"] },
  {
    name: "{ checkout } with the client",
    code: `export { ServiceApi } from "serviceapi"; export { checkout } from "serviceapi/flights";`,
  },
  {
    name: "{ Webhooks, hmac }",
    code: `export { Webhooks, hmac } from "serviceapi/webhooks";`,
    without: ["globalThis.fetch", "NetworkError", "ipaddr"],
  },
  { name: "{ RateLimitError }", code: `export { RateLimitError } from "serviceapi";` },
  // A helper from among checks and schemas, which a bundler has to know to be without effect.
  { name: "{ readMoney }", code: `export { readMoney } from "serviceapi/flights";` },
];

/**
 * A budget goes down when something got lighter. It goes up only for a new operation, store, journal or error, or for a
 * promise, which is added to those of its room here; most of them also cost a journey or a bundle:
 *
 * - ai: a relay that is not one, chunks that are not the completed text, echoed secrets, turns that are taken back; a stream that copies what it was given; `ready()`, `onFinish`, `readRelay`; the end
 *   of a stream as a value, reported; failures that say themselves; a stream that nobody reads at its deadline; a
 *   byte order mark on each line; a response that the service corrects, in a browser; a turn that nobody awaits; a turn that tabs and servers share (`relayTurn`).
 * - callback-url: addresses that are not public; certificates, whatever the environment accepts.
 * - cli: `schema`, `--consent-column`, files that are too large.
 * - emulator: an error of a server that listens; an ID of each response.
 * - errors: an error for saved data; the status of a route (`httpStatusFor`).
 * - flights: all offers of a trip compared, checked and booked together (`bookAll`), and a half-booked trip that goes
 *   on; a settlement without its claim; what proves a refusal; the journal asked first, and cut journals; who is sent
 *   is who is counted; flights without a name, names that were corrected, bookings of a search that no quote has shown apart, PNRs of two bookings; an order that goes on in a new
 *   search, with the people and rows that it has by then, and what its trip costs in whole; names of offers, moved over midnight or beside others; what is left
 *   of a limit, prices that cannot be read or are above it; totals of a booking, sums of floats; nights on which
 *   clocks change; words that look like tags; fees of all offers; what a page does next (`adviceFor`); a
 *   fresh quote that is shown with its error alone; what is booked already, and the next call of an order;
 *   a booked offer that each quote names otherwise; a part of an order that a look-up found without a price; the price of all that `bookAll` refuses;
 *   a trip that is read again (`refresh`), and parts that were refused; what is booked as a sum (`bookedTotal`); whether the price of a look-up is above what was agreed to.
 * - node: a connection whose server reads no more.
 * - root: sizes of nothing and hosts that match nothing; OpenTelemetry; a timeout that leaves bookings alone.
 * - shared: a pool and its transactions, with a rollback in place of a commit; long integers, found fast; schemas in
 *   place of generated checks; a copy by JSON once for all; a client that ends while it is taken; a wait for steps of
 *   the application.
 * - transport: kinds that do not say that nothing was done; refusals in the framing of a stream; `requestIdOf`,
 *   `SERVICEAPI_LOG`; no retry of what may be done; a grammar of refusals that is read and not compiled; echoes in
 *   any form; codes of TLS that prove nothing; `Retry-After` in each form; runtimes in which ky does not run; an
 *   abort while an error is loaded; the outcome of all attempts; one name for each header; what `extraBody` adds;
 *   bodies that were read before.
 * - verification: a status that no response of the document has; responses without a head; names masked in drifts and
 *   errors; a turn given back only within the rate; statuses of gateways, and a 404 of the service.
 * - webhooks: names with a space or twice; a conflict without a hook; claims checked before anything runs;
 *   `onAccepted`, `receivedAt`; transactions and their queries that nobody awaits, or that their work cannot end, known by their claim;
 *   deliveries known by their nonce; a check that says two things; a handler in the place of an adapter.
 * - guides: a relay on node:http and Express; the README's receiver to its credit; a payment page of a trip that is booked in part; what a new user asked: a
 *   price that rises, the PNRs of an order, the end of a process, programs without credentials.
 */
export const budgets: Readonly<Record<string, Budget>> = {
  "findVpas: files": [37, 21, 18],
  "findVpas: functions": [154, 72, 65],
  "fareQuote: files": [33, 20, 20],
  "fareQuote: functions": [162, 74, 75],
  "createResponse: files": [36, 20, 20],
  "createResponse: functions": [150, 73, 75],
  "a stream: files": [50, 25, 25],
  "a stream: functions": [234, 135, 115],
  "a delivery: files": [32, 16, 16],
  "a delivery: functions": [117, 65, 65],
  "trip.book: files": [85, 51, 40],
  "trip.book: functions": [609, 413, 210],
  "src: files": [575, 288, 330],
  "src: lines": [47252, 37_081, 30000],
  "src, ai: lines": [3782, 3_165, 2600],
  "src, callback-url: lines": [604, 507, 420],
  "src, cli: lines": [10095, 5_687, 5500],
  "src, emulator: lines": [6819, 4_583, 4600],
  "src, errors: lines": [1103, 1_005, 750],
  "src, flights: lines": [9818, 8_400, 6450],
  "src, node: lines": [1222, 963, 300],
  "src, root: lines": [1099, 1_139, 750],
  "src, shared: lines": [1659, 1_783, 1000],
  "src, transport: lines": [4255, 3_973, 2650],
  "src, verification: lines": [1336, 1_061, 850],
  "src, webhooks: lines": [5460, 4_815, 3500],
  "{ ServiceApi }: kB gzipped": [53.9, 35.3, 36],
  "{ ServiceApi } in one file: kB": [87.9, 74.1, 52],
  "core with findVpas: kB gzipped": [27.7, 26, 16],
  "core with findVpas in one file: kB": [54.5, 44.8, 32],
  "all of flights: kB gzipped": [59.4, 47.6, 40],
  "all of flights in one file: kB": [57.2, 62.8, 40],
  "{ checkout } with the client: kB gzipped": [96.6, 67.3, 44],
  "{ checkout } with the client in one file: kB": [118.2, 103.6, 60],
  "{ Webhooks, hmac }: kB gzipped": [17.2, 16.9, 10.5],
  "{ RateLimitError }: kB gzipped": [0.9, 1, 0.9],
  "{ readMoney }: kB gzipped": [0.5, 0.5, 0.5],
  "entry points": [22, 16, 16],
  "exported names": [454, 300, 300],
  options: [168, 146, 150],
  "options of a client": [30, 22, 22],
  "tarball: KiB": [1266, 951, 850],
  "guides: words": [66601, 35_998, 36000],
};
