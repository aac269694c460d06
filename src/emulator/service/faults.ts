import { type Answer, ConnectionDropped, forever, json, pause, pieces } from "../http/response.ts";
import { type Refused, refusal } from "./refusals.ts";

/** What a fault is told. */
export interface FaultContext extends Refused {
  /** The number behind the colon of the scenario's name, as in `slow:500`. */
  readonly amount: number | undefined;
  readonly retryAfterSeconds: number;
  readonly signal: AbortSignal;
}

/** Trouble that any operation can meet. The document shows none of it, so it comes only when it is asked for. */
export type Fault =
  /** The service refuses the request: a failure like any other, under the HTTP status that `failureStatus` says. */
  | { readonly refuse: (context: FaultContext) => Answer }
  /** The request is not worked on. */
  | { readonly instead: (context: FaultContext) => Answer | Promise<Answer> }
  /** The request is worked on, and its answer suffers. */
  | { readonly after: (answer: Answer, context: FaultContext) => Answer | Promise<Answer> };

const html = "<html><body><h1>502 Bad Gateway</h1></body></html>";
const plain = (status: number, type: string, body: string): Answer => ({
  status,
  headers: { "content-type": type },
  body,
});

/** Every fault by the name that `X-Emulator-Scenario`, `use()` and `--scenario` take. */
export const faults: Readonly<Record<string, Fault>> = {
  reset: { instead: () => drop() },
  "reset-after": { after: () => drop() },
  "no-answer": { instead: ({ signal }) => forever(signal) },
  "no-answer-after": { after: (_, { signal }) => forever(signal) },
  auth: { refuse: (context) => refusal(context, 401, "Authentication failed.") },
  "blocked-ip": { refuse: (context) => refusal(context, 403, "IP address is not registered.") },
  "rate-limited": {
    refuse: (context) => refusal(context, 429, "Too many requests", { "retry-after": `${context.retryAfterSeconds}` }),
  },
  temporary: { refuse: (context) => refusal(context, 500, "Something went wrong, please try again later.") },
  unavailable: { refuse: (context) => refusal(context, 503, "Service temporarily unavailable.") },
  "unavailable-retry-after": {
    refuse: (context) =>
      refusal(context, 503, "Service temporarily unavailable.", { "retry-after": `${context.retryAfterSeconds}` }),
  },
  "html-502": { instead: () => plain(502, "text/html", html) },
  "empty-504": { instead: () => plain(504, "text/html", "") },
  "empty-200": { instead: () => plain(200, "application/json", "") },
  "not-json": { instead: () => plain(200, "text/plain", "OK") },
  redirect: {
    instead: () => ({ status: 307, headers: { location: "https://elsewhere.example/moved" }, body: "" }),
  },
  large: { instead: ({ amount = 20_000_000 }) => json(200, { padding: "x".repeat(amount) }) },
  "http-500": { after: (answer) => ({ ...answer, status: 500 }) },
  slow: {
    after: async (answer, { amount = 1_000, signal }) => {
      await pause(amount, signal);
      return answer;
    },
  },
  bytes: { after: (answer, { amount = 1 }) => rewrite(answer, (body) => cut(body, amount)) },
  drip: { after: (answer, { amount = 10 }) => rewrite(answer, (body, signal) => drip(body, amount, signal)) },
  "cut-json": { after: (answer) => rewrite(answer, firstHalf) },
  "reset-mid-body": { after: (answer) => rewrite(answer, (body) => thenDrop(firstHalf(body))) },
  "stall-mid-body": { after: (answer) => rewrite(answer, (body, signal) => thenStall(firstHalf(body), signal)) },
};

type Pieces = AsyncGenerator<Uint8Array, void, undefined>;

/** The same answer with its body sent another way. */
function rewrite(answer: Answer, change: (body: Pieces, signal: AbortSignal) => Pieces): Answer {
  return { ...answer, body: (signal) => change(pieces(answer, signal), signal) };
}

function drop(): never {
  throw new ConnectionDropped("the connection was dropped");
}

async function* cut(body: Pieces, size: number): Pieces {
  const step = Math.max(1, size);
  for await (const piece of body) {
    for (let start = 0; start < piece.length; start += step) yield piece.subarray(start, start + step);
  }
}

async function* drip(body: Pieces, size: number, signal: AbortSignal): Pieces {
  for await (const piece of cut(body, size)) {
    yield piece;
    await pause(10, signal);
  }
}

/** Up to the middle of a whole body; of a stream, up to the middle of its third piece. */
async function* firstHalf(body: Pieces): Pieces {
  let held: Uint8Array | undefined;
  for (let count = 0; count < 3; count++) {
    const { done, value } = await body.next();
    if (done) break;
    if (held !== undefined) yield held;
    held = value;
  }
  await body.return();
  if (held !== undefined) yield held.subarray(0, held.length >> 1);
}

async function* thenDrop(body: Pieces): Pieces {
  yield* body;
  drop();
}

async function* thenStall(body: Pieces, signal: AbortSignal): Pieces {
  yield* body;
  await forever(signal);
}
