/**
 * Expected results of a trial for `findVpas` (safe), `createResponse` (ifNotProcessed) and `book` (never); see
 * `summary.ts`. A trial that is not made with `findVpas` has no result for it.
 */
export type Row = readonly [findVpas: string | undefined, createResponse: string, book: string];

const answered: Row = ["answer, 1 received", "answer, 1 received", "answer, 1 received"];

const neverConnected: Row = [
  "ConnectionError notSent, 3 tried, 0 received",
  "ConnectionError notSent, 3 tried, 0 received",
  "ConnectionError notSent, 1 tried, 0 received",
];

/** The next attempt would meet the same certificate. */
const notTrusted: Row = [
  "ConnectionError notSent, 1 tried, 0 received",
  "ConnectionError notSent, 1 tried, 0 received",
  "ConnectionError notSent, 1 tried, 0 received",
];

const brokeUnanswered: Row = [
  "ConnectionError unknown, 3 tried, 3 received",
  "ConnectionError unknown, 1 tried, 1 received",
  "BookingOutcomeUnknownError unknown (ConnectionError), 1 tried, 1 received",
];

/** The first call gets a response, the second is dropped: one request each, and one more only if a retry is safe. */
const keptConnectionDied: Row = [
  "answer, 3 received",
  "ConnectionError unknown, 1 tried, 2 received",
  "BookingOutcomeUnknownError unknown (ConnectionError), 1 tried, 2 received",
];

/** A refusal that does not say for certain that nothing was booked. */
const openToABooking: Row = [
  "ApiError rejected, 1 tried, 1 received",
  "ApiError rejected, 1 tried, 1 received",
  "BookingOutcomeUnknownError unknown (ApiError), 1 tried, 1 received",
];

const cut: Row = [
  "UnexpectedResponseError unknown cut, 3 tried, 3 received",
  "UnexpectedResponseError unknown cut, 1 tried, 1 received",
  "BookingOutcomeUnknownError unknown (UnexpectedResponseError cut), 1 tried, 1 received",
];

const tooLateIn = (phase: "headers" | "body"): Row => [
  `TimeoutError unknown attempt ${phase}, 2 tried, 2 received`,
  `TimeoutError unknown attempt ${phase}, 1 tried, 1 received`,
  `BookingOutcomeUnknownError unknown (TimeoutError attempt ${phase}), 1 tried, 1 received`,
];

const abortedIn = (phase: "headers" | "body"): Row => [
  `AbortError unknown ${phase}, 1 tried, 1 received`,
  `AbortError unknown ${phase}, 1 tried, 1 received`,
  `BookingOutcomeUnknownError unknown (AbortError ${phase}), 1 tried, 1 received`,
];

const once = (error: string): Row => {
  const text = `${error}, 1 tried, 1 received`;
  return [text, text, text];
};

export const expected: Readonly<Record<string, Row>> = {
  answer: answered,
  gzip: answered,
  earlyHints: answered,

  connectionRefused: neverConnected,
  nameNotFound: neverConnected,
  tlsRefused: notTrusted,

  resetBeforeAnyByte: brokeUnanswered,
  closeBeforeAnyByte: brokeUnanswered,
  keptConnectionReset: keptConnectionDied,
  keptConnectionClosed: keptConnectionDied,
  cutByLength: cut,
  cutInChunk: cut,
  cutInGzip: cut,

  stall: tooLateIn("headers"),
  stallInBody: tooLateIn("body"),
  drip: tooLateIn("body"),
  abortWhileWaiting: abortedIn("headers"),
  abortWhileReading: abortedIn("body"),

  html502: [
    "UnexpectedResponseError unknown html, 3 tried, 3 received",
    "UnexpectedResponseError unknown html, 1 tried, 1 received",
    "BookingOutcomeUnknownError unknown (UnexpectedResponseError html), 1 tried, 1 received",
  ],
  empty200: [
    "UnexpectedResponseError unknown empty, 1 tried, 1 received",
    "UnexpectedResponseError unknown empty, 1 tried, 1 received",
    "BookingOutcomeUnknownError unknown (UnexpectedResponseError empty), 1 tried, 1 received",
  ],
  /** With `Retry-After: 0`, which says that an AI request was not worked on. */
  busy503: [
    "UnexpectedResponseError unknown empty, 3 tried, 3 received",
    "UnexpectedResponseError unknown empty, 3 tried, 3 received",
    "BookingOutcomeUnknownError unknown (UnexpectedResponseError empty), 1 tried, 1 received",
  ],

  redirect301: once("ApiError rejected"),
  redirect302: openToABooking,
  /** The result of what was done is elsewhere. */
  redirect303: [openToABooking[0], "ApiError unknown, 1 tried, 1 received", openToABooking[2]],
  redirect307: once("ApiError rejected"),
  redirect308: once("ApiError rejected"),

  status401: once("AuthenticationError rejected"),
  status407: openToABooking,
  status408: [
    "ServiceUnavailableError unknown, 3 tried, 3 received",
    "ServiceUnavailableError unknown, 1 tried, 1 received",
    "BookingOutcomeUnknownError unknown (ServiceUnavailableError), 1 tried, 1 received",
  ],
  status417: openToABooking,
  status421: [undefined, openToABooking[1], openToABooking[2]],
  status425: openToABooking,
  status429: [
    "RateLimitError rejected, 3 tried, 3 received",
    "RateLimitError rejected, 3 tried, 3 received",
    "RateLimitError rejected, 1 tried, 1 received",
  ],
};

/**
 * workerd does not distinguish a connection that was never made from one that broke, so the outcome is the cautious
 * one.
 */
const connectionLost: Row = [
  "ConnectionError unknown, 3 tried, 0 received",
  "ConnectionError unknown, 1 tried, 0 received",
  "BookingOutcomeUnknownError unknown (ConnectionError), 1 tried, 0 received",
];

const workerd = { connectionRefused: connectionLost, nameNotFound: connectionLost, tlsRefused: connectionLost };

/** Node turns 407 into a failure of `fetch` itself, as the Fetch standard requires for pages. */
const node = { status407: brokeUnanswered };

/** Results of a runtime that cannot do what the others do. */
export const exceptions: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  "Node 22": node,
  "Node 24": node,
  "Node 26": node,
  workerd,
  "workerd without Node": workerd,
};

/**
 * Number of requests that a plain `fetch` makes of one POST whose kept-alive connection was lost after it was received,
 * and of one that was refused with 421. If it is 2, the library has to keep the runtime from it
 * (`src/transport/fetch.ts`).
 */
export const plainFetch: Readonly<Record<string, { readonly afterLoss: number; readonly after421: number }>> = {
  "Node 22": { afterLoss: 1, after421: 2 },
  "Node 24": { afterLoss: 1, after421: 2 },
  "Node 26": { afterLoss: 1, after421: 2 },
  Deno: { afterLoss: 2, after421: 1 },
  Bun: { afterLoss: 1, after421: 1 },
  workerd: { afterLoss: 1, after421: 1 },
  "workerd without Node": { afterLoss: 1, after421: 1 },
};

/** The runtime's own code or message of a failure, which stays in the error's `cause`: by trial and runtime. */
export const ownMessages: Readonly<Record<string, Readonly<Record<"Node" | "Deno" | "Bun" | "workerd", string>>>> = {
  connectionRefused: {
    Node: "connect ECONNREFUSED",
    Deno: "client error (Connect): tcp connect error: Connection refused (os error 111)",
    Bun: "ECONNREFUSED: Unable to connect. Is the computer able to access the url?",
    workerd: "Network connection lost.",
  },
  nameNotFound: {
    Node: "getaddrinfo ENOTFOUND nope.invalid",
    Deno: "client error (Connect): dns error: failed to lookup address information: Name or service not known",
    Bun: "getaddrinfo ENOTFOUND nope.invalid",
    workerd: "internal error",
  },
  tlsRefused: {
    Node: "DEPTH_ZERO_SELF_SIGNED_CERT self-signed certificate",
    Deno: "client error (Connect): invalid peer certificate: UnknownIssuer",
    Bun: "DEPTH_ZERO_SELF_SIGNED_CERT self signed certificate",
    workerd: "internal error",
  },
  resetBeforeAnyByte: {
    Node: "read ECONNRESET",
    Deno: "Connection reset by peer (os error 104)",
    Bun: "ECONNRESET: The socket connection was closed unexpectedly.",
    workerd: "Network connection lost.",
  },
  closeBeforeAnyByte: {
    Node: "UND_ERR_SOCKET other side closed",
    Deno: "client error (SendRequest): connection closed before message completed",
    Bun: "ECONNRESET: The socket connection was closed unexpectedly.",
    workerd: "Network connection lost.",
  },
  cutByLength: {
    Node: "UND_ERR_RES_CONTENT_LENGTH_MISMATCH Response body length does not match content-length header",
    Deno: "error reading a body from connection",
    Bun: "ECONNRESET: The socket connection was closed unexpectedly.",
    workerd: "Network connection lost.",
  },
  cutInGzip: {
    // Node returns what arrived.
    Node: "",
    Deno: "unexpected end of file",
    Bun: "ZlibError",
    workerd: "Gzip compressed stream ended prematurely.",
  },
};
