import type * as z from "zod/v4/core";
import { aiResponse, responseCompleted, responseInitiated, responseOutput } from "../../../ai/schemas.ts";
import { fareQuoteSchema, fareRuleSchema } from "../../../flights/schemas/index.ts";
import { vpaResultSchema } from "../../../verification/schemas.ts";
import type { CallRecord, Fields } from "./call-record.ts";

const byEvent: Readonly<Record<string, z.$ZodType>> = {
  response_initiated: responseInitiated,
  response_output: responseOutput,
  response_completed: responseCompleted,
};

const byOperation: Readonly<Record<string, z.$ZodType>> = {
  "verification.findVpas": vpaResultSchema,
  "ai.createResponse": aiResponse,
  "flights.fareQuote": fareQuoteSchema,
  "flights.fareRule": fareRuleSchema,
};

/**
 * Returns the schema of a body or of an event, "undocumented" for an event that the document does not show, and
 * undefined if the document shows no form of it, as for most refusals.
 */
export function schemaOf(
  { name, operation, error }: CallRecord,
  body: Fields | undefined,
): z.$ZodType | "undocumented" | undefined {
  if (name !== "stream")
    return error === undefined || error.kind === "response_validation" ? byOperation[operation] : undefined;
  const event = body?.event;
  if (typeof event !== "string") return undefined;
  return Object.hasOwn(byEvent, event) ? byEvent[event] : "undocumented";
}
