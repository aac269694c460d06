import type { OtherString } from "../shared/other-string.ts";

/** What a person says to the service (§4.2). */
export interface AiUserInput {
  /** The text input: not empty. Its maximum length is not documented. */
  readonly text: string;
  /** URLs of images, http or https, whose path ends in .jpg, .jpeg, .png, .webp or .gif; at least one if the list is present (§8). */
  readonly images?: readonly string[] | undefined;
}

/** The request body of create-response as the document shows it (§4.2). */
export interface CreateResponseRequest {
  /** Unique reference of this call, at most 30 characters (§8). @default a ULID of 26 characters */
  readonly client_referenceId?: string | undefined;
  /** The input. */
  readonly user: AiUserInput;
  /** `context_token` of an earlier answer, to go on from there: `svc_` followed by letters and digits. */
  readonly context_token?: string | undefined;
  /** Whether the answer comes as events. Filled in by the method that is called. @default false */
  readonly stream?: boolean | undefined;
}

/** What {@link Ai.createResponse} takes: the body of §4.2 less what the library fills in. */
export interface CreateResponseParams extends CreateResponseRequest {
  /** `ai.stream()` is the method for `true`. */
  readonly stream?: false | undefined;
}

/** What {@link Ai.stream} takes: the body of §4.2 less what the library fills in. */
export interface StreamResponseParams extends CreateResponseRequest {
  /** `ai.createResponse()` is the method for `false`. */
  readonly stream?: true | undefined;
}

/** How far the service is with an answer (§2.3). */
export type AiStatus = "SUCCESS" | "PENDING" | "PROCESSING" | "FAILED" | (string & {});

/** The code of an AI response or event (§2.3). The document shows these three. */
export type AiStatusCode = "200" | "102" | "206" | (string & {});

/** The state of the generation (§2.3). */
export type AiResponseStatus = "initiated" | "processing" | "completed" | (string & {});

/** The generated content of a complete answer (§2.3). */
export interface AiContent {
  /** Unique identifier of the message. */
  readonly msg_id: string;
  /** The full text; it may hold Markdown. */
  readonly text: string;
}

/** A part of the content, while it is being generated (§2.3). */
export interface AiContentChunk {
  /** Unique identifier of the message. */
  readonly msg_id: string;
  /** The next part of the text. It may end inside a character: join the chunks before showing them, or use `textStream`. */
  readonly text_chunk: string;
}

/** A whole answer (§2.3, §4.2). */
export interface AiResponse {
  /** `SUCCESS`. */
  readonly status: AiStatus;
  /** `200`. */
  readonly status_code: AiStatusCode;
  /** What happened, in words for a person. */
  readonly message: string;
  /** `completed`. */
  readonly response_status: AiResponseStatus;
  /** Token of this answer: `svc_` and letters and digits. Give it as `context_token` of a follow-up. */
  readonly context_token: string;
  /** Token of the previous answer in the chain; null for the first. */
  readonly parent_context_token: string | null;
  /** The generated content. */
  readonly system: AiContent;
}

/** The request was accepted and the answer has its token (§6.1). */
export interface ResponseInitiated {
  /** Tells the events apart (§6.1). */
  readonly event: "response_initiated";
  /** `PENDING`. */
  readonly status: AiStatus;
  /** `102`. */
  readonly status_code: AiStatusCode;
  /** Message of the service in words. */
  readonly message: string;
  /** `initiated`. */
  readonly response_status: AiResponseStatus;
  /** Token of the answer that is about to be written. */
  readonly context_token: string;
  /** Token of the previous answer in the chain; null for the first. */
  readonly parent_context_token: string | null;
  /** Empty. */
  readonly system: readonly unknown[];
}

/** The next part of the text (§6.1). */
export interface ResponseOutput {
  /** Tells the events apart (§6.1). */
  readonly event: "response_output";
  /** `PROCESSING`. */
  readonly status: AiStatus;
  /** `206`. */
  readonly status_code: AiStatusCode;
  /** `processing`, if the service sends it: §2.3 names it, the fields of §6.1 do not. */
  readonly response_status?: AiResponseStatus | undefined;
  /** Orders the chunks; where it starts is not documented. */
  readonly sequence_no: number;
  /** The piece of text, and which message it belongs to. */
  readonly system: AiContentChunk;
}

/** The answer is whole (§6.1). Nothing follows. */
export interface ResponseCompleted extends AiResponse {
  /** Tells the events apart (§6.1). */
  readonly event: "response_completed";
}

/** An event that the document shows (§6.1), told apart by `event`. */
export type KnownAiEvent = ResponseInitiated | ResponseOutput | ResponseCompleted;

/** The name of an event that the document does not show: any string but those of {@link KnownAiEvent}. */
export type UnknownEventName = OtherString<KnownAiEvent["event"]>;

/**
 * An event that the document does not show, passed on as it came. Its fields are not known to the compiler; `in` leads to
 * them: `if ("progress" in event) show(event.progress)`.
 */
export interface UnknownAiEvent {
  /** Tells the events apart (§6.1). */
  readonly event: UnknownEventName;
}

/**
 * An event of a stream (§6.1), told apart by `event`. Events that the document does not show can be compared by name too.
 *
 * @example
 * ```ts
 * import type { AiEvent } from "serviceapi";
 *
 * function describe(event: AiEvent): string {
 *   switch (event.event) {
 *     case "response_output":
 *       return event.system.text_chunk;
 *     case "response_heartbeat": // not documented, and welcome all the same
 *       return "still there";
 *     default:
 *       return event.event;
 *   }
 * }
 * ```
 */
export type AiEvent = KnownAiEvent | UnknownAiEvent;
