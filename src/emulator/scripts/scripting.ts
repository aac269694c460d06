import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Issue } from "../../errors/base.ts";
import { isUnexpected } from "../../shared/issue-list.ts";
import { isObject } from "../../shared/json.ts";
import { issuesOf } from "../../shared/validate.ts";
import { readEnvelope } from "../../transport/classify.ts";
import { json } from "../http/messages.ts";
import type { Call, Scripting } from "../service/behaviour.ts";
import { complete } from "./complete.ts";
import { notSuccessStatus } from "./own-success.ts";
import { resemblesRefusal } from "./refusal.ts";

/** The bodies that complete a part of one, and the schema of the whole. */
export interface BodyScripting<Params> {
  readonly schema: StandardSchemaV1;
  /** A success with all fields, which completes the part when it is checked. */
  readonly sample: unknown;
  /** Returns the success that completes the part when it is sent. It refuses nothing. */
  readonly success: (call: Call<Params>) => unknown;
  /** Returns why a body is not a success. @default its status must say so */
  readonly notSuccess?: (body: object) => readonly Issue[];
  /** Returns the part with the fields that follow from it. */
  readonly derive?: (given: unknown) => unknown;
  /** Makes the emulator's memory follow a body, and returns what is sent. */
  readonly record?: (call: Call<Params>, body: unknown) => unknown;
}

/** Scripts an operation that responds with one body. */
export function scriptedBody<Params>(scripting: BodyScripting<Params>): Scripting<Params> {
  const { schema, sample, success, derive = (given) => given, record = (_, body) => body } = scripting;
  const { notSuccess = notDocumentedSuccess } = scripting;
  return {
    fields: Object.keys(Object(sample)),
    check: (given) => {
      const part = derive(given);
      if (!isObject(part)) return [{ path: [], message: "must be an object", code: "invalid_type" }];
      if (resemblesRefusal(part)) return [{ path: [], message: "must be made by `refusal()`", code: "custom" }];
      const body = complete(sample, part);
      const issues = schemaIssues(schema, body);
      return issues.length > 0 ? issues : notSuccess(Object(body));
    },
    respond: (call, given) => json(200, record(call, complete(success(call), derive(given)))),
  };
}

function schemaIssues(schema: StandardSchemaV1, body: unknown): readonly Issue[] {
  const result = schema["~standard"].validate(body);
  // A test may script what the client warns of: a negative price, or a time in another format.
  if (!(result instanceof Promise)) return issuesOf(result).filter((issue) => !isUnexpected(issue));
  return [{ path: [], message: "has an asynchronous schema; use one that checks at once", code: "custom" }];
}

function notDocumentedSuccess(body: object): readonly Issue[] {
  return readEnvelope(body).verdict === "success" ? [] : [notSuccessStatus];
}
