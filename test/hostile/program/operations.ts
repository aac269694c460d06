import type {
  BookParams,
  CreateResponseParams,
  FareQuoteParams,
  FareRuleParams,
  FindVpasParams,
  RequestOptions,
  ServiceApi,
} from "../../../src/index.ts";

/** The params of each operation. */
export interface Requests {
  readonly findVpas: FindVpasParams;
  readonly createResponse: Omit<CreateResponseParams, "stream">;
  readonly fareQuote: FareQuoteParams;
  readonly fareRule: FareRuleParams;
  readonly book: BookParams;
}

export type OperationName = keyof Requests | "stream";

type Send = (api: ServiceApi, requests: Requests, options: RequestOptions) => PromiseLike<unknown>;

/** Every operation of the service; `stream` is read to its end. */
export const operations: Readonly<Record<OperationName, Send>> = {
  findVpas: (api, { findVpas }, options) => api.verification.findVpas(findVpas, options),
  fareQuote: (api, { fareQuote }, options) => api.flights.fareQuote(fareQuote, options),
  fareRule: (api, { fareRule }, options) => api.flights.fareRule(fareRule, options),
  createResponse: (api, { createResponse }, options) => api.ai.createResponse(createResponse, options),
  stream: (api, { createResponse }, options) => api.ai.stream(createResponse, options).finalText(),
  book: (api, { book }, options) => api.flights.book(book, options),
};

export const operationNames = Object.keys(operations) as readonly OperationName[];
