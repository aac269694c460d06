import { defaults } from "../options.ts";
import {
  array,
  formatted,
  int,
  literal,
  looseObject,
  notEmpty,
  nullable,
  optional,
  refined,
  strictObject,
  string,
  unknown,
} from "../shared/schema.ts";
import { isUsualOutput } from "./events.ts";
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

const imagePath = /\.(?:jpe?g|png|webp|gif)$/i;

/**
 * Returns whether a string is the http or https URL of an image. The extension is that of the path: a signature may
 * follow it as a query, and an extension in the query does not count.
 */
export function isImageUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text)) return false;
  return URL.canParse(text) && imagePath.test(new URL(text).pathname);
}

const imageUrl = refined(
  string,
  { test: isImageUrl },
  "must be an http or https URL whose path ends in .jpg, .jpeg, .png, .webp or .gif",
);

const userInput = strictObject<AiUserInput>({
  text: refined(string, /\S/, "must not be empty"),
  images: optional(notEmpty(array(imageUrl), "must have at least 1 URL; leave `images` out if there are none")),
});

const reference = notEmpty(string, "must not be empty; leave it out to have one generated");
const request = {
  // §8. A string of 30 units is short enough however its characters are counted.
  client_referenceId: optional(
    refined(reference, { test: ({ length }) => length <= 30 }, "must be at most 30 characters"),
  ),
  user: userInput,
  context_token: optional(string),
};

/** The request for a whole response (§4.2). */
export const createResponseRequest = strictObject<CreateResponseRequest>({
  ...request,
  stream: optional(literal(false, "must be false here; call `ai.stream()` for a stream")),
});

/** The request for a stream (§4.2). */
export const streamResponseRequest = strictObject<StreamResponseParams>({
  ...request,
  stream: optional(literal(true, "must be true here; call `ai.createResponse()` for a whole response")),
});

const content = looseObject<AiContent>({ msg_id: string, text: string });
const chunk = looseObject<AiContentChunk>({ msg_id: string, text_chunk: string });

const response = {
  status: string,
  status_code: string,
  message: string,
  response_status: string,
  context_token: string,
  parent_context_token: nullable(string),
  system: content,
};

const ofSvc = "is not `svc_` followed by letters and digits";
const token = formatted(defaults.validation.contextToken, ofSvc, refined(string, /\S/, "is empty"));

const completed = {
  ...response,
  response_status: refined(string, /^completed$/, 'is not "completed"', { code: "unexpected_value" }),
  context_token: token,
  parent_context_token: nullable(token),
};

/** A whole response (§2.3). */
export const aiResponse = looseObject<AiResponse>(completed);

// One schema for each event that the document shows (§6.1).

export const responseInitiated = looseObject<ResponseInitiated>({
  ...response,
  event: literal("response_initiated"),
  system: array(unknown),
});

export const responseOutput = looseObject<ResponseOutput>(
  {
    event: literal("response_output"),
    status: string,
    status_code: string,
    response_status: optional(string),
    sequence_no: int,
    system: chunk,
  },
  isUsualOutput,
);

export const responseCompleted = looseObject<ResponseCompleted>({
  ...completed,
  event: literal("response_completed"),
  status_code: refined(string, /^(?!0*[45]\d\d$)/, "is the code of a refusal, beside a success", {
    code: "unexpected_value",
  }),
});
