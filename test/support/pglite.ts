import { existsSync, mkdirSync, openAsBlob, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";

const modules = new URL("../../node_modules/", import.meta.url);
const { version } = JSON.parse(readFileSync(new URL("@electric-sql/pglite/package.json", modules), "utf8"));
const cache = fileURLToPath(new URL(`.cache/serviceapi/pglite-${version}.tar`, modules));

/** Starts an empty Postgres in this process, with files that an earlier run has kept: to make them takes two seconds. */
export async function startPglite(): Promise<PGlite> {
  if (existsSync(cache)) return await PGlite.create({ loadDataDir: await openAsBlob(cache) });
  const database = await PGlite.create();
  await keep(await database.dumpDataDir("none"));
  return database;
}

async function keep(files: Blob): Promise<void> {
  const written = `${cache}.${process.pid}`;
  mkdirSync(dirname(cache), { recursive: true });
  writeFileSync(written, await files.bytes());
  try {
    renameSync(written, cache);
  } catch {
    // Windows refuses if another process reads what it kept itself.
    rmSync(written);
  }
}
