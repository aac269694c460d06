import * as z from "zod/mini";
import { ConfigurationError } from "../../errors/request.ts";
import type { JournalRow } from "../journal.ts";
import type { SavedCheckout } from "./types.ts";

const row: z.ZodMiniType<JournalRow, JournalRow> = z.looseObject({
  clientReferenceId: z.string(),
  traceId: z.string(),
  searchToken: z.string(),
  token: z.string(),
  result: z.number(),
  state: z.enum(["intent", "sent", "booked", "rejected", "unknown"]),
  at: z.number(),
});

/** A quote is checked where a checkout leans on it; the service may have drifted elsewhere (policy 13). */
const quote = z.looseObject({ data: z.looseObject({ result: z.array(z.looseObject({ token: z.string() })) }) });

const savedSchema = z.object({
  version: z.literal(1),
  traceId: z.string(),
  token: z.string(),
  startedAt: z.nullable(z.number()),
  shown: z.nullable(z.object({ body: quote, at: z.number() })),
  attempts: z.array(row),
});

/** Reads what `JSON.stringify(trip)` wrote, as text or parsed. */
export function readSaved(saved: unknown): SavedCheckout {
  const value = typeof saved === "string" ? parse(saved) : saved;
  if (!isSaved(value)) {
    throw new ConfigurationError(
      "This is not a saved checkout: give what JSON.stringify(trip) wrote, as text or parsed.",
    );
  }
  return value;
}

function isSaved(value: unknown): value is SavedCheckout {
  return savedSchema.safeParse(value).success;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
