import * as z from "zod/mini";
import { ConfigurationError } from "../errors/request.ts";
import { standardSchema } from "../schema.ts";
import { validate } from "../transport/validate.ts";
import type { ConversationTurn } from "./conversation.ts";

/** A conversation as plain data: what `JSON.stringify(chat)` writes. */
export interface ConversationState {
  readonly version: 1;
  /** Every complete turn, the oldest first. */
  readonly turns: readonly ConversationTurn[];
}

const turn: z.ZodMiniType<ConversationTurn, ConversationTurn> = z.object({
  user: z.object({ text: z.string(), images: z.optional(z.array(z.string())) }),
  text: z.string(),
  context_token: z.string(),
  msg_id: z.optional(z.string()),
  client_referenceId: z.optional(z.string()),
});

const state: z.ZodMiniType<ConversationState, ConversationState> = z.object({
  version: z.literal(1),
  turns: z.array(turn),
});

const stateSchema = standardSchema(state);

/** A state that was saved, or that of a new conversation. */
export function readState(saved: ConversationState | undefined): ConversationState {
  if (saved === undefined) return { version: 1, turns: [] };
  const [issue] = validate(stateSchema, saved, "ai.conversation");
  if (issue === undefined) return saved;
  const hint =
    typeof saved === "string" ? "it is text; give it JSON.parse(text)" : `${issue.path.join(".")} ${issue.message}`;
  throw new ConfigurationError(`ai.conversation: what was saved is no conversation: ${hint}.`);
}
