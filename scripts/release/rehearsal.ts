import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inCommonJs, inModules, inOneLine, overHttp } from "./first-response.ts";
import { commandsFor, type Run } from "./npm.ts";
import { startRegistry } from "./registry.ts";

/** A rehearsal of a release, on this machine. */
export interface Rehearsal {
  /** The project that is packed, as it was built. */
  readonly project: string;
  /** Node binaries to install and run the package with; the first one publishes. */
  readonly nodes: readonly string[];
  /** Registry on loopback to use instead of one that is started for the rehearsal. */
  readonly registry?: string | undefined;
  readonly log: (line: string) => void;
}

/**
 * Publishes the package to a registry on loopback, and installs and uses it from there as a user would: in an empty
 * folder, with `npm init -y` and `npm install serviceapi`, and nothing changed in what npm wrote.
 *
 * @throws Error for a registry elsewhere, a warning of `npm publish`, or a step that fails.
 */
export async function rehearse({ project, nodes, registry, log }: Rehearsal): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "serviceapi-release-"));
  const own = registry === undefined ? await startRegistry() : undefined;
  const url = registry ?? own?.url ?? "";
  try {
    await publish(commandsFor(url, home, nodes[0]), { project, home, url, log });
    for (const [i, node] of nodes.entries()) {
      const folder = join(home, `app-${i}`);
      mkdirSync(folder);
      await use(commandsFor(url, home, node), folder, log);
    }
  } finally {
    await own?.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Publishing {
  readonly project: string;
  readonly home: string;
  readonly url: string;
  readonly log: (line: string) => void;
}

async function publish(run: Run, { project, home, url, log }: Publishing): Promise<void> {
  await run(project, "npm", "pack", "--ignore-scripts", "--pack-destination", home);
  const tarball = readdirSync(home).find((name) => name.endsWith(".tgz")) ?? "";
  const { stderr } = await run(home, "npm", "publish", tarball, "--registry", url);
  const warnings = stderr.split("\n").filter((line) => /^npm (?:warn|error)/i.test(line));
  if (warnings.length > 0) throw new Error(`npm publish complains:\n${warnings.join("\n")}`);
  log(`published ${tarball} to ${url}`);
}

async function use(run: Run, folder: string, log: (line: string) => void): Promise<void> {
  const { stdout: version } = await run(folder, "node", "--version");
  const start = performance.now();
  await run(folder, "npm", "init", "-y");
  await run(folder, "npm", "install", "serviceapi");
  const { type } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { type?: string };

  writeFileSync(join(folder, "start.mjs"), inModules);
  await expectResponse(run(folder, "node", "start.mjs"));
  log(`${version.trim()}: installed and streamed a response in ${Math.round(performance.now() - start)} ms`);

  writeFileSync(join(folder, "start.cjs"), inCommonJs);
  await expectResponse(run(folder, "node", "start.cjs"));
  await expectResponse(run(folder, "node", "--input-type=module", "--eval", inOneLine));
  log(`${version.trim()}: import, require and --eval work in a package of type ${type ?? "unset"}`);

  const { stdout: help } = await run(folder, "npx", "--no-install", "serviceapi", "--help");
  if (!help.includes("emulator")) throw new Error(`npx serviceapi --help prints ${help}`);
  writeFileSync(join(folder, "emulator.mjs"), overHttp);
  await expectResponse(run(folder, "node", "emulator.mjs"));
  log(`${version.trim()}: npx serviceapi emulator serves a streamed response`);
}

async function expectResponse(output: Promise<{ readonly stdout: string }>): Promise<void> {
  const { stdout } = await output;
  if (!/^streamed: \S.*$/m.test(stdout)) throw new Error(`No streamed response, but ${JSON.stringify(stdout)}`);
}
