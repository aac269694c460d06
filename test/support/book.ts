import { quoteToken, type RequestOptions, type ServiceApi } from "../../src/index.ts";

/** Books without passengers, which only a client sends that does not check it. */
export const bookUnchecked = (api: ServiceApi, options: RequestOptions = {}) =>
  api.flights.book(
    { trace_id: "t", token: quoteToken("q"), passengers: [] },
    { ...options, validation: { ...options.validation, request: "off" } },
  );
