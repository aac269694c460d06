import type { ValidationIssue } from "../errors/base.ts";
import { operationOf } from "../operation.ts";
import { type ClientOptions, defaults } from "../options.ts";
import { checkedSchema } from "../shared/validate.ts";
import { aiResponse, createResponseRequest, streamResponseRequest } from "./schemas.ts";
import type { AiResponse, CreateResponseRequest, StreamResponseParams } from "./types.ts";

const endpoint = {
  area: "ai",
  path: "ai/create-response",
  body: checkedSchema(aiResponse),
  essential: ["context_token", "system.text"],
  echo: [
    {
      response: "parent_context_token",
      request: "context_token",
      onMismatch: "warning",
      code: "parent_token_mismatch",
      required: true,
    },
  ],
  retry: "ifNotProcessed",
  validateParams: checkContextToken,
} as const;

/** The operation that returns a whole response (§4.2). */
export const createResponse = operationOf<CreateResponseRequest, AiResponse>({
  ...endpoint,
  name: "ai.createResponse",
  params: checkedSchema(createResponseRequest),
  timeout: 120_000,
});

/**
 * The operation that streams a response as events (§6.1). Its timeout is that of the headers (docs/assumptions.md, D1).
 */
export const streamResponse = operationOf<StreamResponseParams, AiResponse>({
  ...endpoint,
  name: "ai.stream",
  params: checkedSchema(streamResponseRequest),
  normalize: (params) => ({ ...params, stream: params.stream ?? true }),
  timeout: 60_000,
});

const documentedToken = defaults.validation.contextToken;
const documentedForm = "must be the `context_token` of an earlier response: `svc_` followed by letters and digits";

/** The pattern is an option of the client (docs/assumptions.md, I6), and therefore not in the schema. */
function checkContextToken(
  { context_token: token }: CreateResponseRequest,
  { validation }: ClientOptions,
): readonly ValidationIssue[] {
  const pattern = validation?.contextToken ?? documentedToken;
  // `search` ignores `lastIndex`, which a pattern with the flag `g` keeps between calls.
  if (pattern === false || typeof token !== "string" || token.search(pattern) !== -1) return [];
  const message = pattern === documentedToken ? documentedForm : "does not match `validation.contextToken`";
  return [{ path: ["context_token"], message, code: "invalid_format" }];
}
