import type { RequestOptions } from "../../../src/index.ts";
import { type Context, type OperationName, operationNames, operations, type Send, type Settings } from "./context.ts";
import { outcomeOf } from "./describe.ts";

/** A call that is made with each of the three operations, and its outcome. */
interface Trial {
  /** Behaviour of the service; see `service/behaviours.ts`. */
  readonly behaviour: string;
  /** Base URL of the call, if it does not go to the service. */
  readonly baseUrl?: (settings: Settings) => string;
  readonly options?: RequestOptions;
  /** Which operations; all of them by default. */
  readonly only?: readonly OperationName[];
  /** Number of calls; the last one is reported and the ones before it have to succeed. */
  readonly calls?: number;
}

/** Long enough for the headers on a busy machine. */
const impatient: RequestOptions = { timeout: 1_000, maxRetries: 1 };

const table: Readonly<Record<string, Trial>> = {
  answer: { behaviour: "answer" },
  gzip: { behaviour: "gzip" },
  earlyHints: { behaviour: "earlyHints" },

  connectionRefused: { behaviour: "none", baseUrl: ({ refused }) => refused },
  nameNotFound: { behaviour: "none", baseUrl: () => "https://nope.invalid" },
  tlsRefused: { behaviour: "none", baseUrl: ({ https }) => https },

  resetBeforeAnyByte: { behaviour: "reset" },
  closeBeforeAnyByte: { behaviour: "close" },
  keptConnectionReset: { behaviour: "keepThenReset", calls: 2 },
  keptConnectionClosed: { behaviour: "keepThenClose", calls: 2 },
  cutByLength: { behaviour: "cutLength" },
  cutInChunk: { behaviour: "cutChunked" },
  cutInGzip: { behaviour: "cutGzip" },

  stall: { behaviour: "stall", options: impatient },
  stallInBody: { behaviour: "stallBody", options: impatient },
  drip: { behaviour: "drip", options: impatient },

  html502: { behaviour: "html" },
  empty200: { behaviour: "empty" },
  busy503: { behaviour: "busy" },
  // Node retries a look-up after 421 on its own, as the Fetch standard says, which is safe.
  status421: { behaviour: "status:421", only: ["createResponse", "book"] },
};

/** Every status after which some client sends the request again, or elsewhere. */
const redirects = [301, 302, 303, 307, 308].map((status) => trial(`redirect${status}`, `redirect:${status}`));
const statuses = [401, 407, 408, 417, 425, 429].map((status) => trial(`status${status}`, `status:${status}`));

function trial(name: string, behaviour: string): readonly [string, Trial] {
  return [name, { behaviour }];
}

/** Makes every call of the table and prints its outcome as `<trial>.<operation>`. */
export async function runTrials(context: Context): Promise<void> {
  for (const [name, row] of [...Object.entries(table), ...redirects, ...statuses]) {
    for (const operation of row.only ?? operationNames) {
      await tryOut(context, `${name}.${operation}`, row, operations[operation]);
    }
  }
}

async function tryOut(context: Context, scenario: string, row: Trial, send: Send): Promise<void> {
  const { settings } = context;
  const { behaviour, baseUrl, options, calls = 1 } = row;
  const api = context.client({ baseUrl: baseUrl?.(settings) ?? context.address(scenario, behaviour) });
  for (let call = 1; call < calls; call++) await send(api, settings.requests, options);
  context.print(scenario, await outcomeOf(context.host.serviceapi, () => send(api, settings.requests, options)));
}
