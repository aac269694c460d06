import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { inCommonJs, inModules, inOneLine, overHttp } from "./first-response.ts";

/** A rehearsal of a release, on this machine. */
export interface Rehearsal {
  /** The project that is packed, as it was built. */
  readonly project: string;
  /** Node binaries to install and run the package with; the first one packs it. */
  readonly nodes: readonly string[];
  readonly log: (line: string) => void;
}

/**
 * Packs the package, lets npm check it, and uses it as a user would: in an empty folder, with `npm init -y` and
 * `npm install`, and nothing changed in what npm wrote. Nothing is published, and npm is offline.
 *
 * @throws Error for a warning of `npm publish`, or a step that fails.
 */
export async function rehearse({ project, nodes, log }: Rehearsal): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "serviceapi-release-"));
  try {
    // npm reads the `.npmrc` beside the nearest `package.json`, which may be in a folder around this one.
    writeFileSync(join(home, "package.json"), JSON.stringify({ private: true }));
    writeFileSync(join(home, ".npmrc"), "");
    const pack = commandsOf(home, nodes[0]);
    await pack(project, "npm", "pack", "--ignore-scripts", "--pack-destination", home);
    const tarball = join(home, readdirSync(home).find((name) => name.endsWith(".tgz")) ?? "");
    const { stderr } = await pack(home, "npm", "publish", tarball, "--dry-run");
    // A dry run needs no login, and says that there is none.
    const warnings = stderr.split("\n").filter((line) => /^npm (?:warn|error)(?!.* be logged in)/i.test(line));
    if (warnings.length > 0) throw new Error(`npm publish complains:\n${warnings.join("\n")}`);
    log(`packed ${tarball}`);
    for (const [i, node] of nodes.entries()) {
      const folder = join(home, `app-${i}`);
      mkdirSync(folder);
      await use(commandsOf(home, node), folder, tarball, log);
    }
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Runs a command in a folder, and fails with its output if it fails. */
type Run = (
  folder: string,
  command: string,
  ...args: readonly string[]
) => Promise<{ readonly stdout: string; readonly stderr: string }>;

/** Returns a function that runs commands with one Node, and with npm settings that have nothing of the user's. */
function commandsOf(home: string, node: string = process.execPath): Run {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|SERVICEAPI_|VITEST|NODE_|INIT_CWD|[a-z]*_?proxy$|CI$|(?:FORCE|NO)_COLOR)/i.test(name),
  );
  const env = {
    ...Object.fromEntries(inherited),
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    npm_config_userconfig: join(home, "user"),
    npm_config_globalconfig: join(home, "global"),
    npm_config_cache: join(home, "cache"),
    npm_config_offline: "true",
    npm_config_audit: "false",
    npm_config_update_notifier: "false",
  };
  return async (cwd, command, ...args) =>
    promisify(execFile)(command, args, { cwd, env, shell: process.platform === "win32" }).catch((error) => {
      throw new Error(`${command} ${args[0] ?? ""} failed: ${error.stdout}${error.stderr}${error.message}`);
    });
}

async function use(run: Run, folder: string, tarball: string, log: (line: string) => void): Promise<void> {
  const { stdout: version } = await run(folder, "node", "--version");
  const start = performance.now();
  await run(folder, "npm", "init", "-y");
  await run(folder, "npm", "install", tarball);
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

async function expectResponse(output: ReturnType<Run>): Promise<void> {
  const { stdout } = await output;
  if (!/^streamed: \S.*$/m.test(stdout)) throw new Error(`No streamed response, but ${JSON.stringify(stdout)}`);
}
