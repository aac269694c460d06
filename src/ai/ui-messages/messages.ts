import type { ValidationIssue } from "../../errors/base.ts";
import { formatPath, listIssues } from "../../errors/issues.ts";
import { RequestValidationError } from "../../errors/request.ts";
import { elementsOf, field, stringOf } from "../../shared/json.ts";
import { type ConversationState, type ConversationTurn, metadataIn, readState } from "../conversation/saved.ts";
import type { AiUserInput } from "../types.ts";
import type { UiMessage, UiMessagePart } from "./types.ts";

/** The conversation behind a list of UI messages: the complete turns, and the question that is to be sent. */
export interface UiConversation {
  /** The complete turns, for `api.ai.conversation(state)`. */
  readonly state: ConversationState;
  /** The text of the last message. */
  readonly text: string;
  /** The images of the last message; absent if it has none. */
  readonly images?: readonly string[];
}

/**
 * Returns the messages of a conversation, for `useChat` (`messages` since AI SDK 5) or a database. The user's messages have the
 * IDs `turn-0-user`, `turn-1-user` and so on; a response has its `msg_id`, or else `turn-0` and so on.
 *
 * @param conversation - A conversation, or its saved state.
 * @throws {@link RequestValidationError} if it is neither.
 *
 * @example
 * ```ts
 * import { toUiMessages } from "serviceapi/ai";
 *
 * console.log(toUiMessages(chat).map(({ role, parts }) => [role, parts]));
 * ```
 */
export function toUiMessages(conversation: { toJSON(): ConversationState } | ConversationState): UiMessage[] {
  // `readState` checks it, and calls its `toJSON`. For it, nothing would be a new conversation.
  return readState(conversation ?? null).turns.flatMap(messagesOf);
}

/**
 * Returns the conversation behind the messages that `useChat` posts. The last message must be the user's. A response
 * counts if its metadata has a `context_token`; one that was stopped or failed has none, so its turn is left out, and
 * the conversation continues from the last complete one. When a response is regenerated, the AI SDK leaves it out of
 * the list, and the question is sent again from the turn before it.
 *
 * The messages come from a browser: check who may continue which conversation, or keep the conversation on your server
 * and use the text of the last message alone. Check the hosts of the images too: the service fetches their URLs.
 *
 * @param messages - The messages, such as `validateUIMessages` of the package `ai` returns. They are checked here.
 * @throws {@link RequestValidationError} if they are not UI messages, the last is not the user's, or there is a system message or
 *   a file that is not an image.
 *
 * @example
 * ```ts
 * import { conversationFromUiMessages } from "serviceapi/ai";
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const { messages } = (await request.json()) as { messages: unknown[] };
 *   const { state, text, images } = conversationFromUiMessages(messages);
 *   return api.ai.conversation(state).stream(text, { images }).toResponse({ format: "ui-message" });
 * }
 * ```
 */
export function conversationFromUiMessages(messages: readonly unknown[]): UiConversation {
  const issues = issuesOf(messages);
  if (issues.length > 0) {
    const list = listIssues(issues, ({ path, message }) => `${formatPath(path, "messages")} ${message}`);
    throw new RequestValidationError({ message: `conversationFromUiMessages: ${list}. Nothing was sent.`, issues });
  }
  const turns: ConversationTurn[] = [];
  let question: AiUserInput | undefined;
  for (const message of messages) {
    // Parts that are neither text nor an image are the application's own.
    const parts = Map.groupBy(elementsOf(field(message, "parts")), (part) => field(part, "type"));
    const text = (parts.get("text") ?? []).map((part) => stringOf(field(part, "text")));
    const isQuestion = field(message, "role") === "user";
    if (isQuestion) {
      const images = (parts.get("file") ?? []).map((part) => stringOf(field(part, "url")));
      question = { text: text.join("\n"), ...(images.length > 0 && { images }) };
      continue;
    }
    const metadata = metadataIn(field(message, "metadata"));
    if (question && metadata) turns.push({ user: question, text: text.join("\n"), ...metadata });
    question = undefined;
  }
  const { text = "", images } = question ?? {};
  return { state: { version: 1, turns }, text, ...(images && { images }) };
}

function messagesOf({ user, text, ...turn }: ConversationTurn, i: number): UiMessage[] {
  const images = (user.images ?? []).map((url): UiMessagePart => ({ type: "file", mediaType: mediaTypeOf(url), url }));
  const metadata = metadataIn(turn);
  return [
    { id: `turn-${i}-user`, role: "user", parts: [{ type: "text", text: user.text }, ...images] },
    {
      id: turn.msg_id ?? `turn-${i}`,
      role: "assistant",
      ...(metadata && { metadata }),
      parts: [{ type: "text", text, state: "done" }],
    },
  ];
}

/** The extensions that the document allows (§8). */
function mediaTypeOf(url: string): string {
  const extension = /\.(jpe?g|png|webp|gif)(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase() ?? "*";
  return `image/${extension === "jpg" ? "jpeg" : extension}`;
}

function issuesOf(messages: readonly unknown[]): ValidationIssue[] {
  if (!Array.isArray(messages) || messages.length === 0) return [issue([], "must be a list of messages, not empty")];
  const found = Array.from<unknown, ValidationIssue[]>(messages, issuesOfMessage).flat();
  const isLastUsers = field(messages.at(-1), "role") === "user";
  return isLastUsers || found.length > 0
    ? found
    : [issue([messages.length - 1, "role"], "must be `user` in the last message")];
}

function issuesOfMessage(message: unknown, i: number): ValidationIssue[] {
  const [role, parts] = [field(message, "role"), field(message, "parts")];
  if (!Array.isArray(parts)) return [issue([i], "must be a message with a list `parts`")];
  if (role === "system") return [issue([i, "role"], "cannot be `system`: the service documents none")];
  if (role !== "user" && role !== "assistant") return [issue([i, "role"], "must be `user` or `assistant`")];
  return Array.from<unknown, ValidationIssue[]>(parts, (part, at) => {
    const path = [i, "parts", at];
    const [type, text] = [field(part, "type"), field(part, "text")];
    // Of an assistant's message only the text is read, and it may have none.
    const isOwn = role === "assistant" && (type !== "text" || text === undefined || text === null);
    if (isOwn) return [];
    if (typeof type !== "string") return [issue(path, "must be a part with a `type`")];
    if (type === "text" && typeof text !== "string") return [issue([...path, "text"], "must be a string")];
    const isImage = stringOf(field(part, "mediaType")).startsWith("image/") && typeof field(part, "url") === "string";
    return type === "file" && !isImage
      ? [issue(path, "must be an image with a `url`: the service takes no other file")]
      : [];
  }).flat();
}

function issue(path: readonly (string | number)[], message: string): ValidationIssue {
  return { path, message, code: "invalid_ui_message" };
}
