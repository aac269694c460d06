import * as z from "zod/mini";
import { ConfigurationError } from "../../errors/request.ts";
import { parseJson } from "../../shared/json.ts";
import { readRow } from "../journal/row.ts";
import type { SavedCheckout } from "./types.ts";

/** The parts of a quote that a checkout needs; the rest may have drifted (docs/assumptions.md, A4). */
const results = z.array(z.looseObject({ token: z.string() })).check(z.minLength(1));
const quote = z.looseObject({ data: z.looseObject({ result: results }) });

const savedSchema = z.object({
  version: z.literal(1),
  traceId: z.string(),
  token: z.string(),
  startedAt: z.nullable(z.number()),
  shown: z.nullable(z.object({ body: quote, at: z.number() })),
  journaled: z.boolean(),
  attempts: z.array(z.unknown()),
});

/** Reads the result of `JSON.stringify(trip)`, as a string or parsed. */
export function readSaved(saved: unknown): SavedCheckout {
  const value = typeof saved === "string" ? parseJson(saved) : saved;
  const attempts = isSaved(value) ? value.attempts.map(readRow) : [];
  if (!isSaved(value) || attempts.includes(undefined)) {
    throw new ConfigurationError(
      "This is not a saved checkout: pass what JSON.stringify(trip) returned, as a string or parsed.",
    );
  }
  return { ...value, attempts: attempts.filter((row) => row !== undefined) };
}

function isSaved(value: unknown): value is SavedCheckout {
  return savedSchema.safeParse(value).success;
}
