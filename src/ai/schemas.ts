import * as z from "zod/mini";
import { expected } from "../shared/expected.ts";
import { isCompleted, isContextToken, isImageUrl, isNotBlank, isShortReference, maxReferenceLength } from "./rules.ts";
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

const userInput: z.ZodMiniType<AiUserInput, AiUserInput> = z.strictObject({
  text: z.string().check(z.refine(isNotBlank, "must not be empty")),
  images: z.optional(
    z
      .array(
        z
          .string()
          .check(
            z.refine(isImageUrl, "must be an http or https URL whose path ends in .jpg, .jpeg, .png, .webp or .gif"),
          ),
      )
      .check(z.minLength(1, "must have at least 1 URL; leave `images` out if there are none")),
  ),
});

const request = {
  client_referenceId: z.optional(
    z
      .string()
      .check(
        z.minLength(1, "must not be empty; leave it out to have one generated"),
        z.refine(isShortReference, `must be at most ${maxReferenceLength} characters`),
      ),
  ),
  user: userInput,
  context_token: z.optional(z.string()),
};

/** The request for a whole response (§4.2). */
export const createResponseRequest: z.ZodMiniType<CreateResponseRequest, CreateResponseRequest> = z.strictObject({
  ...request,
  stream: z.optional(z.literal(false, "must be false here; call `ai.stream()` for a stream")),
});

/** The request for a stream (§4.2). */
export const streamResponseRequest: z.ZodMiniType<StreamResponseParams, StreamResponseParams> = z.strictObject({
  ...request,
  stream: z.optional(z.literal(true, "must be true here; call `ai.createResponse()` for a whole response")),
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

const token = z.string().check(expected(isContextToken, "is not `svc_` followed by letters and digits"));

/** A whole response (§2.3). */
export const aiResponse: z.ZodMiniType<AiResponse, AiResponse> = z.looseObject({
  ...response,
  response_status: z.string().check(expected(isCompleted, 'is not "completed"', { code: "unexpected_value" })),
  context_token: token,
  parent_context_token: z.nullable(token),
});

// One schema for each event that the document shows (§6.1).

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
