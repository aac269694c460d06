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

/** A budget goes down when something got lighter. It goes up only with a sentence in ARCHITECTURE.md. */
export const budgets: Readonly<Record<string, Budget>> = {
  "findVpas: files": [37, 27, 18],
  "findVpas: functions": [154, 106, 65],
  "fareQuote: files": [33, 24, 20],
  "fareQuote: functions": [162, 114, 75],
  "createResponse: files": [36, 26, 20],
  "createResponse: functions": [150, 103, 75],
  "a stream: files": [50, 31, 25],
  "a stream: functions": [234, 182, 115],
  "a delivery: files": [32, 27, 16],
  "a delivery: functions": [117, 121, 65],
  "trip.book: files": [85, 60, 40],
  "trip.book: functions": [609, 509, 210],
  "src: files": [575, 504, 330],
  "src: lines": [47252, 45_422, 30000],
  "src, ai: lines": [3782, 3_551, 2600],
  "src, callback-url: lines": [604, 514, 420],
  "src, cli: lines": [10095, 10_092, 5500],
  "src, emulator: lines": [6819, 6_808, 4600],
  "src, errors: lines": [1103, 1_013, 750],
  "src, flights: lines": [9818, 9_284, 6450],
  "src, node: lines": [1222, 992, 300],
  "src, root: lines": [1099, 939, 750],
  "src, shared: lines": [1659, 1_583, 1000],
  "src, transport: lines": [4255, 4_037, 2650],
  "src, verification: lines": [1336, 1_298, 850],
  "src, webhooks: lines": [5460, 5_311, 3500],
  "{ ServiceApi }: kB gzipped": [53.9, 47.7, 36],
  "{ ServiceApi } in one file: kB": [87.9, 86.5, 52],
  "core with findVpas: kB gzipped": [27.7, 26.9, 16],
  "core with findVpas in one file: kB": [54.5, 53.6, 32],
  "all of flights: kB gzipped": [59.4, 55, 40],
  "all of flights in one file: kB": [57.2, 56.4, 40],
  "{ checkout } with the client: kB gzipped": [96.6, 92.1, 44],
  "{ checkout } with the client in one file: kB": [118.2, 116, 60],
  "{ Webhooks, hmac }: kB gzipped": [17.2, 17.3, 10.5],
  "{ RateLimitError }: kB gzipped": [0.9, 0.8, 0.9],
  "{ readMoney }: kB gzipped": [0.5, 0.5, 0.5],
  "entry points": [22, 16, 16],
  "exported names": [454, 299, 300],
  options: [168, 165, 150],
  "options of a client": [30, 22, 22],
  "tarball: KiB": [1266, 1_248, 850],
  "guides: words": [66601, 66_833, 36000],
};
