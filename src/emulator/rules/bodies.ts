import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ValidationIssue } from "../../errors/base.ts";
import type { Operation } from "../../operation.ts";
import { explain } from "../../shared/explain.ts";
import { isUnexpected } from "../../shared/issue-list.ts";
import { isObject } from "../../shared/json.ts";
import { boolean } from "../../shared/options.ts";
import { hookResult } from "../../shared/promises.ts";
import type { Schema } from "../../shared/schema.ts";
import { issuesOf } from "../../shared/validate.ts";
import { operationResponse, readEnvelope, unexpectedStatusIssues } from "../../transport/envelope.ts";
import { json } from "../http/messages.ts";
import type { Behaviour, Call } from "../service/behaviour.ts";
import { resemblesRefusal } from "./refusal.ts";

interface WholeBody<Params> extends Pick<Behaviour<Params>, "operation" | "accepts" | "refuseBody"> {
  readonly samples: Readonly<Record<string, unknown>>;
  readonly schema: Schema<unknown> | StandardSchemaV1;
  /** A success with all fields, which completes a part when it is checked. */
  readonly sample: unknown;
  /** Refuses a request, unless a rule has a body for it, or returns what it waits for instead of a response. */
  readonly refuse?: (call: Call<Params>) => Promise<never> | undefined;
  /** Returns the success that is sent, or completes a part. It refuses nothing. */
  readonly success: (call: Call<Params>) => unknown;
  /** Returns why a body is not a success. @default its status must say so */
  readonly notSuccess?: (body: object) => readonly ValidationIssue[];
  /** Returns the part with the fields that follow from it. */
  readonly derive?: (given: unknown) => unknown;
  /** Makes the emulator's memory follow a body, and returns what is sent. */
  readonly record?: (call: Call<Params>, body: unknown) => unknown;
}

export function wholeBody<Params>(parts: WholeBody<Params>): Behaviour<Params> {
  const { samples, schema, sample, refuse, success, ...behaviour } = parts;
  const { derive = (given) => given, record = (_, body) => body } = parts;
  const { notSuccess = (body) => (readEnvelope(body).verdict === "success" ? [] : [notSuccessStatus]) } = parts;
  return {
    ...behaviour,
    samples: Object.keys(samples),
    fields: Object.keys(Object(sample)),
    // At once: of two bookings at the same time, the second is refused.
    respond: (call) => refuse?.(call) ?? json(200, record(call, success(call))),
    check: (given) => {
      const part = derive(given);
      if (!isObject(part)) return [{ path: [], message: "must be an object", code: "invalid_type" }];
      if (resemblesRefusal(part)) return [{ path: [], message: "must be made by `refusal()`", code: "custom" }];
      const body = complete(sample, part);
      // A test may respond what the client warns of: a negative price, or a time in another format.
      const issues = schemaIssues(schema, body).filter((issue) => !isUnexpected(issue));
      return issues.length > 0 ? issues : notSuccess(Object(body));
    },
    respondWith: (call, given) => json(200, record(call, complete(success(call), derive(given)))),
  };
}

/**
 * Returns a part of a body with everything that it leaves out taken from `base`, by field. A list is the whole list:
 * each of its elements is completed from the one at its place in `base`, or from the first.
 */
export function complete(base: unknown, part: unknown): unknown {
  if (part === undefined) return base;
  if (Array.isArray(part)) {
    const templates: readonly unknown[] = Array.isArray(base) ? base : [];
    return part.map((element, index) => complete(templates[index] ?? templates[0], element));
  }
  if (!isObject(part)) return part;
  const fields = isObject(base) ? base : {};
  return {
    ...fields,
    ...Object.fromEntries(Object.entries(part).map(([name, value]) => [name, complete(fields[name], value)])),
  };
}

function schemaIssues(schema: WholeBody<never>["schema"], body: unknown): readonly ValidationIssue[] {
  if (!("~standard" in schema)) return explain(schema, body);
  const result = schema["~standard"].validate(body);
  if (!(result instanceof Promise)) return issuesOf(result);
  return [{ path: [], message: "has an asynchronous schema; use one that checks at once", code: "custom" }];
}

const notSuccessStatus: ValidationIssue = {
  path: ["status"],
  message: "must say success; pass `refusal()` for a failure",
  code: "custom",
};

/**
 * Returns why the client would not return this body of an operation of the user, by the rules that the client applies:
 * `isSuccess` decides alone; without it the status must not be that of a refusal. Throws what `isSuccess` throws.
 */
export function ownNotSuccess(operation: Operation<object, unknown>, body: object): readonly ValidationIssue[] {
  const { name, isSuccess } = operation;
  const response = operationResponse({ status: 200 }, body);
  if (isSuccess !== undefined) {
    if (hookResult(name, "isSuccess", isSuccess(response, {}), boolean)) return [];
    const message = "must be a success by the `isSuccess` of the operation; pass `refusal()` for a failure";
    return [{ path: [], message, code: "custom" }];
  }
  if (response.verdict === "failed" || response.verdict === "pending") return [notSuccessStatus];
  return unexpectedStatusIssues(operation, response);
}
