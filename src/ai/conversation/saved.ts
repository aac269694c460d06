import * as z from "zod/mini";
import { formatPath } from "../../errors/issues.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { standardSchema } from "../../shared/standard-schema.ts";
import { validate } from "../../shared/validate.ts";
import type { AiUserInput } from "../types.ts";

/** A question and its complete response. */
export interface ConversationTurn {
  /** The question. */
  readonly user: AiUserInput;
  /** The whole text of the response. */
  readonly text: string;
  /** The token of the response, from which the next turn continues. */
  readonly context_token: string;
  /** The service's identifier of the response. */
  readonly msg_id?: string | undefined;
  /** The `client_referenceId` of the request, if it is known. */
  readonly client_referenceId?: string | undefined;
}

/** A conversation as plain data: the result of `JSON.stringify(chat)`, parsed. */
export interface ConversationState {
  /** Version of the saved format. */
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
 * Returns the saved state, or that of a new conversation. It is a copy, so that the checked state is the one that is
 * used.
 *
 * @throws {@link ConfigurationError} unless it is the result of `JSON.stringify(conversation)`, as a string or parsed.
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
