import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { here, modules, root } from "./drive/paths.ts";

/** `npm run test:runtimes`: fetches missing runtimes, and runs the suite. */
if (process.platform !== "linux" || process.arch !== "x64") {
  console.log(
    `The runtimes of this suite are installed for Linux x64. On ${process.platform} ${process.arch} nothing of it runs: ` +
      "not Node 22 and 26, not Deno, not Bun, not workerd. `npm test` covers the Node that you have; CI covers the rest.",
  );
  process.exit(0);
}
if (!existsSync(modules)) must("npm", ["ci"], here);
must("vitest", ["run", "--config", "test/runtimes/vitest.config.ts"], root);

function must(command: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
