import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createEmulator } from "../../src/emulator/emulator.ts";
import { quoteToken, ServiceApi } from "../../src/index.ts";
import { memoryStore, Webhooks } from "../../src/webhooks/index.ts";
import { samplePassengers } from "../flights/offers.ts";
import { serviceapi } from "../support/command.ts";
import { operations } from "../support/service-operations.ts";
import { eventOf } from "../webhooks/support.ts";

type Content = Readonly<Record<string, { readonly schema: z.core.JSONSchema.JSONSchema }>>;
interface Post {
  readonly operationId: string;
  readonly requestBody: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly post: Post }>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Post }>>;
}

describe("serviceapi schema", () => {
  const document: Document = JSON.parse(readFileSync("dist/openapi.json", "utf8"));
  const issuesOf = (content: Content | undefined, body: unknown, type = "application/json") =>
    z.fromJSONSchema(content?.[type]?.schema ?? expect.unreachable()).safeParse(body).error?.issues;

  it("prints openapi.json of the package", async () => {
    expect(JSON.parse((await serviceapi(["schema"])).stdout)).toEqual(document);
  });

  /** A client of the emulator, and the bodies of its calls. */
  function start() {
    const emulator = createEmulator({ pace: 0 });
    const seen: { readonly path: string; readonly request: unknown; readonly response: Response }[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await emulator.fetch(input, init);
      const [{ pathname: path }, request] = [new URL(String(input)), JSON.parse(String(init?.body))];
      seen.push({ path, request, response: response.clone() });
      return response;
    };
    const credentials = { clientId: "demo-client", clientSecret: "demo-secret" };
    const api = new ServiceApi({ ...credentials, baseUrl: "https://service.example", fetch });
    return { api, seen, search: emulator.seedSearch() };
  }

  it("describes each request that the client sends, and each response of the service", async () => {
    const { api, seen, search } = start();
    const [offer] = (await api.flights.fareQuote(search)).data.result;
    const passengers = samplePassengers("oneway-adult");
    await api.flights.fareRule(search);
    await api.flights.book({ trace_id: search.trace_id, token: quoteToken(offer?.token ?? ""), passengers });
    await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
    await api.ai.createResponse({ user: { text: "Hello" } });
    expect(seen.map(({ path }) => path).sort()).toEqual(Object.keys(document.paths).sort());
    const names = operations.map(({ name }) => name).filter((name) => name !== "ai.stream");
    expect(Object.values(document.paths).map(({ post }) => post.operationId)).toEqual(expect.arrayContaining(names));
    for (const { path, request, response } of seen) {
      const { requestBody, responses } = document.paths[path]?.post ?? expect.unreachable(path);
      expect(issuesOf(requestBody.content, request), path).toBeUndefined();
      expect(issuesOf(requestBody.content, {}), path).not.toBeUndefined();
      expect(issuesOf(responses[200]?.content, await response.json()), path).toBeUndefined();
      expect(issuesOf(responses[200]?.content, {}), path).not.toBeUndefined();
    }
  });

  it("describes the events of a stream", async () => {
    const { api } = start();
    const { content } = document.paths["/api/serviceapi-prod/api/ai/create-response"]?.post.responses[200] ?? {};
    for await (const event of api.ai.stream({ user: { text: "Hello" } }))
      expect(issuesOf(content, event, "text/event-stream")).toBeUndefined();
  });

  it("describes notifications and acknowledgements", async () => {
    const { requestBody, responses } = document.webhooks.payout?.post ?? expect.unreachable();
    const receive = new Webhooks({ auth: "none", store: memoryStore(), findOrder: "none" }).handler({
      ...{ SUCCESS() {}, FAILED() {}, REJECTED() {} },
    });
    for (const status of ["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"]) {
      const event = eventOf(status, { client_referenceId: status });
      expect(issuesOf(requestBody.content, event)).toBeUndefined();
      const { body } = await receive.receive({ headers: {}, body: JSON.stringify(event) });
      expect(issuesOf(responses[200]?.content, JSON.parse(body))).toBeUndefined();
    }
    expect(issuesOf(requestBody.content, eventOf("SUCCESS", { utr: undefined }))).not.toBeUndefined();
    expect(issuesOf(requestBody.content, eventOf("FAILED", { utr: "UTR1" }))).not.toBeUndefined();
    expect(issuesOf(responses[200]?.content, { status: "SUCCESS" })).not.toBeUndefined();
  });
});
