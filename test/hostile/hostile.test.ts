import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { run } from "../runtimes/drive/process.ts";
import { makeCertificates } from "../support/certificates.ts";
import { operations } from "../support/service-operations.ts";
import { play, type Results } from "./drive.ts";
import { playableIn } from "./expected.ts";
import { hold } from "./hold.ts";
import { operationNames } from "./program/operations.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/index.ts";
import { statuses } from "./scenarios/statuses.ts";

/** Plays them to the build, on the Node that runs this; `npm run test:runtimes` does in the other runtimes. */

const folder = mkdtempSync(join(tmpdir(), "serviceapi-hostile-"));
const program = fileURLToPath(new URL("program/main.ts", import.meta.url));
const entry = (name: string) => new URL(`../../dist/${name}.js`, import.meta.url).href;

/** CI runs this on each line of Node that is supported. */
const node = `Node ${parseInt(process.versions.node, 10)}`;

interface Run {
  readonly flags?: readonly string[];
  readonly entries: readonly string[];
  readonly scenarios: readonly Scenario[];
}

const runs: Readonly<Record<string, Run>> = {
  [node]: { entries: ["index"], scenarios: playableIn(node, scenarios) },
  // `navigator` matters to what Node does under HTTP 421.
  [`${node} without navigator`]: {
    flags: ["--no-experimental-global-navigator"],
    entries: ["index"],
    scenarios: statuses,
  },
  [`nodeFetch on ${node}`]: { entries: ["index", "node"], scenarios: playableIn("nodeFetch", scenarios) },
};

/** Milliseconds; the three runs together take some 35 seconds of processor time. */
const patience = 280_000;

const results = new Map<string, Results>();

beforeAll(async () => {
  const certificates = await makeCertificates();
  const authority = join(folder, "authority.pem");
  writeFileSync(authority, certificates.authority);
  await Promise.all(
    Object.entries(runs).map(async ([name, { flags = [], entries, scenarios }]) => {
      const env = { NODE_EXTRA_CA_CERTS: authority };
      const start = (control: string) =>
        run(process.execPath, [...flags, program, control, ...entries.map(entry)], env, patience);
      results.set(name, await play(scenarios, certificates, start));
    }),
  );
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("plays each operation of the package", () => {
  const methods = operations.map(({ name }) => name.replace(/.*\./, ""));
  expect([...operationNames].sort()).toEqual(methods.sort());
});

for (const [name, { scenarios }] of Object.entries(runs)) {
  hold({ name, tellsRemains: true }, scenarios, () => results.get(name));
}
