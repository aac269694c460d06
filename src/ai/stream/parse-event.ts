import type { ValidationIssue } from "../../errors/base.ts";
import { formatPath } from "../../errors/issues.ts";
import { field, isObject, parseJson } from "../../shared/json.ts";
import type { Schema } from "../../shared/schema.ts";
import { explain } from "../../shared/standard-schema.ts";
import { essentialIssues } from "../../shared/validate.ts";
import { readEnvelope, type Verdict } from "../../transport/classify.ts";
import type { Frame } from "../framing.ts";
import { responseCompleted, responseInitiated, responseOutput } from "../schemas.ts";
import type { AiEvent } from "../types.ts";

/** An event, and its harmless differences from the document. */
export interface ParsedEvent {
  readonly kind: "event";
  readonly event: AiEvent;
  readonly issues: readonly ValidationIssue[];
  /** Whether it is a whole response, which came in place of a stream. */
  readonly isWhole: boolean;
}

/** The content of a frame. */
export type ParsedFrame =
  | ParsedEvent
  /** The service says that the generation failed (§3.1 names the status, not the event). */
  | { readonly kind: "failed"; readonly body: Fields }
  /** A refusal in place of a stream: no event, whatever the framing calls it. */
  | { readonly kind: "refused"; readonly body: Fields }
  /** Not JSON, or not of its shape. `why` never quotes it. */
  | { readonly kind: "damaged"; readonly why: string; readonly body: unknown; readonly isJson: boolean };

/** A JSON object with unknown fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** The strictness of the check (docs/assumptions.md, A4). */
export type Validation = "essential" | "strict" | "off";

interface Shape {
  readonly name: string;
  readonly schema: Schema<AiEvent>;
  readonly essential: readonly string[];
}

/** Parses one frame: JSON, then its status, then whether it has the shape that the document shows (§6.1). */
export function parseFrame(frame: Frame, isFirst: boolean, validation: Validation): ParsedFrame {
  const body = parseJson(frame.data);
  if (body === undefined) return { kind: "damaged", why: "it is not JSON", body: frame.data, isJson: false };
  if (!isObject(body)) return damaged(frame.data, "it is not a JSON object");
  // A name outside the data counts if it is that of an event (§6.1); `event: error` is the framing's.
  const isBody = isFirst && typeof body.event !== "string" && !frame.name?.startsWith("response_");
  if (isBody && isNamelessFrame(frame)) {
    if (isWholeResponse(body)) return checkShape(body, "response_completed", completed, validation, true);
    const verdict = verdictOf(body);
    if (verdict === "failed" || verdict === "pending") return { kind: "refused", body };
  }
  const parsed = parseEvent(body, frame, validation);
  return isBody && parsed.kind === "failed" ? { kind: "refused", body } : parsed;
}

function parseEvent(body: Record<string, unknown>, frame: Frame, validation: Validation): ParsedFrame {
  const name = typeof body.event === "string" ? body.event : frame.name;
  if (name !== undefined) return parseNamed(body, name, validation);
  if (verdictOf(body) === "failed") return { kind: "failed", body };
  return damaged(body, "it has no `event` and is not a whole response");
}

function parseNamed(body: Record<string, unknown>, name: string, validation: Validation): ParsedFrame {
  const shape = shapeOf(name);
  const verdict = verdictOf(body);
  // An unknown event ends nothing (docs/assumptions.md, A6) unless its status is explicitly FAILED.
  if (verdict === "failed" && (shape !== undefined || isStatus(body, "FAILED"))) return { kind: "failed", body };
  if (verdict === "pending" && name === "response_completed") {
    return damaged(body, "it is a response_completed whose status is not SUCCESS");
  }
  return checkShape(body, name, shape, validation, false);
}

function checkShape(
  body: Record<string, unknown>,
  name: string,
  shape: Shape | undefined,
  validation: Validation,
  isWhole: boolean,
): ParsedFrame {
  const named = withName(body, shape?.name ?? name);
  if (shape === undefined || validation === "off" || shape.schema.passes(named)) return asEvent(named, none, isWhole);
  const issues = explain(shape.schema, named);
  if (issues.length > 0) {
    const [broken] = validation === "strict" ? issues : essentialIssues(shape.essential, issues);
    if (broken !== undefined) return damaged(body, `${formatPath(broken.path)} ${broken.message}`);
  }
  return asEvent(named, issues, isWhole);
}

/**
 * Returns the event with its name. A known name is replaced by the equal string of this file: comparing it with itself,
 * as each later step does, takes no time.
 */
function withName(body: Record<string, unknown>, name: string): Fields {
  if (body.event !== name) return { ...body, event: name };
  body.event = name;
  return body;
}

/** The checked border: an event of a known name has been checked, as far as `validation` asks for. */
function asEvent(body: Fields, issues: readonly ValidationIssue[], isWhole: boolean): ParsedFrame {
  return { kind: "event", event: body as unknown as AiEvent, issues, isWhole };
}

const none: readonly ValidationIssue[] = [];

function damaged(body: unknown, why: string): ParsedFrame {
  return { kind: "damaged", why, body, isJson: true };
}

/** `message` is the name of all frames that have none (SSE). */
function isNamelessFrame({ name }: Frame): boolean {
  return name === undefined || name === "message";
}

function isWholeResponse(body: Fields): boolean {
  return typeof field(body.system, "text") === "string" && isStatus(body, "SUCCESS");
}

function isStatus({ status }: Fields, expected: string): boolean {
  return typeof status === "string" && status.toUpperCase() === expected;
}

/** Reads the status as on every other operation (docs/assumptions.md, A1); that of most events is known without. */
function verdictOf(body: Fields): Verdict {
  return body.status === "PROCESSING" ? "pending" : readEnvelope(body).verdict;
}

const initiated: Shape = { name: "response_initiated", schema: responseInitiated, essential: [] };
const output: Shape = { name: "response_output", schema: responseOutput, essential: ["system.text_chunk"] };
const completed: Shape = {
  name: "response_completed",
  schema: responseCompleted,
  essential: ["context_token", "system.text"],
};

function shapeOf(event: string): Shape | undefined {
  // A switch, and not a table: `__proto__` is an event's name like any other.
  switch (event) {
    case "response_output":
      return output;
    case "response_initiated":
      return initiated;
    case "response_completed":
      return completed;
    default:
      return undefined;
  }
}
