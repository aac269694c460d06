import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Issue } from "../../errors/base.ts";
import { formatPath } from "../../errors/issues.ts";
import { isObject } from "../../shared/json.ts";
import { standardSchema } from "../../shared/standard-schema.ts";
import { essentialIssues, validate } from "../../shared/validate.ts";
import { type Envelope, readEnvelope } from "../../transport/envelope.ts";
import type { Frame } from "../framing/frame.ts";
import { responseCompleted, responseInitiated, responseOutput } from "../schemas.ts";
import type { AiEvent } from "../types.ts";

/** What a frame turned out to be. */
export type Reading =
  | {
      readonly kind: "event";
      readonly event: AiEvent;
      readonly issues: readonly Issue[];
      /** A whole response, which came in place of a stream. */
      readonly isWhole: boolean;
    }
  /** The service says that the generation failed (§3.1 names the status, not the event). */
  | { readonly kind: "failed"; readonly body: Fields }
  /** A whole answer that says no, where a stream was asked for. */
  | { readonly kind: "refused"; readonly body: Fields }
  /** Not JSON, or not of its shape. `why` never quotes it. */
  | { readonly kind: "damaged"; readonly why: string; readonly body: unknown; readonly notJson: boolean };

/** A JSON object of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;

interface Shape {
  readonly schema: StandardSchemaV1;
  readonly essential: readonly string[];
}

/** Reads one frame: JSON, then what it says, then whether it has the shape that the document shows (§6.1). */
export function readFrame(frame: Frame, isFirst: boolean, validation: "essential" | "strict" | "off"): Reading {
  const body = parseObject(frame.data);
  if (typeof body === "string") return { kind: "damaged", why: body, body: frame.data, notJson: body === notJson };
  const named = nameEvent(body, frame, isFirst);
  const verdict = verdictOf(body);
  if (named === undefined) {
    if (frame.mayBeBody && (verdict === "failed" || verdict === "pending")) return { kind: "refused", body };
    return verdict === "failed" ? { kind: "failed", body } : damaged(body, "it has no `event` and is no whole answer");
  }
  const shape = shapeOf(named.event);
  // An unknown event ends nothing (docs/assumptions.md, A6) unless it says so in the document's own word.
  if (verdict === "failed" && (shape !== undefined || isFailed(body.status))) return { kind: "failed", body };
  if (verdict === "pending" && named.event === "response_completed") {
    return damaged(body, "it is a response_completed whose status is not SUCCESS");
  }
  const issues = shape === undefined || validation === "off" ? [] : validate(shape.schema, named, named.event);
  if (shape !== undefined && issues.length > 0) {
    const [broken] = validation === "strict" ? issues : essentialIssues(shape.essential, issues);
    if (broken !== undefined) return damaged(body, `${formatPath(broken.path)} ${broken.message}`);
  }
  // The checked border: what bears a known name has been checked, as far as `validation` asks for.
  const isWhole = body.event !== named.event && frame.name !== named.event;
  return { kind: "event", event: named as unknown as AiEvent, issues, isWhole };
}

function damaged(body: Fields, why: string): Reading {
  return { kind: "damaged", why, body, notJson: false };
}

function isFailed(status: unknown): boolean {
  return typeof status === "string" && status.toUpperCase() === "FAILED";
}

const notJson = "it is not JSON";

function parseObject(text: string): Fields | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The runtime's own message quotes the text.
    return notJson;
  }
  return isObject(value) ? value : "it is not a JSON object";
}

/**
 * The object with its event's name: its own, that of its frame, or, for a whole answer in place of a stream, the last
 * one's. `message` is the name of all that have none (SSE).
 */
function nameEvent(body: Fields, { name }: Frame, isFirst: boolean): (Fields & { readonly event: string }) | undefined {
  if (typeof body.event === "string") return body as Fields & { readonly event: string };
  const isNamed = name !== undefined && name !== "message";
  if (!isNamed && isFirst && isWholeAnswer(body)) return { ...body, event: "response_completed" };
  return name === undefined ? undefined : { ...body, event: name };
}

function isWholeAnswer({ status, system }: Fields): boolean {
  const { text } = typeof system === "object" && system !== null ? (system as Fields) : {};
  return typeof text === "string" && typeof status === "string" && status.toUpperCase() === "SUCCESS";
}

/** Read as on every other operation (docs/assumptions.md, A1); what most events say is known without. */
function verdictOf(body: Fields): Envelope["verdict"] {
  return body.status === "PROCESSING" ? "pending" : readEnvelope(body).verdict;
}

const initiated: Shape = { schema: standardSchema(responseInitiated), essential: [] };
const output: Shape = { schema: standardSchema(responseOutput), essential: ["system.text_chunk"] };
const completed: Shape = {
  schema: standardSchema(responseCompleted),
  essential: ["context_token", "system.text"],
};

function shapeOf(event: string): Shape | undefined {
  // A switch, and no table: `__proto__` is an event's name like any other.
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
