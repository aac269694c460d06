import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../docs/blocks.ts";

const run = promisify(execFile);

/** The package as npm packs it: `npm test` builds before it tests. */
export interface Packed {
  /** The tarball. */
  readonly tarball: string;
  /** The folder with its files, as they would be in node_modules. */
  readonly folder: string;
  /** The paths of its files, with `/`. */
  readonly files: readonly string[];
  /** Removes everything that was written. */
  readonly remove: () => void;
}

/** Packs the project, without its scripts, and unpacks it into a temporary folder. */
export async function pack(): Promise<Packed> {
  const temporary = mkdtempSync(join(tmpdir(), "serviceapi-packed-"));
  const options = { cwd: root, shell: process.platform === "win32" };
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", temporary], options);
  const [name = ""] = readdirSync(temporary);
  // The relative name, because tar takes the colon of `C:\…` for a remote machine.
  await run("tar", ["-xzf", name], { cwd: temporary });
  const folder = join(temporary, "package");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
  return {
    tarball: join(temporary, name),
    folder,
    files: files.sort(),
    remove: () => rmSync(temporary, { recursive: true, force: true }),
  };
}
