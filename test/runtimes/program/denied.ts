import { argv } from "node:process";

/** Runs without access to the network and the environment: what is the outcome of a call? */
const [, , entry = "", clientSecret = ""] = argv;
const { isServiceApiError, quoteToken, ServiceApi } = (await import(entry)) as typeof import("../../../src/index.ts");

const credentials = { clientId: "client-1", clientSecret };
const fare = { trace_id: "t", token: "t" };
const params = { trace_id: "t", token: quoteToken("q"), passengers: [] };
const prompt = { user: { text: "Hello" } };

const told = (error: unknown) => {
  if (!isServiceApiError(error)) throw error;
  const { name, outcome, attempts, isRetryable, message } = error;
  return { name, outcome, attempts, isRetryable, message };
};

const results: Record<string, unknown> = {};
for (const [kind, baseUrl] of Object.entries({ name: "https://api.example.com", address: "https://192.0.2.1:8443" })) {
  const api = new ServiceApi({ baseUrl, ...credentials });
  const calls = {
    findVpas: () => api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }),
    createResponse: () => api.ai.createResponse(prompt),
    stream: () => api.ai.stream(prompt).finalText(),
    fareQuote: () => api.flights.fareQuote(fare),
    fareRule: () => api.flights.fareRule(fare),
    book: () => api.flights.book(params, { validation: { request: "off" } }),
  };
  for (const [operation, call] of Object.entries(calls)) {
    results[`${kind}.${operation}`] = await call().then(() => "a response", told);
  }
}
results.baseUrl = await new ServiceApi(credentials).flights.fareQuote(fare).catch(told);
console.log(JSON.stringify(results));
