import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { application, root } from "./paths.ts";

/** `npm run test:next`: installs the Next.js example if it is missing, and runs its suite. */
if (!existsSync(join(application, "node_modules"))) must("npm", ["ci"], application);
must("vitest", ["run", "--config", "test/next/vitest.config.ts"], root);

function must(command: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
