import * as z from "zod/mini";
import { formatPath } from "../../errors/issues.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { standardSchema } from "../../shared/standard-schema.ts";
import { validate } from "../../shared/validate.ts";
import type { AiUserInput } from "../types.ts";

/** One question and its complete answer. */
export interface ConversationTurn {
  /** What was asked. */
  readonly user: AiUserInput;
  /** What was answered, whole. */
  readonly text: string;
  /** The answer's token, from which the next turn goes on. */
  readonly context_token: string;
  /** The service's identifier of the answer. */
  readonly msg_id?: string | undefined;
  /** The `client_referenceId` under which it was asked, where it is known. */
  readonly client_referenceId?: string | undefined;
}

/** A conversation as plain data: what `JSON.stringify(chat)` writes. */
export interface ConversationState {
  /** Format of what was saved. */
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

/**
 * The state that was saved, or that of a new conversation. A copy: what was checked is what is used.
 *
 * @throws {@link ConfigurationError} for anything but what `JSON.stringify(conversation)` writes, as a string or parsed.
 */
export function readState(saved: ConversationState | string | undefined): ConversationState {
  if (saved === undefined) return { version: 1, turns: [] };
  const plain = parse(saved);
  const [issue] = plain === undefined ? [notJson] : validate(stateSchema, plain, "ai.conversation");
  // The checked border: the schema describes it.
  if (issue === undefined) return plain as ConversationState;
  throw new ConfigurationError(
    `ai.conversation: this is not a saved conversation: ${formatPath(issue.path, "it")} ${issue.message}. Pass what JSON.stringify(conversation) returned, as a string or parsed.`,
  );
}

const notJson = { path: [], message: "is not JSON" };

function parse(saved: unknown): unknown {
  try {
    return JSON.parse(typeof saved === "string" ? saved : JSON.stringify(saved));
  } catch {
    // The runtime's own message quotes the text.
    return undefined;
  }
}
