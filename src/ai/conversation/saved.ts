import type { ValidationIssue } from "../../errors/base.ts";
import { refusedRequest } from "../../errors/request.ts";
import { field, isListOf, isObject, isString, jsonCopy, parseJson, stringOf } from "../../shared/json.ts";
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
  /**
   * Present if the service may have lost the conversation: the response names another parent, or none, than the turn
   * before it. The code is `parent_token_mismatch`.
   */
  readonly warnings?: readonly ValidationIssue[] | undefined;
}

/** A conversation as plain data: the result of `JSON.stringify(chat)`, parsed. */
export interface ConversationState {
  /** Version of the saved format. */
  readonly version: 1;
  /** Every complete turn, the oldest first. */
  readonly turns: readonly ConversationTurn[];
}

/**
 * The metadata of a response in a UI message: what it takes to continue the conversation from it. The service documents
 * no token counts, so there is no usage.
 */
export interface ResponseMetadata extends Pick<ConversationTurn, "context_token" | "msg_id" | "client_referenceId"> {}

/**
 * Returns the saved state, or that of a new conversation. It is a copy, so that the checked state is the one that is
 * used.
 *
 * @throws {@link RequestValidationError} unless it is the result of `JSON.stringify(conversation)`, as a string or parsed.
 */
export function readState(saved: unknown): ConversationState {
  if (saved === undefined) return { version: 1, turns: [] };
  const plain = typeof saved === "string" ? parseJson(saved) : jsonCopy(saved);
  const fault = faultOf(plain);
  // The checked border.
  if (fault === undefined) return plain as ConversationState;
  const must = `this is not a saved conversation: ${fault}. Pass what JSON.stringify(conversation) returned, as a string or parsed, or nothing for a new conversation.`;
  throw refusedRequest("ai.conversation", "", "not_saved", must);
}

/** Returns the metadata among the fields of a value, which are not checked; undefined without a token. */
export function metadataIn(value: unknown): ResponseMetadata | undefined {
  const [context_token, msg_id, client_referenceId] = ["context_token", "msg_id", "client_referenceId"].map(
    (name) => stringOf(field(value, name)) || undefined,
  );
  if (context_token === undefined) return undefined;
  return { context_token, ...(msg_id && { msg_id }), ...(client_referenceId && { client_referenceId }) };
}

/** Returns the first thing about a value that is not as in a saved conversation, in words. */
function faultOf(state: unknown): string | undefined {
  if (state === undefined) return "it is not JSON";
  if (!isObject(state)) return "it must be an object";
  if (state.version !== 1) return "version must be 1";
  if (!Array.isArray(state.turns)) return "turns must be a list";
  for (const [i, turn] of state.turns.entries()) {
    if (!isObject(turn)) return `turns[${i}] must be an object`;
    const { user, text, context_token, msg_id = "", client_referenceId = "", warnings = [] } = turn;
    const { text: question, images = [] } = isObject(user) ? user : {};
    const strings = { "user.text": question, text, context_token, msg_id, client_referenceId };
    const wrong = Object.entries(strings).find(([, value]) => !isString(value));
    if (wrong !== undefined) return `turns[${i}].${wrong[0]} must be a string`;
    if (!isListOf(images, isString)) return `turns[${i}].user.images must be a list of strings`;
    if (!isListOf(warnings, isObject)) return `turns[${i}].warnings must be a list of objects`;
  }
  return undefined;
}
