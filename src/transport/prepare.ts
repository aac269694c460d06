import type { StandardSchemaV1 } from "@standard-schema/spec";
import { ConfigurationError, RequestValidationError } from "../errors/request.ts";
import type { PartialStream } from "../errors/stream.ts";
import type { AutofilledField, Operation } from "../operation.ts";
import {
  type ClientOptions,
  environmentNote,
  layerOptions,
  type RequestOptions,
  readEnvironment,
  type StreamOptions,
} from "../options.ts";
import { ignoreRejection } from "../shared/ignore-rejection.ts";
import { isObject } from "../shared/json.ts";
import { merge } from "../shared/merge.ts";
import { createReference } from "../shared/ulid.ts";
import { validate } from "../shared/validate.ts";
import { version } from "../version.ts";
import { checkBaseUrl, operationUrl } from "./base-url.ts";
import type { Lifetime } from "./cancellation.ts";
import { checkParams } from "./check-params.ts";
import type { Credentials } from "./credentials.ts";
import type { Reporter } from "./log.ts";
import type { SendOnce } from "./runtime-fetch.ts";

/** What is still needed of an operation once its params are checked. */
export type CalledOperation = Omit<Operation<object, unknown>, "params" | "normalize" | "validateParams">;

/** How far a call has come. */
export interface CallProgress {
  readonly operation: Pick<CalledOperation, "name" | "retry">;
  readonly clientReferenceId: string | undefined;
  readonly lifetime: Lifetime;
  /** What an abort tells of a stream that has not begun. */
  readonly received?: PartialStream | undefined;
  /** How many requests were handed to `fetch`. */
  attempts: number;
  /** True while a request may be at the service. */
  inFlight: boolean;
  /** True once an attempt ended without telling whether it was carried out. */
  mayHaveActed: boolean;
}

/** One call, ready to be sent, and how far it has come. */
export interface PreparedCall extends CallProgress {
  readonly operation: CalledOperation;
  /** The client's options with the call's own laid over them. */
  readonly options: ClientOptions & StreamOptions;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly json: string;
  /** What must never be printed. */
  readonly secrets: readonly string[];
  readonly reporter: Reporter;
  readonly send: SendOnce;
  /** When the call was made, by `performance.now()`. */
  readonly startedAt: number;
  /** When the first request was handed to `fetch`: milliseconds since 1970. */
  sentAt: number;
}

/** Tidies and checks what the caller passed (docs/assumptions.md, A5), and returns a copy of it. */
export function prepareParams<P extends object>(
  operation: Operation<P, unknown>,
  params: P,
  options: ClientOptions,
): Record<string, unknown> {
  const given = isObject(params) && operation.normalize !== undefined ? operation.normalize(params, options) : params;
  // What is no object cannot be sent, checked or not.
  if (options.validation?.request !== "off" || !isObject(params)) checkParams(operation, given, options);
  return copyOf(given);
}

/** What is sent, as it is now: the caller may go on using the object before the credentials are there. */
function copyOf(value: object): Record<string, unknown> {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(value));
  } catch {
    // The runtime's own message quotes the fields.
  }
  if (isObject(copy)) return copy;
  const message = "cannot be written as a JSON object: it is none, holds itself, or holds a BigInt";
  throw new RequestValidationError({
    message: `The request ${message}. Nothing was sent.`,
    issues: [{ path: [], message, code: "not_json" }],
  });
}

/** The body that is sent: what the caller gave (a copy of it, which is filled in), what may be left out, and `extraBody`. */
export function prepareBody(
  operation: CalledOperation & { readonly params: StandardSchemaV1 },
  body: Record<string, unknown>,
  options: ClientOptions & RequestOptions,
  credentials: Credentials,
): Readonly<Record<string, unknown>> {
  for (const field of operation.autofill) autofill[field](body, options, credentials);
  if (options.createReference !== undefined && options.validation?.request !== "off") checkReference(operation, body);
  return options.extraBody === undefined ? body : (merge(body, options.extraBody) as Record<string, unknown>);
}

const autofill: Record<
  AutofilledField,
  (body: Record<string, unknown>, options: ClientOptions, credentials: Credentials) => void
> = {
  client_referenceId(body, options) {
    body.client_referenceId ??= makeReference(options);
  },
  clientData(body, _options, { clientId }) {
    body.clientData ??= { client_id: clientId };
  },
};

function makeReference(options: ClientOptions): string {
  if (options.createReference === undefined) return createReference();
  let made: unknown;
  try {
    made = options.createReference();
    ignoreRejection(made);
  } catch {
    throw new ConfigurationError("The function given as `createReference` threw; nothing was sent.");
  }
  if (typeof made === "string" && made !== "") return made;
  throw new ConfigurationError("`createReference` must return a non-empty string; nothing was sent.");
}

/** What `createReference` made has to pass as if the caller had given it (§8: at most 30 characters). */
function checkReference({ params, name }: { readonly params: StandardSchemaV1; readonly name: string }, body: object) {
  const issue = validate(params, body, name).find(({ path }) => path[0] === "client_referenceId");
  if (issue === undefined) return;
  throw new ConfigurationError(`${name}: what \`createReference\` made ${issue.message}. Nothing was sent.`);
}

/** The address of the service, from the options or the environment. */
export function prepareBaseUrl(options: ClientOptions): string {
  const baseUrl = options.baseUrl ?? readEnvironment("SERVICEAPI_BASE_URL") ?? "";
  if (baseUrl !== "") return baseUrl;
  throw new ConfigurationError(
    `\`baseUrl\` is missing: pass it to new ServiceApi({ baseUrl }) or set SERVICEAPI_BASE_URL${environmentNote("SERVICEAPI_BASE_URL")}.`,
  );
}

/** Where the call goes. */
export function prepareUrl(operation: CalledOperation, options: ClientOptions, baseUrl: string): string {
  return operationUrl(checkBaseUrl(baseUrl, options), operation.area, operation.path, options);
}

/** The headers of §5 and the caller's own. */
export function prepareHeaders(
  options: ClientOptions & RequestOptions,
  credentials: Credentials,
  accept: string,
): Readonly<Record<string, string>> {
  return {
    "client-id": credentials.clientId,
    "client-secret": credentials.clientSecret,
    "content-type": "application/json",
    accept,
    ...(options.userAgent !== false && { "user-agent": options.userAgent ?? `serviceapi/${version}` }),
    ...(options.headers && lowerCased(options.headers)),
  };
}

/** So that they win over those of the same name. */
function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Refuses browsers, where anyone can read the client secret (docs/assumptions.md, T5). Workers and edge runtimes are no browsers. */
export function refuseBrowser(options: ClientOptions): void {
  if (options.dangerouslyAllowBrowser === true || typeof document === "undefined" || typeof window === "undefined")
    return;
  throw new ConfigurationError(
    "This looks like a browser, where anyone can read the client secret. Call the service from your server; " +
      "`dangerouslyAllowBrowser: true` is for tests that imitate a browser (jsdom).",
  );
}

/** The client's options with the call's own laid over them. */
export function layer(client: ClientOptions, call: StreamOptions | undefined): ClientOptions & StreamOptions {
  if (call === undefined) return client;
  const options = layerOptions(client, call);
  return options.extraBody === undefined ? options : layerOptions(options, { extraBody: copyOf(options.extraBody) });
}
