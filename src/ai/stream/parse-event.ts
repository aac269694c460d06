import type { ValidationIssue } from "../../errors/base.ts";
import { formatPath } from "../../errors/issues.ts";
import { field, isObject } from "../../shared/json.ts";
import { standardSchema } from "../../shared/standard-schema.ts";
import { essentialIssues, issuesOf } from "../../shared/validate.ts";
import { readEnvelope } from "../../transport/classify.ts";
import { apiError } from "../../transport/errors/refusal.ts";
import { redactJson } from "../../transport/redact.ts";
import type { OpenCall } from "../../transport/request.ts";
import { isResponseCompleted, isResponseInitiated, isResponseOutput } from "../checks.ts";
import type { Frame } from "../framing.ts";
import { responseCompleted, responseInitiated, responseOutput } from "../schemas.ts";
import type { AiEvent } from "../types.ts";
import type { FailedEnding } from "./stream-errors.ts";

/** An event, and its harmless differences from the document. */
export interface ParsedEvent {
  readonly event: AiEvent;
  readonly issues: readonly ValidationIssue[];
  /** Whether it is a whole response, which came in place of a stream. */
  readonly isWhole: boolean;
}

/**
 * Reads the body of one frame: its status, then whether it has the shape that the document shows (§6.1).
 *
 * @returns The event, or the end of the stream: a refusal in place of it (no event, whatever the framing calls it), the
 *   service's word that the generation failed (§3.1 names the status, not the event), or damage.
 */
export function parseEvent(
  call: OpenCall,
  body: unknown,
  { name: outer, data }: Frame,
  isFirst: boolean,
  validation: string,
): ParsedEvent | FailedEnding {
  if (!isObject(body)) return damaged(call, data, body === undefined ? "it is not JSON" : "it is not a JSON object");
  const inner = typeof body.event === "string" ? body.event : undefined;
  const name = inner ?? outer;
  // Read as on every other operation (docs/assumptions.md, A1); that of most events is known without.
  const verdict = body.status === "PROCESSING" ? "pending" : readEnvelope(body).verdict;
  // A name outside the data counts if it is that of an event (§6.1); `event: error` is the framing's.
  const isBody = isFirst && inner === undefined && !outer?.startsWith("response_");
  // `message` is the name of all frames that have none (SSE).
  const isNameless = isBody && (outer === undefined || outer === "message");
  if (isNameless && typeof field(body.system, "text") === "string" && isStatus(body, "SUCCESS")) {
    return checkShape(call, body, "response_completed", true, validation);
  }
  // An unknown event ends nothing (docs/assumptions.md, A6) unless its status is explicitly FAILED.
  const isFailed =
    verdict === "failed" && (isNameless || name === undefined || shapes.has(name) || isStatus(body, "FAILED"));
  if (isFailed || (isNameless && verdict === "pending")) {
    return { end: isBody ? "refused" : "failed", error: apiError(call, call.response, body) };
  }
  if (name === undefined) return damaged(call, body, "it has no `event` and is not a whole response");
  if (verdict === "pending" && name === "response_completed") {
    return damaged(call, body, "it is a response_completed whose status is not SUCCESS");
  }
  return checkShape(call, body, name, false, validation);
}

function checkShape(
  call: OpenCall,
  body: Record<string, unknown>,
  name: string,
  isWhole: boolean,
  validation: string,
): ParsedEvent | FailedEnding {
  const shape = shapes.get(name);
  const named = body.event === name ? body : { ...body, event: name };
  // The checked border: an event of a known name has been checked, as far as `validation` asks for.
  const event = named as unknown as AiEvent;
  if (shape === undefined || validation === "off" || shape.check(named)) return { event, issues: none, isWhole };
  const issues = issuesOf(shape.schema["~standard"].validate(named));
  const [broken] = validation === "strict" ? issues : essentialIssues(shape.essential, issues);
  if (broken !== undefined) return damaged(call, body, `${formatPath(broken.path)} ${broken.message}`);
  return { event, issues, isWhole };
}

const none: readonly ValidationIssue[] = [];

/** `why` never quotes the body. */
function damaged({ secrets }: OpenCall, body: unknown, why: string): FailedEnding {
  return { end: "damaged", why, body: redactJson(body, secrets) };
}

function isStatus({ status }: Readonly<Record<string, unknown>>, expected: string): boolean {
  return typeof status === "string" && status.toUpperCase() === expected;
}

interface Shape {
  readonly check: (event: unknown) => boolean;
  /** Explains an event that does not pass. */
  readonly schema: ReturnType<typeof standardSchema>;
  readonly essential: readonly string[];
}

/** By the name of the event. */
const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["response_initiated", { check: isResponseInitiated, schema: standardSchema(responseInitiated), essential: [] }],
  [
    "response_output",
    { check: isResponseOutput, schema: standardSchema(responseOutput), essential: ["system.text_chunk"] },
  ],
  [
    "response_completed",
    {
      check: isResponseCompleted,
      schema: standardSchema(responseCompleted),
      essential: ["context_token", "system.text"],
    },
  ],
]);
