import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Output of a command that succeeded. */
export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a folder, and fails with its output if it fails. */
export type Run = (folder: string, command: string, ...args: readonly string[]) => Promise<Output>;

/**
 * Returns a function that runs commands with one Node, and with npm settings that name one registry and nothing of the
 * user's: no token, no proxy, no other registry.
 *
 * @param home - An empty folder, for the settings and the cache of npm.
 * @throws Error unless the registry is on loopback.
 */
export function commandsFor(registry: string, home: string, node: string = process.execPath): Run {
  const { hostname, host } = new URL(registry);
  if (hostname !== "127.0.0.1") throw new Error(`A dry run publishes to 127.0.0.1 only, not to ${registry}.`);
  // npm reads the `.npmrc` beside the nearest `package.json`, which may be in a folder around this one.
  writeFileSync(join(home, "package.json"), JSON.stringify({ private: true }));
  writeFileSync(join(home, ".npmrc"), "");
  const settings = join(home, "npmrc");
  const token = `//${host}/:_authToken=dry-run`;
  writeFileSync(
    settings,
    [`registry=${registry}/`, token, "audit=false", "fund=false", "update-notifier=false"].join("\n"),
  );
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|SERVICEAPI_|VITEST|NODE_|INIT_CWD|[a-z]*_?proxy$|CI$|(?:FORCE|NO)_COLOR)/i.test(name),
  );
  const env = {
    ...Object.fromEntries(inherited),
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    npm_config_userconfig: settings,
    npm_config_globalconfig: join(home, "global"),
    npm_config_cache: join(home, "cache"),
    npm_config_registry: registry,
    npm_config_proxy: "null",
    npm_config_https_proxy: "null",
    npm_config_noproxy: hostname,
  };
  return async (folder, command, ...args) => {
    const options = { cwd: folder, env, shell: process.platform === "win32" };
    return run(command, args, options).catch((error: Output & { readonly message: string }) => {
      throw new Error(`${command} ${args[0] ?? ""} failed: ${error.stdout}${error.stderr}${error.message}`);
    });
  };
}
