import { describe, expect, it } from "vitest";
import { ApiError, ConfigurationError } from "../../src/errors/index.ts";
import type { ClientEvent } from "../../src/index.ts";
import { clientOf, failureOf, nowhere } from "../support/client.ts";
import { gate } from "../support/gate.ts";
import { ifNotProcessed, made, never, safe } from "../support/operations.ts";
import { secret } from "../support/secrets.ts";
import { serve } from "../support/serve.ts";
import { answers, startServer, succeeds } from "../support/server.ts";
import { throws } from "../support/throws.ts";

describe("a redirect is never followed, because the credentials would travel with it", () => {
  it.each([300, 301, 302, 303, 304, 307, 308, 399])(
    "HTTP %i to another host is an ApiError, and the other host receives nothing",
    async (status) => {
      const other = await startServer(succeeds);
      const { server, api } = await serve(answers(status, "", { location: `${other.url}/flight/made` }));
      const error = await failureOf(api.send(safe, { name: "ASHA" }), ApiError);
      expect(error).toMatchObject({
        httpStatus: status,
        kind: "unknown",
        outcome: "rejected",
        isRetryable: false,
        attempts: 1,
      });
      expect(error.message).toContain(new URL(other.url).host);
      expect(error.message).toContain(`HTTP ${status}`);
      expect(server.requests).toHaveLength(1);
      expect(other.requests).toHaveLength(0);
      expect(other.sockets.size).toBe(0);
    },
  );

  it("the connection is closed also if a hook of the operation throws", async () => {
    const { server, api } = await serve((response) => response.writeHead(302, { location: "/x" }).write("never ends"));
    const isRejection = throws(new Error("hook"));
    const error = await failureOf(api.send(made({ retry: "safe", isRejection }), {}), ConfigurationError);
    expect(error).toMatchObject({ outcome: "unknown", attempts: 1 });
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  it.each([
    [303, "a success", { status: "SUCCESS" }],
    [303, "nothing", ""],
    [302, "a success", { status: "SUCCESS" }],
  ])("HTTP %i with %s says that a call other than a look-up was carried out", async (status, _case, body) => {
    const { api } = await serve(answers(status, body, { location: "/made/7" }));
    const error = await failureOf(api.send(ifNotProcessed, {}), ApiError);
    expect(error).toMatchObject({ outcome: "unknown", attempts: 1 });
  });

  it("nor is one to the same host", async () => {
    const { server, api } = await serve(answers(307, "", { location: "/elsewhere" }));
    const error = await failureOf(api.send(safe, {}), ApiError);
    expect(error.message).toContain(new URL(server.url).host);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["without a Location", {}],
    ["with one that is no address", { location: "http://" }],
  ])("%s it says that the target is not named", async (_case, headers) => {
    const { api } = await serve(answers(302, "", headers));
    const error = await failureOf(api.send(safe, {}), ApiError);
    expect(error.message).toContain("redirects to a URL that it does not name");
  });

  it("does not print a token in the target", async () => {
    const { api } = await serve(
      answers(302, "", { location: `https://other.example/?s=${encodeURIComponent(secret)}` }),
    );
    await expect(api.send(safe, {})).rejects.toThrow(/redirects to other\.example \(HTTP 302\)/);
  });

  it("treats the opaque redirect of browsers (status 0) as one", async () => {
    const opaque = Object.defineProperty(Response.error(), "type", { value: "opaqueredirect" });
    const api = clientOf(nowhere, { fetch: async () => opaque });
    const error = await failureOf(api.send(safe, {}), ApiError);
    expect(error).toMatchObject({ httpStatus: 0, isRetryable: false });
    expect(error.message).toContain("Redirects are not followed");
  });

  it("asResponse() does not return one either", async () => {
    const server = await startServer(answers(308, "", { location: "https://other.example" }));
    await failureOf(clientOf(server).send(safe, {}).asResponse(), ApiError);
    const ended = gate();
    const onEvent = ({ type }: ClientEvent) => type === "error" && ended.open();
    const call = clientOf(server, { onEvent }).send(safe, {});
    await ended.opened;
    await failureOf(call.asResponse(), ApiError);
  });

  it("refuses the response of a custom fetch that followed one, and does not claim that a booking was not made", async () => {
    const other = await startServer(succeeds);
    const follows: typeof fetch = (url, init) => fetch(url, { ...init, redirect: "follow" });
    const { api } = await serve(answers(307, "", { location: other.url }), { fetch: follows });
    const error = await failureOf(api.send(never, {}), ApiError);
    expect(other.requests).toHaveLength(1);
    expect(error.outcome).toBe("unknown");
    expect(error.message).toContain(new URL(other.url).host);
  });
});
