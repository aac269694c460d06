import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type AreaName, areaName, isPathBelow } from "./area.ts";
import type { ApiErrorKind, ServiceApiError, ValidationIssue } from "./errors/base.ts";
import { ConfigurationError } from "./errors/request.ts";
import { type ClientOptions, defaults } from "./options.ts";
import { each } from "./shared/objects.ts";
import * as rule from "./shared/options.ts";
import { type Given, type Rule, type Rules, readOptions } from "./shared/options.ts";
import { hookResult } from "./shared/promises.ts";
import { anyBody, anyParams } from "./shared/validate.ts";
import type { OperationResponse } from "./transport/envelope.ts";
import type { ProveRefusal } from "./transport/refusals/proof.ts";

/**
 * When a call may be retried automatically (docs/assumptions.md, D5, D7 and D8).
 *
 * - `safe`: a retry is harmless.
 * - `ifNotProcessed`: only if the request was certainly not worked on.
 * - `never`: it is sent once.
 */
export type RetryClass = "safe" | "ifNotProcessed" | "never";

/** A field that the library fills in if the caller leaves it out. */
export type AutofilledField = "client_referenceId" | "clientData";

/** A call, as the hooks of an operation see it. */
export interface SentCall {
  /** The body as it was sent. */
  readonly body: Readonly<Record<string, unknown>>;
  /** When the request was first handed to `fetch`: milliseconds since 1970. */
  readonly sentAt: number;
}

/** A refusal by the service whose kind is decided, as {@link OperationDefinition.isRejection} receives it. */
export interface ClassifiedRefusal extends OperationResponse {
  /** The kind of the error, as `classifyError` or the built-in table decided. */
  readonly kind: ApiErrorKind;
}

/** A field of the response that repeats one of the request; see {@link OperationDefinition.echo}. */
export interface EchoRule {
  /** The field of the response: a dot path in which `[]` means each element; its last name may be one at any depth (`**.id`). */
  readonly response: string;
  /** The field of the body that was sent, in the same form; `[]` means any element. */
  readonly request: string;
  /**
   * Meaning of another value. `refused`: the response belongs to another request. The call rejects with a
   * `ResponseValidationError` whose `reason` is `otherRequest`, or with what `toUnknownOutcomeError` makes of it, also if
   * `isSuccess` accepts the response. `warning`: an issue in `warnings` and a `drift` event.
   */
  readonly onMismatch: "refused" | "warning";
  /** The code of the issue. @default "other_request" */
  readonly code?: string | undefined;
  /**
   * Form in which the two are compared. `exact`: as strings. `mobile`: the last ten digits. `name`: letters and digits,
   * without case and accents.
   *
   * @default "exact"
   */
  readonly compare?: "exact" | "mobile" | "name" | undefined;
  /**
   * Whether each value that was sent has to come back with a success; a refusal may leave it out. Without `[]`, one that
   * was not sent is a warning.
   *
   * @default false
   */
  readonly required?: boolean | undefined;
}

/** An endpoint of the service, as {@link defineOperation} takes it. */
export interface OperationDefinition<Params extends object, Body> {
  /** The name in logs and errors, such as `flights.fareQuote`. */
  readonly name: string;
  /**
   * The entry of `pathPrefixes` for this path: an area of the document, or a name of your own, which has no prefix
   * unless `pathPrefixes` has an entry for it.
   *
   * @default "none"
   */
  readonly area?: AreaName | undefined;
  /** The path below `baseUrl` and the area's prefix, such as `flight/fare_quote`. */
  readonly path: string;
  /**
   * Schema of the params: any Standard Schema (zod, valibot, arktype). It checks and never transforms. Without it, any
   * object is sent whose `client_referenceId`, if it has one, is a non-empty string.
   */
  readonly params?: StandardSchemaV1<Params> | undefined;
  /**
   * Schema of the response body: any Standard Schema. It checks and never transforms.
   *
   * Without it, and without `isSuccess`, a JSON object under HTTP 2xx is accepted if its `status` is absent, `null`,
   * `true`, 200, 201 or "SUCCESS" in any case, and its `success` is not `false` or 0. `FAILED`, `PENDING` and
   * `PROCESSING` are refusals; any other `status` is a `ResponseValidationError` whose `outcome` is `unknown`. With
   * `retry: "never"`, a `status`, `success` or code has to say success. With a schema, too, HTTP 200 or 201 and no code
   * but 200, 201 and 101 are one.
   */
  readonly body?: StandardSchemaV1<Body> | undefined;
  /**
   * The fields that the call is made for: dot paths in which `[]` means each element and `a|b` either. A response that
   * breaks its schema there is refused; elsewhere the difference is a warning (docs/assumptions.md, A4).
   *
   * @default []
   */
  readonly essential?: readonly string[] | undefined;
  /**
   * The fields of a response that repeat its request, and so show whose response it is. One that is absent, null, empty
   * or was not sent says nothing, unless it is `required`. `validation.response: "off"` switches the comparison off, but
   * not that of `refused` fields of an operation with `retry: "never"`.
   *
   * @default []
   */
  readonly echo?: readonly EchoRule[] | undefined;
  /** When a call may be retried automatically. @default "never" */
  readonly retry?: RetryClass | undefined;
  /**
   * Timeout for a single attempt in milliseconds, covering headers and body.
   *
   * @default 60_000
   */
  readonly timeout?: number | undefined;
  /** Fields that are filled in if the caller leaves them out. @default ["client_referenceId"] */
  readonly autofill?: readonly AutofilledField[] | undefined;
  /**
   * Returns the params in the form in which they are checked and sent: an object, at once. A promise is refused
   * before the request is sent.
   */
  readonly normalize?: (
    params: Params,
    options: ClientOptions,
    // A promise fits any params without a required field.
  ) => object extends Params ? Params & { readonly then?: never } : Params;
  /**
   * Checks rules that depend on the client's options, in addition to the schema `params`, which does not know them: it
   * accepts a mobile number that `findVpas` refuses. It returns its list at once, not a promise.
   */
  readonly validateParams?: (params: Params, options: ClientOptions) => readonly ValidationIssue[];
  /**
   * Returns whether a response, which may be a redirect, is a success. `true` returns it to the caller whatever its
   * status says, and differences from the schema are warnings, in `essential` fields too. `false` makes it an error.
   * Without this hook the status decides. It must return `true` or `false` at once: anything else, such as a promise,
   * decides nothing, and the call rejects with a `ConfigurationError` whose `outcome` is `unknown`.
   */
  readonly isSuccess?: (response: OperationResponse, options: ClientOptions) => boolean;
  /**
   * Returns whether a refusal proves that nothing was done: `outcome` of the error is then `rejected`, else `unknown`.
   * It must return `true` or `false` at once, as `isSuccess` must. Without this hook, a refusal of a call with
   * `retry: "never"` proves it if all parts of it are known as those of a refusal (docs/assumptions.md, F5); any other
   * call is rejected unless it is pending, a duplicate, 408 or 5xx.
   */
  readonly isRejection?: (response: ClassifiedRefusal) => boolean;
  /** Returns the error to throw instead of `error` if the call's effect on the service is unknown. */
  readonly toUnknownOutcomeError?: (error: ServiceApiError, call: SentCall, options?: ClientOptions) => ServiceApiError;
}

/** An endpoint of the service as a value, with all defaults filled in. */
export interface Operation<Params extends object, Body>
  extends Given<Required<Omit<OperationDefinition<Params, Body>, Hooks>>>,
    Pick<OperationDefinition<Params, Body>, Hooks> {}

type Hooks = "normalize" | "validateParams" | "isSuccess" | "isRejection" | "toUnknownOutcomeError";

/** The defaults of an operation. Without `params` and `body`, any object is valid. */
export const operationDefaults = {
  area: "none",
  essential: [],
  echo: [],
  retry: "never",
  timeout: defaults.timeout,
  autofill: ["client_referenceId"],
} as const;

const echoRules: Rules<EchoRule> = {
  ...each(fieldPath, "response", "request"),
  onMismatch: rule.oneOf("refused", "warning"),
  code: rule.nonEmptyString,
  compare: rule.oneOf("exact", "mobile", "name"),
  required: rule.boolean,
};

const rules: Rules<OperationDefinition<object, unknown>> = {
  name: rule.nonEmptyString,
  area: areaName,
  path: relativePath,
  ...each(standardSchemaRule, "params", "body"),
  essential: rule.listOf(rule.nonEmptyString, 0),
  echo: rule.listOf(rule.group(echoRules, ["response", "request", "onMismatch"]), 0),
  retry: rule.oneOf("safe", "ifNotProcessed", "never"),
  timeout: rule.milliseconds(1),
  autofill: rule.listOf(rule.oneOf("client_referenceId", "clientData"), 0),
  ...each(rule.func, "normalize", "validateParams", "isSuccess", "isRejection", "toUnknownOutcomeError"),
};

/**
 * Describes an endpoint of the service as a value that `api.send` can call, with the same authentication, errors,
 * retries, redaction and types as the five that are built in (§4).
 *
 * For a first try, a name and a path are enough. Such a call is not retried, has no path prefix, carries a
 * `client_referenceId`, and is checked for success alone. Name the types that you expect:
 * `defineOperation<{ transactionId: string }, { utr?: string }>({ name, path })`; without them the fields of the
 * response are `unknown`.
 *
 * @typeParam Params - The params that the caller passes.
 * @typeParam Body - The body of the response.
 * @param definition - The endpoint; see {@link OperationDefinition}.
 * @returns The operation, frozen.
 * @throws {@link ConfigurationError} for an unknown name, a missing field or one of the wrong type, and for `essential`
 *   without `body`, which is what it applies to.
 *
 * @example
 * ```ts
 * import { defineOperation, ServiceApi } from "serviceapi";
 * import * as z from "zod";
 *
 * const payoutStatus = defineOperation({
 *   name: "payouts.status",
 *   path: "payout/status",
 *   params: z.object({ client_referenceId: z.string() }),
 *   body: z.looseObject({ status: z.string(), client_referenceId: z.string(), utr: z.optional(z.string()) }),
 *   essential: ["status"],
 *   echo: [{ response: "client_referenceId", request: "client_referenceId", onMismatch: "refused", required: true }],
 *   retry: "safe",
 * });
 *
 * const { utr } = await new ServiceApi().send(payoutStatus, { client_referenceId: "order-17" });
 * ```
 */
export function defineOperation<Params extends object = Record<string, unknown>, Body = Record<string, unknown>>(
  definition: OperationDefinition<Params, Body>,
): Operation<Params, Body> {
  // `essential` applies to `body`, and would have no effect without it.
  const required = ["name", "path", ...(Object(definition).essential?.length ? (["body"] as const) : [])] as const;
  // The rules do not depend on the type arguments.
  const read = readOptions<OperationDefinition<never, Body>>("defineOperation", definition, rules, required);
  const checked = read as unknown as OperationDefinition<Params, Body>;
  // One that is made from `book` keeps what proves a booking.
  const load = (definition as Judged)[judge] ?? loadProof;
  if (load !== loadProof && (checked.retry ?? "never") !== "never")
    throw new ConfigurationError("defineOperation: an operation that is made from `book` is sent once: leave `retry`.");
  const { essential = [], echo = [], autofill = operationDefaults.autofill } = checked;
  const lists = {
    essential: Object.freeze([...essential]),
    echo: Object.freeze(echo.map((each) => Object.freeze({ ...each }))),
    autofill: Object.freeze([...autofill]),
  };
  return operationOf({ ...checked, ...lists, ...checkedHooks(checked.name, checked), [judge]: load });
}

/** The key of what loads the modules that judge the responses of an operation with `retry: "never"`. */
export const judge: unique symbol = Symbol.for("serviceapi.judge");

/** An operation with its judge. One that is safe to retry needs none, nor does a bundle that has no other operation. */
export interface Judged {
  readonly [judge]?: () => Promise<ProveRefusal>;
}

/** Loads what proves a refusal (docs/assumptions.md, F5). */
export async function loadProof(): Promise<ProveRefusal> {
  return (await import("./transport/refusals/proof.ts")).proveRefusal;
}

/** Returns an operation of this package, whose definition the compiler has checked. */
export function operationOf<Params extends object, Body>(
  definition: OperationDefinition<Params, Body> & Judged,
): Operation<Params, Body> {
  const operation = { __proto__: null, ...operationDefaults, params: anyParams, body: anyBody, ...definition };
  return Object.freeze(operation) as unknown as Operation<Params, Body>;
}

/** The issues that a hook found; `undefined` counts as none. */
const issueList: Rule = (value) =>
  value === undefined || (Array.isArray(value) && Array.from(value).every(isIssue))
    ? undefined
    : "must be a list of issues, each with a `path` and a `message`";

function isIssue(value: unknown): boolean {
  const { path, message } = Object(value);
  return Array.isArray(path) && typeof message === "string";
}

/** The rules for what the hooks return at once: it may be a promise, although its type is not. */
const hookRules = {
  normalize: rule.object,
  validateParams: issueList,
  isSuccess: rule.boolean,
  isRejection: rule.boolean,
};

/** Returns the hooks of a definition that check what they return. */
function checkedHooks(name: string, definition: object): object {
  const hooks = Object.entries(hookRules).flatMap(([hook, rule]) => {
    const call: unknown = Reflect.get(definition, hook);
    if (typeof call !== "function") return [];
    return [[hook, (...given: readonly unknown[]) => hookResult(name, hook, call(...given), rule)]];
  });
  return Object.fromEntries(hooks);
}

/** Returns whether a value was returned by {@link defineOperation}, of this copy of the package or another. */
export function isOperation(value: unknown): boolean {
  const { name, path, params, body, autofill, essential, echo } = Object(value);
  const hasSchemas = "~standard" in Object(params) && "~standard" in Object(body);
  const hasLists = Array.isArray(autofill) && Array.isArray(essential) && Array.isArray(echo);
  return typeof name === "string" && typeof path === "string" && hasSchemas && hasLists;
}

function relativePath(value: unknown): string | undefined {
  if (isPathBelow(value)) return undefined;
  return 'must be a path below `baseUrl`, such as "payout/status": no leading slash, no "..", no query';
}

/** Another path would match nothing, and the rule protect from nothing. */
function fieldPath(value: unknown): string | undefined {
  const isPath =
    typeof value === "string" &&
    /^(?:[^\s.[\]*/$]+(?:\[\])*\.)*(?:\*\*\.[^\s.[\]*/$]+|[^\s.[\]*/$]+(?:\[\])*)$/.test(value);
  return isPath ? undefined : 'must be a path such as "data.id", "items[].id" or "**.id"';
}

/** A schema may be a function (arktype). */
function standardSchemaRule(value: unknown): string | undefined {
  return "~standard" in Object(value) ? undefined : "must be a Standard Schema, such as one of zod, valibot or arktype";
}
