import { describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { answers, startServer } from "../support/server.ts";

/** Books and asks for a response, in a separate Node process with these flags. Returns what it prints. */
async function callOnce(url: string, flags: readonly string[], before = ""): Promise<string> {
  const program = `
    import { quoteToken, ServiceApi } from ${JSON.stringify(new URL("../../src/index.ts", import.meta.url).href)};
    ${before}
    const api = new ServiceApi({ baseUrl: ${JSON.stringify(url)}, clientId: "c", clientSecret: "a-long-secret" });
    const off = { validation: { request: "off" } };
    const told = (error) => console.log(error.name, error.outcome);
    await api.flights.book({ trace_id: "t", token: quoteToken("q"), passengers: [] }, off).catch(told);
    await api.ai.createResponse({ user: { text: "Hello" } }).catch(told);
  `;
  return (await runProgram("--import", ["tsx", ...flags, "--input-type=module", "-e", program])).output;
}

describe("HTTP 421, after which Node re-sends a request: a booking and a response are requested once", () => {
  it.each<[string, readonly string[], string]>([
    ["as it is", [], ""],
    ["without `navigator`", ["--no-experimental-global-navigator"], ""],
    [
      "with a `navigator` of somebody else",
      [],
      'Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Mozilla/5.0" } });',
    ],
    ["with the `document` of jsdom", [], "globalThis.document = {};"],
  ])("Node %s", async (_case, flags, before) => {
    const server = await startServer(answers(421, {}));
    const output = await callOnce(server.url, flags, before);
    expect(output).toBe("BookingOutcomeUnknownError unknown\nApiError rejected\n");
    expect(server.requests.map(({ path }) => path.split("/").at(-1))).toEqual(["book", "create-response"]);
    expect(server.requests[0]?.headers["content-length"]).toBe(String(server.requests[0]?.body.length));
  });
});
