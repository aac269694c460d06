/** The published package, as it was built: `npm test` builds before it tests. */
import { execFile } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../src/version.ts";

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  version: string;
  exports: Record<string, string | { import: { default: string }; require: { default: string } }>;
};
const entries = Object.entries(manifest.exports).flatMap(([name, target]) =>
  typeof target === "string" ? [] : [{ name: name.replace(".", "serviceapi"), target }],
);
const run = promisify(execFile);
const newestCompiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
/** TypeScript 5.0, which comes with `npm --prefix test/runtimes ci`. */
const oldestCompiler = join(process.cwd(), "test/runtimes/node_modules/typescript/bin/tsc");
let app = "";

/** An application with this package and nothing else in its node_modules, not even msw and OpenTelemetry, the optional peers. */
beforeAll(() => {
  app = mkdtempSync(join(tmpdir(), "serviceapi-app-"));
  const installed = join(app, "node_modules/serviceapi");
  cpSync("dist", join(installed, "dist"), { recursive: true });
  cpSync("package.json", join(installed, "package.json"));
  // The type packages of an application; none of them comes with this package.
  for (const name of ["@types/node", "undici-types", "zod"])
    cpSync(`node_modules/${name}`, join(app, "node_modules", name), { recursive: true });
  writeFileSync(join(app, "package.json"), '{ "type": "module" }');
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

async function evaluate(code: string, type: "module" | "commonjs" = "module"): Promise<string> {
  const { stdout } = await run(process.execPath, [`--input-type=${type}`, "--eval", code], { cwd: app });
  return stdout.trim();
}

/** Whether TypeScript, as strict as it gets, takes every entry point from where it is installed. */
async function compile(type: "module" | "commonjs", options: object, compiler = newestCompiler): Promise<string> {
  const folder = mkdtempSync(join(app, "types-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type }));
  // An adapter to Node's own server needs Node's types, which want a newer TypeScript than the oldest.
  const compiled = standalone.filter(({ name }) => compiler === newestCompiler || name !== "serviceapi/node");
  const imports = compiled.map(({ name }, i) => `import * as entry${i} from "${name}";\nexport { entry${i} };`);
  const withZod = `
    import * as z from "zod/mini";
    import { defineOperation } from "serviceapi";
    const body = z.looseObject({ status: z.string(), utr: z.optional(z.string()) });
    const status = defineOperation({ name: "s", area: "verification", path: "s", params: z.object({ a: z.string() }), body });
    export const utr: Promise<string | undefined> = new ServiceApi().send(status, { a: "1" }).then((answer) => answer.utr);
    // @ts-expect-error: the params are typed too
    new ServiceApi().send(status, { a: 1 });`;
  const use = `
    import { ServiceApi } from "serviceapi";
    export async function read(): Promise<string> {
      let text = "";
      for await (const event of new ServiceApi().ai.stream({ user: { text: "x" } })) {
        // @ts-expect-error: an event of a stream is not any
        const wrong: number = event;
        if (event.event === "response_output") text += event.system.text_chunk;
      }
      return text;
    }`;
  writeFileSync(
    join(folder, "main.ts"),
    [...imports, use, ...(compiler === newestCompiler ? [withZod] : [])].join("\n"),
  );
  const compilerOptions = { strict: true, noEmit: true, target: "es2022", types: ["node"], ...options };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
  try {
    return (await run(process.execPath, [compiler, "-p", folder])).stdout;
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}

const standalone = entries.filter(({ name }) => !["serviceapi/msw", "serviceapi/opentelemetry"].includes(name));

describe("the published package", () => {
  it("exports what tsconfig.json maps to the source, and nothing else", () => {
    const { paths } = JSON.parse(readFileSync("tsconfig.json", "utf8")).compilerOptions as { paths: object };
    expect(entries.map(({ name }) => name)).toEqual(Object.keys(paths));
  });

  it("exports the version that it sends", () => {
    expect(version).toBe(manifest.version);
  });

  it.each(standalone)("imports $name with nothing else installed", async ({ name }) => {
    expect(Number(await evaluate(`console.log(Object.keys(await import("${name}")).length)`))).toBeGreaterThan(0);
  });

  it.each(standalone)("requires $name from CommonJS with nothing else installed", async ({ name }) => {
    const names = await evaluate(`console.log(Object.keys(require("${name}")).sort().join())`, "commonjs");
    const imported = await evaluate(`console.log(Object.keys(await import("${name}")).sort().join())`);
    expect(names).toBe(imported);
  });

  it.each([
    ["module", { module: "nodenext" }],
    ["commonjs", { module: "nodenext" }],
    ["module", { module: "preserve", moduleResolution: "bundler" }],
  ] as const)(
    "its types stand alone: %s, %j",
    async (type, options) => {
      expect(await compile(type, options)).toBe("");
    },
    60_000,
  );

  it.skipIf(!existsSync(oldestCompiler)).each([["module"], ["commonjs"]] as const)(
    "its types are read by the oldest TypeScript that is supported (left out without it: npm --prefix test/runtimes ci): %s",
    async (type) => {
      // zod's own types and those of Node want a newer one.
      const options = { module: "nodenext", lib: ["es2022", "dom", "dom.iterable"], types: [] };
      expect(await compile(type, options, oldestCompiler)).toBe("");
    },
    60_000,
  );

  it("has no CommonJS file that does not load", () => {
    const require = createRequire(import.meta.url);
    for (const file of globSync("dist/**/*.cjs")) expect(() => require(join(process.cwd(), file)), file).not.toThrow();
  });

  it("shows no zod type to its users", () => {
    const declarations = globSync("dist/**/*.d.{ts,cts}");
    expect(declarations.length).toBeGreaterThan(entries.length);
    for (const file of declarations)
      expect(readFileSync(file, "utf8"), file).not.toMatch(/^(import|export).* from ['"]zod|ZodMini|\$Zod/m);
  });

  it("cites in its doc comments what its readers can look up", () => {
    for (const file of globSync("dist/**/*.d.{ts,cts}"))
      expect(readFileSync(file, "utf8"), file).not.toMatch(/polic(?:y|ies) \d/);
  });

  it("keeps its doc comments for editors", () => {
    const declarations = globSync("dist/*.d.cts").map((file) => readFileSync(file, "utf8"));
    expect(declarations.filter((code) => code.includes("linked to a mobile number"))).not.toEqual([]);
  });

  it("has one declaration of each class, for `import` and `require()`", () => {
    const declarations = globSync("dist/**/*.d.{ts,cts}").map((file) => readFileSync(file, "utf8"));
    for (const name of ["ServiceApi", "Webhooks", "NotFoundError"])
      expect(
        declarations.filter((code) => code.includes(`declare class ${name} `)),
        name,
      ).toHaveLength(1);
  });

  it("has no side effects when it is imported", async () => {
    const code = `
      const before = new Set(Object.getOwnPropertyNames(globalThis));
      const reads = [];
      process.env = new Proxy(process.env, {
        get(target, key) {
          if (new Error().stack.includes("/serviceapi/dist/")) reads.push(key);
          return target[key];
        },
      });
      for (const name of ${JSON.stringify(standalone.map(({ name }) => name))}) await import(name);
      const globals = Object.getOwnPropertyNames(globalThis).filter((name) => !before.has(name));
      const resources = process.getActiveResourcesInfo().filter((name) => /Timeout|Immediate|TCP|Pipe/.test(name));
      console.log(JSON.stringify({ reads, globals, resources: resources.filter((name) => name !== "PipeWrap") }));
    `;
    expect(JSON.parse(await evaluate(code))).toEqual({ reads: [], globals: [], resources: [] });
  });

  it("is not configured by the zod of the application", async () => {
    const code = `
      const z = await import("zod/mini");
      const touched = [];
      Object.assign(z.config({ customError: () => "of the application" }), { postProcessor: () => touched.push(1) });
      const { ServiceApi } = await import("serviceapi");
      const api = new ServiceApi({ baseUrl: "https://api.example.com", clientId: "c", clientSecret: "secret" });
      const error = await api.flights.book({}).catch((error) => error);
      console.log(JSON.stringify({ touched, name: error.name, text: JSON.stringify(error.issues).includes("application") }));
    `;
    expect(JSON.parse(await evaluate(code))).toEqual({ touched: [], name: "RequestValidationError", text: false });
  });

  it("loads no fetch for webhooks", async () => {
    const code = `
      let used = false;
      Object.defineProperty(globalThis, "fetch", { get() { used = true; } });
      Object.defineProperty(globalThis, "Request", { get() { used = true; } });
      await import("serviceapi/webhooks");
      console.log(used);
    `;
    expect(await evaluate(code)).toBe("false");
  });

  it.each(["module", "commonjs"] as const)("loads no fetch for a call by nodeFetch: %s", async (type) => {
    const load = (name: string) => (type === "module" ? `import("${name}")` : `Promise.resolve(require("${name}"))`);
    const code = `
      const server = process.getBuiltinModule("node:http").createServer((_request, response) => response.end('{"echo":true}'));
      server.listen(0, "127.0.0.1", async () => {
        const { ServiceApi, defineOperation } = await ${load("serviceapi")};
        const { nodeFetch } = await ${load("serviceapi/node")};
        const baseUrl = "http://127.0.0.1:" + server.address().port;
        const api = new ServiceApi({ baseUrl, clientId: "id", clientSecret: "secret", fetch: nodeFetch() });
        const { echo } = await api.send(defineOperation({ name: "echo", path: "echo", isSuccess: () => true }), {});
        const isLoaded = () => process.moduleLoadList.some((name) => name.endsWith(" internal/deps/undici/undici"));
        const before = isLoaded();
        new Response();
        console.log(JSON.stringify({ echo, before, after: isLoaded() }));
        server.close();
        server.closeAllConnections();
      });
    `;
    expect(JSON.parse(await evaluate(code, type))).toEqual({ echo: true, before: false, after: true });
  });

  it.each(["module", "commonjs"] as const)("loads ky with the first retry and not before: %s", async (type) => {
    const code = `
      const { Request } = globalThis;
      // ky makes a Request when it is loaded.
      let made = false;
      globalThis.Request = class extends Request { constructor(...args) { made = true; super(...args); } };
      const load = ${type === "module" ? 'import("serviceapi")' : 'Promise.resolve(require("serviceapi"))'};
      let requests = 0;
      const server = process.getBuiltinModule("node:http").createServer((_request, response) => {
        requests++;
        response.writeHead(requests === 2 ? 503 : 200, { "content-type": "application/json" });
        response.end('{"status":"SUCCESS","status_code":"200","data":{"vpa_details":[]}}');
      });
      server.listen(0, "127.0.0.1", async () => {
        const { ServiceApi } = await load;
        const baseUrl = "http://127.0.0.1:" + server.address().port;
        const api = new ServiceApi({ baseUrl, clientId: "id", clientSecret: "secret", retryDelay: () => 0 });
        const call = () => api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }).withResponse().catch(() => {});
        await call();
        const before = made;
        await call();
        console.log(JSON.stringify({ before, after: made, requests }));
        server.close();
        server.closeAllConnections();
      });
    `;
    expect(JSON.parse(await evaluate(code, type))).toEqual({ before: false, after: true, requests: 3 });
  });

  it("has no import() in CommonJS, which Jest does not run", () => {
    for (const file of globSync("dist/**/*.cjs"))
      expect(readFileSync(file, "utf8"), file).not.toMatch(/[^.\w]import\(['"]/);
  });

  it("works across its two copies: each recognises the errors of the other", async () => {
    const code = `
      import { createRequire } from "node:module";
      import { ConfigurationError, ServiceApi } from "serviceapi";
      const cjs = createRequire(process.cwd() + "/x.js")("serviceapi");
      const error = await new cjs.ServiceApi().verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }).catch((error) => error);
      console.log(error instanceof ConfigurationError, ConfigurationError.isInstance(error), ServiceApi === cjs.ServiceApi);
    `;
    expect(await evaluate(code)).toBe("false true false");
  });

  it("names the licences of the code that it bundles", () => {
    const licences = readFileSync("THIRD-PARTY-LICENSES.txt", "utf8");
    for (const name of ["ky ", "zod ", "eventsource-parser "]) expect(licences).toContain(`\n${name}`);
  });
});
