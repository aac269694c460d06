// Generated from the zod schemas by scripts/generate-checks.ts: do not edit.
import { hasOnlyFields, isInteger, isListOf, isObject, isString } from "../shared/checks.ts";
import { isCompleted, isContextToken, isImageUrl, isNotBlank, isShortReference } from "./rules.ts";

function isAiResponseSystem(value: unknown): boolean {
  return isObject(value) && isString(value.msg_id) && isString(value.text);
}

export function isAiResponse(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.status) &&
    isString(value.status_code) &&
    isString(value.message) &&
    isString(value.response_status) &&
    isCompleted(value.response_status) &&
    isString(value.context_token) &&
    isContextToken(value.context_token) &&
    (value.parent_context_token === null ||
      (isString(value.parent_context_token) && isContextToken(value.parent_context_token))) &&
    isAiResponseSystem(value.system)
  );
}

function isCreateResponseRequestUser(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.text) &&
    isNotBlank(value.text) &&
    (value.images === undefined ||
      (isListOf(value.images, (element) => isString(element) && isImageUrl(element)) && value.images.length > 0)) &&
    hasOnlyFields(value, ["text", "images"])
  );
}

export function isCreateResponseRequest(value: unknown): boolean {
  return (
    isObject(value) &&
    (value.client_referenceId === undefined ||
      (isString(value.client_referenceId) &&
        value.client_referenceId.length > 0 &&
        isShortReference(value.client_referenceId))) &&
    isCreateResponseRequestUser(value.user) &&
    (value.context_token === undefined || isString(value.context_token)) &&
    (value.stream === undefined || value.stream === false) &&
    hasOnlyFields(value, ["client_referenceId", "user", "context_token", "stream"])
  );
}

export function isResponseCompleted(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.status) &&
    isString(value.status_code) &&
    isString(value.message) &&
    isString(value.response_status) &&
    isString(value.context_token) &&
    (value.parent_context_token === null || isString(value.parent_context_token)) &&
    isAiResponseSystem(value.system) &&
    value.event === "response_completed"
  );
}

export function isResponseInitiated(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.status) &&
    isString(value.status_code) &&
    isString(value.message) &&
    isString(value.response_status) &&
    isString(value.context_token) &&
    (value.parent_context_token === null || isString(value.parent_context_token)) &&
    Array.isArray(value.system) &&
    value.event === "response_initiated"
  );
}

function isResponseOutputSystem(value: unknown): boolean {
  return isObject(value) && isString(value.msg_id) && isString(value.text_chunk);
}

export function isResponseOutput(value: unknown): boolean {
  return (
    isObject(value) &&
    value.event === "response_output" &&
    isString(value.status) &&
    isString(value.status_code) &&
    (value.response_status === undefined || isString(value.response_status)) &&
    isInteger(value.sequence_no) &&
    isResponseOutputSystem(value.system)
  );
}

export function isStreamResponseRequest(value: unknown): boolean {
  return (
    isObject(value) &&
    (value.client_referenceId === undefined ||
      (isString(value.client_referenceId) &&
        value.client_referenceId.length > 0 &&
        isShortReference(value.client_referenceId))) &&
    isCreateResponseRequestUser(value.user) &&
    (value.context_token === undefined || isString(value.context_token)) &&
    (value.stream === undefined || value.stream === true) &&
    hasOnlyFields(value, ["client_referenceId", "user", "context_token", "stream"])
  );
}
