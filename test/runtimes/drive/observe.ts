import { dirname, join } from "node:path";
import type { TlsOptions } from "node:tls";
import { pathToFileURL } from "node:url";
import { secret } from "../../support/secrets.ts";
import type { Settings } from "../program/context.ts";
import type { Outcome } from "../program/describe.ts";
import { parts } from "../program/run.ts";
import { sampleRequests } from "../service/answers.ts";
import { RawService, type Received } from "../service/server.ts";
import type { PackageUnderTest } from "./package-under-test.ts";
import { here } from "./paths.ts";
import type { Program } from "./program.ts";
import type { Runtime } from "./runtimes.ts";

/** The results of one runtime: what the program printed, and what really arrived at the service. */
export interface Observation {
  readonly results: Readonly<Record<string, Outcome & Record<string, unknown>>>;
  readonly received: (scenario: string) => readonly Received[];
  /** Number of requests to the host that redirects point to, and to the one with the self-signed certificate. */
  readonly strays: number;
  /** Everything that was written, to look for secrets in. */
  readonly written: string;
}

/** Runs the program in one runtime, against separate services. */
export async function observe(
  runtime: Runtime,
  files: PackageUnderTest,
  unsignedTls: TlsOptions,
): Promise<Observation> {
  const [service, unsigned, elsewhere, gone] = await Promise.all([
    RawService.start(),
    RawService.start(unsignedTls),
    RawService.start(),
    RawService.start(),
  ]);
  service.elsewhere = `http://127.0.0.1:${elsewhere.port}`;
  const refused = `http://127.0.0.1:${gone.port}`;
  await gone.stop();
  try {
    const settings: Settings = {
      http: `http://127.0.0.1:${service.port}`,
      https: `https://127.0.0.1:${unsigned.port}`,
      refused,
      secret,
      requests: sampleRequests(),
    };
    const { out, err } = await runtime.run(programOf(files, settings));
    return {
      results: readResults(out),
      received: (scenario) => service.received(scenario),
      strays: elsewhere.count + unsigned.count,
      written: out + err,
    };
  } finally {
    await Promise.all([service.stop(), unsigned.stop(), elsewhere.stop()]);
  }
}

function programOf({ serviceapi, webhooks }: PackageUnderTest, settings: Settings): Program {
  return {
    file: join(here, "program/main.ts"),
    args: [JSON.stringify(settings), pathToFileURL(serviceapi).href, pathToFileURL(webhooks).href],
    reads: [here, dirname(serviceapi)],
    worker: `
      import * as serviceapi from ${JSON.stringify(serviceapi)};
      import * as webhooks from ${JSON.stringify(webhooks)};
      import { createWorker } from "./program/worker.ts";
      export default createWorker({ serviceapi, webhooks }, ${JSON.stringify(settings)});`,
    requests: Object.keys(parts),
  };
}

function readResults(out: string): Observation["results"] {
  const lines = out.split("\n").filter((line) => line.startsWith('{"scenario":'));
  return Object.fromEntries(lines.map((line) => JSON.parse(line)).map(({ scenario, result }) => [scenario, result]));
}
