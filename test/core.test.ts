import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { Ai } from "../src/ai/index.ts";
import { Client } from "../src/core.ts";
import { createEmulator } from "../src/emulator/emulator.ts";
import { ConfigurationError } from "../src/errors/index.ts";
import { Flights } from "../src/flights/index.ts";
import { ServiceApi } from "../src/index.ts";
import { findVpas } from "../src/verification/index.ts";
import { expectNoSecret, secret } from "./support/secrets.ts";

const emulator = createEmulator();
const options = {
  baseUrl: "https://emulator.example",
  clientId: "client",
  clientSecret: secret,
  fetch: emulator.fetch,
};
const client = new Client(options);

describe("a client without namespaces", () => {
  it("sends the operations that are passed to it", async () => {
    const { vpaList } = await client.send(findVpas, { vpa_mobile: "6000000001", consent: "Y" });
    expect(vpaList.length).toBeGreaterThan(0);
  });

  it("serves the namespaces of an area", async () => {
    expect(await new Ai(client).stream({ user: { text: "Hello" } }).finalText()).not.toBe("");
    expect((await new Flights(client).fareQuote(emulator.seedSearch())).data.result).toHaveLength(1);
  });

  it("is what ServiceApi is built on", () => {
    expect(new ServiceApi(options)).toBeInstanceOf(Client);
    expect(new ServiceApi(options).withOptions({})).toBeInstanceOf(ServiceApi);
    expect(client.withOptions({})).not.toBeInstanceOf(ServiceApi);
  });

  it("takes over the options of the client that it is derived from", async () => {
    const other = client.withOptions({ clientSecret: "wrong-secret" });
    await expect(other.send(findVpas, { vpa_mobile: "6000000001", consent: "Y" })).rejects.toMatchObject({
      name: "AuthenticationError",
    });
  });

  it("refuses the option of an area that it does not have", () => {
    const withWebhooks = { webhooks: {} } as object;
    expect(() => new Client(withWebhooks)).toThrow(ConfigurationError);
    expect(() => new Client(withWebhooks)).toThrow(/^Client: unknown option "webhooks"/);
    expect(() => client.withOptions(withWebhooks)).toThrow(/^Client: unknown option "webhooks"/);
  });

  it("is what a namespace needs", () => {
    for (const Namespace of [Ai, Flights]) {
      for (const other of [{}, undefined, { send: () => {} }]) {
        expect(() => new Namespace(other as never)).toThrow(/^new \w+\(\): the first argument must be a client/);
      }
    }
  });

  it("is one of the same copy of the package", async () => {
    vi.resetModules();
    const copy = await import("../src/core.ts");
    expect(() => new Flights(new copy.Client(options) as never)).toThrow(/made by another copy of serviceapi/);
  });

  it("shows no credential", () => {
    expectNoSecret(inspect(client, { depth: 5, showHidden: true }));
    expectNoSecret(inspect(client, { depth: 9, showHidden: true, customInspect: false }));
    expectNoSecret(JSON.stringify(client));
    expect(Reflect.ownKeys(client)).toEqual([]);
    expect(inspect(client)).toBe('Client { baseUrl: "https://emulator.example" }');
  });
});
