/**
 * Rehearses a release with the package as it was built: packs it, lets npm check it, and uses it as a user would, in an
 * empty folder, with `npm init -y` and `npm install`, and nothing changed in what npm wrote. Nothing is published, and
 * npm is offline.
 *
 *   npm run release:dry [-- --node <binary>…]
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { inOneLine, programs } from "./first-response.ts";

const shell = process.platform === "win32";

/**
 * @param project - The project that is packed.
 * @param nodes - Node binaries to install and run the package with; the first one packs it.
 * @throws Error for a warning of `npm publish`, or a step that fails.
 */
export async function rehearse(project: string, nodes: readonly string[], log: (line: string) => void): Promise<void> {
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

/**
 * Returns a function that runs commands in a folder with one Node, and with npm settings that have nothing of the user's.
 * It fails with the output of a command that fails.
 */
function commandsOf(home: string, node: string = process.execPath) {
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
  return async (cwd: string, command: string, ...args: readonly string[]) =>
    promisify(execFile)(command, args, { cwd, env, shell }).catch((error) => {
      throw new Error(`${command} ${args[0] ?? ""} failed: ${error.stdout}${error.stderr}${error.message}`);
    });
}

async function use(
  run: ReturnType<typeof commandsOf>,
  folder: string,
  tarball: string,
  log: (line: string) => void,
): Promise<void> {
  const stream = async (...args: readonly string[]) => {
    const { stdout } = await run(folder, "node", ...args);
    if (!/^streamed: \S.*$/m.test(stdout)) throw new Error(`No streamed response, but ${JSON.stringify(stdout)}`);
  };
  const version = (await run(folder, "node", "--version")).stdout.trim();
  const start = performance.now();
  await run(folder, "npm", "init", "-y");
  await run(folder, "npm", "install", tarball);
  for (const [name, code] of Object.entries(programs)) writeFileSync(join(folder, name), code);
  await stream("start.mjs");
  log(`${version}: installed and streamed a response in ${Math.round(performance.now() - start)} ms`);

  await stream("start.cjs");
  await stream("--input-type=module", "--eval", inOneLine);
  const { type = "unset" } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { type?: string };
  log(`${version}: import, require and --eval work in a package of type ${type}`);

  const { stdout: help } = await run(folder, "npx", "--no-install", "serviceapi", "--help");
  if (!help.includes("emulator")) throw new Error(`npx serviceapi --help prints ${help}`);
  await stream("emulator.mjs");
  log(`${version}: npx serviceapi emulator serves a streamed response`);
}

if (import.meta.filename === process.argv[1]) {
  const { values } = parseArgs({ options: { node: { type: "string", multiple: true, default: [process.execPath] } } });
  await rehearse(process.cwd(), values.node, console.log);
}
