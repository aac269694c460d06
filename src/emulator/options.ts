import { prefixesByArea } from "../area.ts";
import { defaultSessionLifetime } from "../flights/types/tokens.ts";
import { type ClientOptions, defaults } from "../options.ts";
import { boolean, func, type Given, group, milliseconds, oneOf, type Rule, type Rules } from "../shared/options.ts";
import { type FramingName, framings } from "./ai/framing.ts";
import { webhookRules } from "./deliveries/deliveries.ts";
import type { WebhookSettings } from "./deliveries/types.ts";

/** Options of {@link createEmulator}. Every one has a default. */
export interface EmulatorOptions {
  /** Start of the emulator's clock, which then stands still until it is moved. @default follows real time */
  readonly now?: Date | number | string | undefined;
  /** Milliseconds between two events of a stream, in real time. @default 15 */
  readonly pace?: number | undefined;
  /** The framing of streams, which the document does not show (§6.1). @default "sse" */
  readonly framing?: FramingName | undefined;
  /** Refuses a `trace_id` or token that the emulator never issued; `false` reads the default search. @default true */
  readonly strict?: boolean | undefined;
  /** Milliseconds on the emulator's clock for which a flight search can be quoted and booked. @default 900_000 */
  readonly sessionLifetime?: number | undefined;
  /**
   * The HTTP status of a refusal by the service: the status code of its body (`"asCode"`), or 200. The document does
   * not show it (§7). Faults of a gateway, such as `html-502`, keep their own status.
   *
   * @default the status code of the body; 200 for what only the message of a flight operation says
   */
  readonly failureStatus?: "asCode" | 200 | undefined;
  /** Milliseconds of the header `Retry-After`, which the emulator rounds up to whole seconds. @default 2_000 */
  readonly retryAfter?: number | undefined;
  /**
   * The path in front of an area's operations, as in the client.
   *
   * @default `{ verification: "", ai: "api/serviceapi-prod/api", flights: "" }`
   */
  readonly pathPrefixes?: ClientOptions["pathPrefixes"];
  /** The target of webhooks, their signature and their retries. @default none */
  readonly webhook?: WebhookSettings | undefined;
  /** Called for every request, for a log: names and times, no body. An exception thrown by it is ignored. */
  readonly onRequest?: ((line: RequestLine) => unknown) | undefined;
}

/** One line of a log. */
export interface RequestLine {
  /** The HTTP method. */
  readonly method: string;
  /** The operation, such as `flights.book`; the path if it belongs to no operation. */
  readonly operation: string;
  /** The HTTP status; `undefined` if the connection was dropped. */
  readonly status: number | undefined;
  /** Milliseconds of real time until the response began. */
  readonly duration: number;
}

export const emulatorRules: Rules<EmulatorOptions> = {
  now: time,
  pace: milliseconds(),
  framing: oneOf(...Object.keys(framings)),
  strict: boolean,
  sessionLifetime: milliseconds(),
  failureStatus: oneOf("asCode", 200),
  retryAfter: milliseconds(),
  pathPrefixes: prefixesByArea,
  webhook: group(webhookRules),
  onRequest: func,
};

function time(value: unknown): ReturnType<Rule> {
  if (!(value instanceof Date) && typeof value !== "number" && typeof value !== "string") {
    return "must be a Date, a number or a string";
  }
  return Number.isNaN(new Date(value).getTime()) ? "must be a time that `new Date(now)` can read" : undefined;
}

/** Returns the options of the service, with every default filled in. */
export function resolveSettings({ now, webhook, onRequest, pathPrefixes, ...given }: Given<EmulatorOptions>) {
  return {
    ...{ pace: 15, framing: "sse" as const, strict: true, retryAfter: 2_000, failureStatus: undefined },
    ...{ sessionLifetime: defaultSessionLifetime, ...given },
    pathPrefixes: { ...defaults.pathPrefixes, ...pathPrefixes },
  };
}

export type Settings = ReturnType<typeof resolveSettings>;
