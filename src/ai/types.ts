import type { OtherString } from "../shared/other-string.ts";

/** A user's input (§4.2). */
export interface AiUserInput {
  /** The text input: not empty. Its maximum length is not documented. */
  readonly text: string;
  /**
   * URLs of images, http or https, whose path ends in .jpg, .jpeg, .png, .webp or .gif; at least one if the list is
   * present (§8).
   */
  readonly images?: readonly string[] | undefined;
}

/** The request body of create-response as the document shows it (§4.2). */
export interface CreateResponseRequest {
  /** Unique reference of this call, at most 30 characters (§8). @default a ULID of 26 characters */
  readonly client_referenceId?: string | undefined;
  /** The input. */
  readonly user: AiUserInput;
  /** `context_token` of an earlier response, to continue from it: `svc_` followed by letters and digits. */
  readonly context_token?: string | undefined;
  /** Whether the response comes as events. Filled in by the method that is called. @default false */
  readonly stream?: boolean | undefined;
}

/** Parameters of {@link Ai.createResponse}: the body of §4.2 without the fields that the library fills in. */
export interface CreateResponseParams extends CreateResponseRequest {
  /** For `true`, call `ai.stream()`. */
  readonly stream?: false | undefined;
}

/** Parameters of {@link Ai.stream}: the body of §4.2 without the fields that the library fills in. */
export interface StreamResponseParams extends CreateResponseRequest {
  /** For `false`, call `ai.createResponse()`. */
  readonly stream?: true | undefined;
}

/** The state of the generation (§2.3). */
export type AiResponseStatus = "initiated" | "processing" | "completed" | (string & {});

/** The generated content of a complete response (§2.3). */
export interface AiContent {
  /** Unique identifier of the message. */
  readonly msg_id: string;
  /** The full text; it may contain Markdown. */
  readonly text: string;
}

/** A part of the content, while it is being generated (§2.3). */
export interface AiContentChunk {
  /** Unique identifier of the message. */
  readonly msg_id: string;
  /**
   * The next part of the text. It may end inside a character: join the chunks before showing them, or use `textStream`.
   */
  readonly text_chunk: string;
}

/** The status that an event or a whole response begins with (§2.3). */
interface StatusFields {
  /** `SUCCESS` for a complete response; `PENDING` and `PROCESSING` for the events before it. */
  readonly status: "SUCCESS" | "PENDING" | "PROCESSING" | "FAILED" | (string & {});
  /** `200` for a complete response; `102` and `206` for the events before it. The document shows these three. */
  readonly status_code: "200" | "102" | "206" | (string & {});
}

/** The fields that a whole response shares with the event that announces it (§2.3, §6.1). */
interface ResponseFields extends StatusFields {
  /** Human-readable message of the service. */
  readonly message: string;
  /** `completed` for a complete response; `initiated` when it is announced. */
  readonly response_status: AiResponseStatus;
  /** Token of this response: `svc_` and letters and digits. Pass it as `context_token` of a follow-up. */
  readonly context_token: string;
  /** Token of the previous response in the chain; null for the first. */
  readonly parent_context_token: string | null;
}

/** A whole response (§2.3, §4.2). */
export interface AiResponse extends ResponseFields {
  /** The generated content. */
  readonly system: AiContent;
}

/** The request was accepted and the response has its token (§6.1). */
export interface ResponseInitiated extends ResponseFields {
  /** The discriminant of {@link AiEvent} (§6.1). */
  readonly event: "response_initiated";
  /** Empty. */
  readonly system: readonly unknown[];
}

/** The next part of the text (§6.1). */
export interface ResponseOutput extends StatusFields {
  /** The discriminant of {@link AiEvent} (§6.1). */
  readonly event: "response_output";
  /** `processing`, if the service sends it: §2.3 names it, the fields of §6.1 do not. */
  readonly response_status?: AiResponseStatus | undefined;
  /** Orders the chunks; where it starts is not documented. */
  readonly sequence_no: number;
  /** The piece of text, and the message it belongs to. */
  readonly system: AiContentChunk;
}

/** The response is complete (§6.1). No event follows. */
export interface ResponseCompleted extends AiResponse {
  /** The discriminant of {@link AiEvent} (§6.1). */
  readonly event: "response_completed";
}

/** An event that the document shows (§6.1), discriminated by `event`. */
export type KnownAiEvent = ResponseInitiated | ResponseOutput | ResponseCompleted;

/** The name of an event that the document does not show: any string except those of {@link KnownAiEvent}. */
export type UnknownEventName = OtherString<KnownAiEvent["event"]>;

/**
 * An event that the document does not show, passed on unchanged. Its fields are not known to the compiler; read them
 * with `in`: `if ("progress" in event) show(event.progress)`.
 */
export interface UnknownAiEvent {
  /** The discriminant of {@link AiEvent} (§6.1). */
  readonly event: UnknownEventName;
}

/**
 * An event of a stream (§6.1), discriminated by `event`. Events that the document does not show can be compared by name
 * too.
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
