import { head, respond } from "../../support/raw-http.ts";
import type { Row, Scenario } from "../scenario.ts";
import { broken, type Counts, open, rejected, times } from "./rows.ts";

const html = "<!doctype html><html><body><h1>Sorry</h1></body></html>";

/** A booking whose outcome is open because of this error. */
const openBooking = (error: string) => times(`BookingOutcomeUnknownError unknown (${error})`, 1);

/** A refusal, as the status alone has it. For a booking it must say for certain that nothing was booked. */
const refused = (booking: string, counts?: Counts): Row => ({
  ...rejected("UnexpectedResponseError", "html", counts),
  never: booking,
});
const certain = (error: string) => times(`${error} rejected`, 1);

/** Web pages by their status: gateways write them. */
const pages: readonly (readonly [statuses: readonly number[], expected: Row])[] = [
  [[200, 201, 202, 203, 206, 226, 299], open("UnexpectedResponseError", "html", { safe: 1 })],
  [[401], refused(certain("AuthenticationError"))],
  [[402], refused(openBooking("InsufficientBalanceError"))],
  [[403], refused(certain("PermissionError"))],
  [[404], refused(certain("NotFoundError"))],
  [
    [409],
    { ...open("UnexpectedResponseError", "html", { safe: 1 }), never: times("DuplicateRequestError unknown", 1) },
  ],
  [[429], refused(certain("RateLimitError"), { safe: 3, ifNotProcessed: 3 })],
  [[405, 413, 415], refused(certain("InvalidRequestError"))],
  [[400, 406, 410, 411, 414, 422], refused(openBooking("InvalidRequestError"))],
  [[407, 417, 418, 421, 423, 425, 426, 428, 431, 451, 499], refused(openBooking("ApiError"))],
  [[408], { ...open("UnexpectedResponseError", "html"), never: openBooking("ServiceUnavailableError") }],
  [[500, 502, 503, 504], open("UnexpectedResponseError", "html")],
  [
    [501, 505, 507, 508, 511, 520, 522, 524, 525, 530, 599, 600, 999],
    open("UnexpectedResponseError", "html", { safe: 1 }),
  ],
];

const twice = (tried: number) => ({ safe: times("UnexpectedResponseError rejected html", tried, { each: 2 }) });

/** Statuses that a runtime treats in its own way. */
const byRuntime: Readonly<Record<number, Pick<Scenario, "except" | "rare">>> = {
  // As the Fetch standard says: a network error.
  407: { except: { Node: broken } },
  // As the Fetch standard says: a second request, unless its body can be read only once. In one of some hundred calls
  // undici breaks off the second request with the first connection, and the library makes another attempt.
  421: { except: { Node: twice(1) }, rare: { Node: [twice(2)] } },
};

/** Targets of a redirect. */
const targets: Readonly<Record<string, (elsewhere: string) => string | undefined>> = {
  "to another host": (elsewhere) => `${elsewhere}/there`,
  "to itself": () => "",
  "to a relative URL": () => "../there",
  "to a file": () => "file:///etc/passwd",
  "to no URL": () => "http://[",
  nowhere: () => undefined,
};

/** A redirect that is not followed: 303 says that the result of what was done is elsewhere (RFC 9110, 15.4). */
const redirected = (status: number, never: string): Row => ({
  ...rejected("ApiError"),
  ...(status === 303 && { ifNotProcessed: times("ApiError unknown", 1) }),
  never,
});

/** 301, 307 and 308 say that nothing was done here (RFC 9110, 15.4). */
const redirects = [300, 301, 302, 303, 304, 305, 307, 308].flatMap((status) =>
  Object.entries(targets).map(
    ([target, location]): Scenario => ({
      name: `HTTP ${status} ${target}`,
      answer: ({ socket, elsewhere }) => {
        const url = location(elsewhere);
        respond(socket, status, "", url === undefined ? {} : { Location: url });
      },
      expected: redirected(status, [301, 307, 308].includes(status) ? certain("ApiError") : openBooking("ApiError")),
    }),
  ),
);

const pageHeaders = { "Content-Type": "text/html", Location: "/there" };

/** Redirects with a body, as most servers send them. A look-up does not have it read, and it proves no refusal. */
const redirectsWithPage: readonly Scenario[] = [
  ...[301, 302, 303, 307, 308].map(
    (status): Scenario => ({
      name: `HTTP ${status} with a web page`,
      answer: ({ socket }) => respond(socket, status, html, pageHeaders),
      expected: redirected(status, openBooking("ApiError")),
    }),
  ),
  {
    name: "HTTP 308 with a body that is cut",
    answer: ({ socket }) => socket.end(`${head(308, { Location: "/there", "Content-Length": "5000" })}{"data":`),
    expected: {
      ...rejected("ApiError"),
      ifNotProcessed: times("ApiError unknown", 1),
      never: openBooking("ApiError"),
    },
  },
];

const busy = { status: "FAILED", status_code: "503", message: "Service unavailable" };

/** `Retry-After` under 503, and the number of attempts of a look-up and of an AI response. */
const pauses: readonly (readonly [value: string, safe: number, ifNotProcessed: number])[] = [
  ["0", 3, 3],
  ["0.01", 3, 3],
  ["Wed, 01 Jan 2025 00:00:00 GMT", 3, 3],
  // Longer than `maxRetryAfter`.
  ["61", 1, 1],
  ["172800", 1, 1],
  ["Fri, 01 Jan 2100 00:00:00 GMT", 1, 1],
  ["9".repeat(400), 1, 1],
  // Nothing that HTTP knows: as if there were no header.
  ["2 days", 3, 1],
  ["soon", 3, 1],
  ["-1", 3, 1],
  ["1e3", 3, 1],
  ["0x10", 3, 1],
  ["NaN", 3, 1],
  ["Thu, 99 Foo 2100 99:99:99 GMT", 3, 1],
  ["", 3, 1],
];

const retryAfter = pauses.map(
  ([value, safe, ifNotProcessed]): Scenario => ({
    name: `Retry-After: ${value.slice(0, 40)}`,
    answer: ({ socket }) => respond(socket, 503, JSON.stringify(busy), { "Retry-After": value }),
    expected: open("ServiceUnavailableError", "", { safe, ifNotProcessed }),
  }),
);

const tooMany = { status: "FAILED", status_code: "429", message: "Too many requests" };

/** `Retry-After` under 429, which is retried without it as well: only a pause that is too long ends the call. */
const whenLimited = (
  [
    ["0", 3],
    ["2 days", 3],
    ["Wed, 01 Jan 2025 00:00:00 GMT", 3],
    ["61", 1],
    ["Fri, 01 Jan 2100 00:00:00 GMT", 1],
  ] as const
).map(
  ([value, tried]): Scenario => ({
    name: `Retry-After under 429: ${value}`,
    answer: ({ socket }) => respond(socket, 429, JSON.stringify(tooMany), { "Retry-After": value }),
    expected: rejected("RateLimitError", "", { safe: tried, ifNotProcessed: tried }),
  }),
);

/** Statuses with what gateways send under them. */
export const statuses: readonly Scenario[] = [
  ...pages.flatMap(([statuses, expected]) =>
    statuses.map(
      (status): Scenario => ({
        name: `a web page under ${status}`,
        answer: ({ socket }) => respond(socket, status, html, { "Content-Type": "text/html" }),
        expected,
        ...byRuntime[status],
      }),
    ),
  ),
  ...redirects,
  ...redirectsWithPage,
  ...retryAfter,
  ...whenLimited,
  {
    name: "Retry-After: 1",
    answer: ({ socket }) => respond(socket, 503, JSON.stringify(busy), { "Retry-After": "1" }),
    options: { maxRetries: 1 },
    isWaiting: true,
    expected: open("ServiceUnavailableError", "", { safe: 2, ifNotProcessed: 2 }),
  },
  {
    name: "Retry-After: a date within seconds",
    answer: ({ socket }) =>
      respond(socket, 503, JSON.stringify(busy), { "Retry-After": new Date(Date.now() + 2_000).toUTCString() }),
    options: { maxRetries: 1 },
    isWaiting: true,
    expected: open("ServiceUnavailableError", "", { safe: 2, ifNotProcessed: 2 }),
  },
  {
    name: "Retry-After twice",
    answer: ({ socket }) => respond(socket, 503, JSON.stringify(busy), { "Retry-After": "0\r\nRetry-After: 600" }),
    // The longer one counts.
    expected: open("ServiceUnavailableError", "", { safe: 1, ifNotProcessed: 1 }),
  },
];
