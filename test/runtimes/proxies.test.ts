import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import pMap from "p-map";
import { beforeAll, describe, expect, it } from "vitest";
import { play, type Results } from "../hostile/drive.ts";
import { playableIn } from "../hostile/expected.ts";
import { hold } from "../hostile/hold.ts";
import { type Certificates, makeCertificates } from "../support/certificates.ts";
import { findPackage, type PackageUnderTest } from "./drive/package-under-test.ts";
import { build, root } from "./drive/paths.ts";
import type { Program } from "./drive/program.ts";
import { type Runtime, runtimes } from "./drive/runtimes.ts";
import { ProxyServer } from "./proxies/proxy-server.ts";
import { scenarios } from "./proxies/scenarios.ts";

/** Proxies that refuse, cut and stay silent, and the published package in each runtime that can be given a proxy. */

/** A runtime, and the `fetch` that it calls through the proxy. */
interface Client {
  readonly name: string;
  readonly runtime: Runtime;
  readonly isNodeFetch: boolean;
}

/** All but workerd, which reads no environment and has no option for a proxy. */
const proxied = runtimes.filter(({ name }) => !name.startsWith("workerd"));

const clients: readonly Client[] = [
  ...proxied.map((runtime) => ({ name: runtime.name, runtime, isNodeFetch: false })),
  ...proxied
    .filter(({ name }) => name.startsWith("Node"))
    .map((runtime) => ({ name: `nodeFetch on ${runtime.name}`, runtime, isNodeFetch: true })),
];

const hostile = join(root, "test/hostile");
const authority = join(build, "proxies-authority.pem");

/** Milliseconds for one client, which takes about five seconds on a machine that does nothing else. */
const patience = 100_000;

const results = new Map<string, Results>();
/** The output of all programs. */
let written = "";

beforeAll(async () => {
  const [files, certificates] = await Promise.all([findPackage(), makeCertificates()]);
  mkdirSync(build, { recursive: true });
  writeFileSync(authority, certificates.authority);
  const playNext = async (client: Client) => results.set(client.name, await playTo(client, files, certificates));
  // Two at a time: the deadlines of the scenarios are short.
  await pMap(clients, playNext, { concurrency: 2 });
}, clients.length * patience);

async function playTo(client: Client, files: PackageUnderTest, certificates: Certificates): Promise<Results> {
  const { runtime } = client;
  // Deno looks a name up before it asks the proxy, so it gets an address for documentation (RFC 5737).
  const proxy = await ProxyServer.start(runtime.name === "Deno" ? "192.0.2.1" : "service.test");
  const start = async (control: string) => {
    const output = await runtime.run(programOf(client, files, control, proxy.url));
    written += output.out + output.err;
    return output;
  };
  try {
    return await play(playableIn(client.name, scenarios), certificates, start, proxy);
  } finally {
    await proxy.stop();
  }
}

function programOf({ isNodeFetch }: Client, { serviceapi }: PackageUnderTest, control: string, proxy: string): Program {
  const folder = dirname(serviceapi);
  const nodeFetch = [pathToFileURL(join(folder, "node.js")).href, proxy];
  const environment = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: "127.0.0.1" };
  return {
    file: join(hostile, "program/main.ts"),
    args: [control, pathToFileURL(serviceapi).href, ...(isNodeFetch ? nodeFetch : [])],
    reads: [hostile, join(root, "test/support/leaks"), folder],
    worker: "",
    requests: [],
    authority,
    env: isNodeFetch ? {} : environment,
    patience,
  };
}

for (const { name, runtime } of clients) {
  const { tellsRemains } = runtime;
  hold({ name, tellsRemains }, playableIn(name, scenarios), () => results.get(name));
}

describe("the credentials of a proxy", () => {
  it("are in no output of a runtime", () => {
    expect(results.size).toBe(clients.length);
    expect(written).not.toMatch(/pr0xy-never-printed|partner-7/);
  });
});
