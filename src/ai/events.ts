import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Issue } from "../errors/base.ts";
import { formatPath } from "../errors/request.ts";
import { standardSchema } from "../schema.ts";
import { essentialIssues, validate } from "../transport/validate.ts";
import type { Frame } from "./frame.ts";
import { responseCompleted, responseInitiated, responseOutput } from "./schemas.ts";
import type { AiEvent } from "./types.ts";

/** What a frame turned out to be. */
export type Reading =
  | { readonly kind: "event"; readonly event: AiEvent; readonly issues: readonly Issue[] }
  /** The service says that the generation failed (§3.1 names the status, not the event). */
  | { readonly kind: "failed"; readonly body: Fields }
  /** A whole answer that says no, where a stream was asked for. */
  | { readonly kind: "refused"; readonly body: Fields }
  /** Not JSON, or not of its shape. `why` never quotes it. */
  | { readonly kind: "damaged"; readonly why: string; readonly notJson: boolean };

/** A JSON object of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;

interface Shape {
  readonly schema: StandardSchemaV1;
  readonly essential: readonly string[];
}

/** Reads one frame: JSON, then what it says, then whether it has the shape that the document shows (§6.1). */
export function readFrame(frame: Frame, validation: "essential" | "strict" | "off"): Reading {
  const body = parseObject(frame.data);
  if (typeof body === "string") return { kind: "damaged", why: body, notJson: body === notJson };
  const named = nameEvent(body, frame);
  if (isFailed(body.status)) {
    return { kind: frame.mayBeBody && named === undefined ? "refused" : "failed", body };
  }
  if (named === undefined) return { kind: "damaged", why: "it has no `event` and is no whole answer", notJson: false };
  const shape = validation === "off" ? undefined : shapeOf(named.event);
  const issues = shape === undefined ? [] : validate(shape.schema, named, named.event);
  if (shape !== undefined && issues.length > 0) {
    const [broken] = validation === "strict" ? issues : essentialIssues(shape.essential, issues);
    if (broken !== undefined) {
      return { kind: "damaged", why: `${formatPath(broken.path)} ${broken.message}`, notJson: false };
    }
  }
  // The checked border: what bears a known name has been checked, as far as `validation` asks for.
  return { kind: "event", event: named as unknown as AiEvent, issues };
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
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : "it is no JSON object";
}

/** The object with its event's name: its own, that of its frame, or, for a whole answer in place of a stream, the last one's. */
function nameEvent(body: Fields, frame: Frame): (Fields & { readonly event: string }) | undefined {
  if (typeof body.event === "string") return body as Fields & { readonly event: string };
  if (isWholeAnswer(body)) return { ...body, event: "response_completed" };
  return frame.name === undefined ? undefined : { ...body, event: frame.name };
}

function isWholeAnswer({ status, system }: Fields): boolean {
  const { text } = typeof system === "object" && system !== null ? (system as Fields) : {};
  return typeof text === "string" && typeof status === "string" && status.toUpperCase() === "SUCCESS";
}

function isFailed(status: unknown): boolean {
  return typeof status === "string" && status.toUpperCase() === "FAILED";
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
