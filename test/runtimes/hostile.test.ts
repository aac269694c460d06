import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll } from "vitest";
import { play, type Results } from "../hostile/drive.ts";
import { playableIn } from "../hostile/expected.ts";
import { hold } from "../hostile/hold.ts";
import { scenarios } from "../hostile/scenarios/index.ts";
import { type Certificates, makeCertificates } from "../support/certificates.ts";
import { findPackage, type PackageUnderTest } from "./drive/package-under-test.ts";
import { build, root } from "./drive/paths.ts";
import { run } from "./drive/process.ts";
import type { Program } from "./drive/program.ts";
import { nodes, type Runtime, runtimes } from "./drive/runtimes.ts";

/** The hostile servers of test/hostile, and the published package in every runtime. */

const hostile = join(root, "test/hostile");
const authority = join(build, "hostile-authority.pem");

/** Milliseconds for one runtime, which takes about ten seconds on a machine that does nothing else. */
const patience = 200_000;

const withoutNavigator: readonly Runtime[] = nodes.map(({ name, command }) => ({
  name: `${name} without navigator`,
  tellsRemains: true,
  run: ({ file, args }) =>
    run(
      command,
      ["--no-experimental-global-navigator", "--disable-warning=ExperimentalWarning", file, ...args],
      {
        NODE_EXTRA_CA_CERTS: authority,
      },
      patience,
    ),
}));

const played = [...runtimes, ...withoutNavigator];
const results = new Map<string, Results>();

beforeAll(async () => {
  const [files, certificates] = await Promise.all([findPackage(), makeCertificates()]);
  mkdirSync(build, { recursive: true });
  writeFileSync(authority, certificates.authority);
  // One at a time: the deadlines of the scenarios are short.
  for (const runtime of played) results.set(runtime.name, await playTo(runtime, files, certificates));
}, played.length * patience);

function playTo(runtime: Runtime, files: PackageUnderTest, certificates: Certificates): Promise<Results> {
  return play(playableIn(runtime.name, scenarios), certificates, (control) => runtime.run(programOf(files, control)));
}

function programOf({ serviceapi }: PackageUnderTest, control: string): Program {
  return {
    file: join(hostile, "program/main.ts"),
    args: [control, pathToFileURL(serviceapi).href],
    reads: [hostile, join(root, "test/support/leaks"), dirname(serviceapi)],
    worker: `
      import * as serviceapi from ${JSON.stringify(serviceapi)};
      import { createWorker } from ${JSON.stringify(join(hostile, "program/worker.ts"))};
      export default createWorker(serviceapi, ${JSON.stringify(control)});`,
    requests: ["run"],
    authority,
    patience,
  };
}

for (const runtime of played) hold(runtime, playableIn(runtime.name, scenarios), () => results.get(runtime.name));
