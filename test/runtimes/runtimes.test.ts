import pMap from "p-map";
import { beforeAll, describe, expect, it } from "vitest";
import { makeCertificates } from "../support/certificates.ts";
import { known } from "../support/leaks/known.ts";
import { leaksInText } from "../support/leaks/scan.ts";
import { secret } from "../support/secrets.ts";
import { type Observation, observe } from "./drive/observe.ts";
import { findPackage, type PackageUnderTest } from "./drive/package-under-test.ts";
import { run } from "./drive/process.ts";
import { nodes, type Runtime, runtimes } from "./drive/runtimes.ts";
import { exceptions, expected, ownMessages, plainFetch } from "./expected.ts";
import { operationNames } from "./program/context.ts";
import { answers, sampleRequests } from "./service/answers.ts";
import { levelled, spoken, summary } from "./summary.ts";

/** The same program in every runtime, against a service of raw sockets that counts what really arrives. */

const observations = new Map<string, Observation>();
let files: PackageUnderTest;

beforeAll(async () => {
  files = await findPackage();
  if (files.from === "source")
    console.log("dist is not built: the sources are bundled instead, and CommonJS is left out.");
  const { selfSigned } = await makeCertificates();
  const observeNext = async (next: Runtime) => observations.set(next.name, await observe(next, files, selfSigned));
  // Two at a time: a machine of two cores is enough, and deadlines stay far from the noise.
  await pMap(runtimes, observeNext, { concurrency: 2 });
});

function of(runtime: Runtime): Observation {
  const observation = observations.get(runtime.name);
  if (observation === undefined) throw new Error(`${runtime.name} was not observed`);
  return observation;
}

const paths = {
  findVpas: "verification/upimobile_multiple",
  createResponse: "ai/create-response",
  book: "flight/book",
} as const;

describe.each(runtimes)("in $name", (runtime) => {
  const rowOf = (trial: string) => exceptions[runtime.name]?.[trial] ?? expected[trial] ?? [];
  const expectations = Object.keys(expected).flatMap((trial) =>
    rowOf(trial).map((text, i) => ({ trial, operation: operationNames[i], text })),
  );

  it.each(expectations.filter(({ text }) => text !== undefined))("$trial, $operation: $text", (expectation) => {
    const scenario = `${expectation.trial}.${expectation.operation}`;
    const { results, received } = of(runtime);
    expect(summary(results[scenario] ?? {}, received(scenario).length)).toBe(expectation.text);
  });

  it("returns every response as it was sent", () => {
    for (const trial of ["answer", "gzip", "earlyHints"]) {
      for (const operation of operationNames) {
        expect(of(runtime).results[`${trial}.${operation}`]).toEqual({ answer: JSON.parse(answers(paths[operation])) });
      }
    }
  });

  it("sends the params, their length, the credentials and its own name", () => {
    for (const operation of operationNames) {
      const [request] = of(runtime).received(`answer.${operation}`);
      expect(JSON.parse(request?.body ?? "")).toEqual(sampleRequests()[operation]);
      expect(request?.headers).toMatchObject({
        "client-id": "client-1",
        "client-secret": secret,
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(request?.body ?? "")),
        "user-agent": expect.stringMatching(/^serviceapi\/\d+\.\d+\.\d+$/),
      });
      expect(request?.headers).not.toHaveProperty("transfer-encoding");
    }
  });

  it("sends nothing to the target of a redirect, and nothing to a host with a self-signed certificate", () => {
    expect(of(runtime).strays).toBe(0);
  });

  it("ends every aborted connection, even after garbage collection", () => {
    for (const operation of operationNames) {
      for (const trial of ["abortWhileWaiting", "abortWhileReading"]) {
        expect(of(runtime).results[`${trial}.${operation}`]).toHaveProperty("isConnectionClosed", true);
      }
    }
  });

  it("ends a body that the caller reads directly, even after garbage collection", () => {
    expect(of(runtime).results.abortOwnReader).toEqual({ answer: "ended", isConnectionClosed: true });
  });

  it("reads an AI stream to its end", () => {
    const { answer } = of(runtime).results.streamToTheEnd ?? {};
    expect(answer).toMatchObject({ state: "completed", text: expect.stringContaining("नमस्ते") });
  });

  it.each([
    ["streamCut", "StreamTruncatedError unknown, 1 tried, 1 received"],
    ["streamStalled", "StreamStalledError unknown idle, 1 tried, 1 received"],
    ["streamClosed", "ConnectionError unknown, 1 tried, 1 received"],
    ["streamRefused", "AuthenticationError rejected, 1 tried, 1 received"],
    ["streamBusy", "UnexpectedResponseError unknown empty, 3 tried, 3 received"],
    ["streamAborted", "AbortError unknown stream, 1 tried, 1 received"],
  ])("%s: %s", (scenario, text) => {
    const { results, received } = of(runtime);
    expect(summary(results[scenario] ?? {}, received(scenario).length)).toBe(text);
  });

  it("closes the connection when a stream is left by `break` or aborted", () => {
    const { results } = of(runtime);
    expect(results.streamLeft).toMatchObject({ answer: { state: "aborted", isConnectionClosed: true } });
    expect(results.streamAbortedConnection).toEqual({ isConnectionClosed: true });
  });

  it("can be constructed without access to the environment, and the call says what is missing", () => {
    expect(of(runtime).results.withoutEnvironment?.error).toMatchObject({
      name: "ConfigurationError",
      outcome: "notSent",
    });
  });

  it("returns an integer beyond 2^53 as a string of its digits", () => {
    expect(of(runtime).results.longIntegers).toMatchObject({ partner_id: "9007199254740993" });
  });

  it("serves several requests with a client and webhooks that were made when the module was loaded", () => {
    const { results } = of(runtime);
    const calls = {
      findVpas: { answer: "success" },
      createResponse: { answer: "SUCCESS" },
      book: { answer: "SUCCESS" },
    };
    expect(results["globals.first"]).toEqual(calls);
    expect(results["globals.second"]).toEqual(calls);
  });

  it("lets a signed payout notification take effect once, and refuses an unsigned one", () => {
    const { results } = of(runtime);
    const answer = (status: string) => ({
      answers: [
        [200, status],
        [200, "FAILED"],
      ],
      credited: ["order-17"],
    });
    expect(results["webhooks.first"]).toEqual(answer("SUCCESS"));
    expect(results["webhooks.second"]).toEqual(answer("DUPLICATE"));
  });

  it("never prints a secret", () => {
    expect(of(runtime).results.printing).toEqual({ isError: true });
    expect(of(runtime).written).toContain("ServiceApi { baseUrl:");
    expect(leaksInText(known(), "the output", of(runtime).written, "secrets")).toEqual([]);
  });

  it("would resend a POST on its own exactly as docs/runtimes.md says", () => {
    const count = (scenario: string) => of(runtime).received(`plain.${scenario}`).length;
    expect({
      afterLoss: [count("keepThenReset") - 1, count("keepThenClose") - 1],
      after421: count("421"),
    }).toEqual({
      afterLoss: [plainFetch[runtime.name]?.afterLoss, plainFetch[runtime.name]?.afterLoss],
      after421: plainFetch[runtime.name]?.after421,
    });
  });

  it.each(Object.entries(ownMessages))("keeps the runtime's own message for %s", (trial, messages) => {
    const [family = ""] = runtime.name.split(" ");
    expect(spoken(of(runtime).results[`${trial}.book`] ?? {})).toBe(new Map(Object.entries(messages)).get(family));
  });

  it("ends every scenario as Node 24 does, down to kind, attempts and isRetryable", () => {
    const reference = runtimes.find(({ name }) => name === "Node 24") ?? runtime;
    const differing = [runtime, reference].flatMap(({ name }) => Object.keys(exceptions[name] ?? {}));
    const comparable = (observation: Observation) =>
      Object.entries(levelled(observation.results)).filter(([name]) => !differing.includes(name.split(".")[0] ?? ""));
    expect(comparable(of(runtime))).toEqual(comparable(of(reference)));
  });
});

describe.each(nodes)("CommonJS in $name", ({ command }) => {
  it("is loaded by require", async ({ skip }) => {
    const { commonJs } = files;
    if (commonJs === undefined) return skip("the package has not been built");
    const program = `const { ServiceApi, version } = require(${JSON.stringify(commonJs)}); console.log(new ServiceApi(), version);`;
    const { out } = await run(command, ["--input-type=commonjs", "-e", program]);
    expect(out).toMatch(/^ServiceApi \{ baseUrl: .* \} \d+\.\d+\.\d+\n$/);
  });
});
