/**
 * Adds to package-lock.json the packages for other platforms that npm leaves out if it does not need them itself
 * (npm/cli#4828), so that `npm ci` finds a complete lock everywhere. Run it after a change of dependencies, in the
 * folder of the lock:
 *
 *   npx tsx scripts/complete-lock.ts
 */
import { readFileSync, writeFileSync } from "node:fs";

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const systems = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const processors = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

const file = "package-lock.json";
const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, LockedPackage> };
const missing = Object.values(lock.packages)
  .flatMap(({ optionalDependencies = {}, dev }) =>
    Object.entries(optionalDependencies).map(([name, version]) => ({ name, version, dev })),
  )
  .filter(({ name }) => !Object.keys(lock.packages).some((path) => path.endsWith(`node_modules/${name}`)));

for (const { name, version, dev } of missing) {
  const words = name.split(/[/_-]/);
  const os = systems.filter((system) => words.includes(system));
  const cpu = processors.filter((processor) => words.some((word) => word.startsWith(processor))).slice(0, 1);
  const libc = words.includes("musl") ? ["musl"] : words.includes("gnu") ? ["glibc"] : [];
  lock.packages[`node_modules/${name}`] = {
    version: version.replace(/^\D+/, ""),
    ...(dev && { dev }),
    optional: true,
    ...(os.length > 0 && { os }),
    ...(cpu.length > 0 && { cpu }),
    ...(os.includes("linux") && libc.length > 0 && { libc }),
  };
  console.log(`added ${name} ${version}  ${[...os, ...cpu].join(" ")}`);
}
const packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify({ ...lock, packages }, undefined, 2)}\n`);
