import * as z from "zod/mini";
import type {
  AiContent,
  AiContentChunk,
  AiResponse,
  AiUserInput,
  CreateResponseRequest,
  ResponseCompleted,
  ResponseInitiated,
  ResponseOutput,
  StreamResponseParams,
} from "./types.ts";

/** §8: the limits of create-response. */
const longestReference = 30;
const imagePath = /\.(?:jpe?g|png|webp|gif)$/i;

const userInput: z.ZodMiniType<AiUserInput, AiUserInput> = z.strictObject({
  text: z.string().check(z.refine((text) => text.trim() !== "", "must not be empty")),
  images: z.optional(
    z
      .array(
        z
          .string()
          .check(
            z.refine(isImageUrl, "must be an http or https URL whose path ends in .jpg, .jpeg, .png, .webp or .gif"),
          ),
      )
      .check(z.minLength(1, "must have at least 1 URL; leave `images` out if there is none")),
  ),
});

const request = {
  client_referenceId: z.optional(
    z
      .string()
      .check(
        z.minLength(1, "must not be empty; leave it out to have one generated"),
        z.maxLength(longestReference, `must be at most ${longestReference} characters`),
      ),
  ),
  user: userInput,
  context_token: z.optional(z.string()),
};

/** §4.2, answered whole. */
export const createResponseRequest: z.ZodMiniType<CreateResponseRequest, CreateResponseRequest> = z.strictObject({
  ...request,
  stream: z.optional(z.literal(false, "must be false here; `ai.stream()` reads a stream")),
});

/** §4.2, answered as events. */
export const streamResponseRequest: z.ZodMiniType<StreamResponseParams, StreamResponseParams> = z.strictObject({
  ...request,
  stream: z.optional(z.literal(true, "must be true here; `ai.createResponse()` reads a whole answer")),
});

const content: z.ZodMiniType<AiContent, AiContent> = z.looseObject({ msg_id: z.string(), text: z.string() });
const chunk: z.ZodMiniType<AiContentChunk, AiContentChunk> = z.looseObject({
  msg_id: z.string(),
  text_chunk: z.string(),
});

const response = {
  status: z.string(),
  status_code: z.string(),
  message: z.string(),
  response_status: z.string(),
  context_token: z.string(),
  parent_context_token: z.nullable(z.string()),
  system: content,
};

/** §2.3, a whole answer. */
export const aiResponse: z.ZodMiniType<AiResponse, AiResponse> = z.looseObject(response);

/** §6.1, one schema for each event that the document shows. */
export const responseInitiated: z.ZodMiniType<ResponseInitiated, ResponseInitiated> = z.looseObject({
  ...response,
  event: z.literal("response_initiated"),
  system: z.array(z.unknown()),
});

export const responseOutput: z.ZodMiniType<ResponseOutput, ResponseOutput> = z.looseObject({
  event: z.literal("response_output"),
  status: z.string(),
  status_code: z.string(),
  response_status: z.optional(z.string()),
  sequence_no: z.int(),
  system: chunk,
});

export const responseCompleted: z.ZodMiniType<ResponseCompleted, ResponseCompleted> = z.looseObject({
  ...response,
  event: z.literal("response_completed"),
});

/** The extension is that of the path: a signature may follow it as a query, and one in the query makes no image. */
function isImageUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text)) return false;
  return URL.canParse(text) && imagePath.test(new URL(text).pathname);
}
