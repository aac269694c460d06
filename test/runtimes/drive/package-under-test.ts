import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build as bundle } from "esbuild";
import { build, root } from "./paths.ts";

/** The files that the runtimes import. */
export interface PackageUnderTest {
  /** `dist` as it is published, or `source` bundled for want of it. */
  readonly from: "dist" | "source";
  readonly serviceapi: string;
  readonly webhooks: string;
  /** The CommonJS file of `serviceapi`; only `dist` has one. */
  readonly commonJs: string | undefined;
}

/** The package as it is published, if it is built; otherwise its sources. */
export async function findPackage(): Promise<PackageUnderTest> {
  return findDist() ?? (await bundleSource());
}

function findDist(): PackageUnderTest | undefined {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const file = (entry: string, condition: "import" | "require"): string | undefined => {
    const target =
      dig(manifest, ["exports", entry, condition, "default"]) ?? dig(manifest, ["exports", entry, condition]);
    return typeof target === "string" && existsSync(join(root, target)) ? join(root, target) : undefined;
  };
  const serviceapi = file(".", "import");
  const webhooks = file("./webhooks", "import");
  if (serviceapi === undefined || webhooks === undefined) return undefined;
  return { from: "dist", serviceapi, webhooks, commonJs: file(".", "require") };
}

function dig(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

async function bundleSource(): Promise<PackageUnderTest> {
  const outdir = join(build, "package");
  await bundle({
    entryPoints: { index: join(root, "src/index.ts"), webhooks: join(root, "src/webhooks/index.ts") },
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
  });
  return {
    from: "source",
    serviceapi: join(outdir, "index.mjs"),
    webhooks: join(outdir, "webhooks.mjs"),
    commonJs: undefined,
  };
}
