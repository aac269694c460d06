/**
 * Writes the checks of `src/<area>/checks.ts` from the zod schemas beside them: plain functions that say whether a
 * value passes. They need neither zod nor `new Function`, so zod is loaded only to explain a value that does not.
 *
 *   npx tsx scripts/generate-checks.ts
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as z from "zod/mini";
import * as aiRules from "../src/ai/rules.ts";
import * as ai from "../src/ai/schemas.ts";
import * as flights from "../src/flights/schemas/index.ts";
import * as flightRules from "../src/flights/schemas/rules.ts";
import * as verificationRules from "../src/verification/rules.ts";
import * as verification from "../src/verification/schemas.ts";

type Exports = Readonly<Record<string, unknown>>;
type Schema = z.core.$ZodType;

/** A file of checks: the schemas, and the module of the functions that they call. */
interface Source {
  readonly file: string;
  readonly schemas: Exports;
  readonly rules?: { readonly from: string; readonly exports: Exports };
}

const sources: readonly Source[] = [
  {
    file: "src/verification/checks.ts",
    schemas: verification,
    rules: { from: "./rules.ts", exports: verificationRules },
  },
  { file: "src/ai/checks.ts", schemas: ai, rules: { from: "./rules.ts", exports: aiRules } },
  { file: "src/flights/checks.ts", schemas: flights, rules: { from: "./schemas/rules.ts", exports: flightRules } },
];

const root = new URL("../", import.meta.url);

/** Returns the text of each file of checks, by its path. */
export function generateChecks(): ReadonlyMap<string, string> {
  return new Map(sources.map((source) => [source.file, format(source.file, new CheckWriter(source).write())]));
}

function format(file: string, input: string): string {
  const biome = fileURLToPath(new URL("node_modules/@biomejs/biome/bin/biome", root));
  return execFileSync(process.execPath, [biome, "format", `--stdin-file-path=${file}`], { input, encoding: "utf8" });
}

/** Writes one file. Each object schema becomes one function, and is written once wherever it is used. */
class CheckWriter {
  readonly #source: Source;
  readonly #functions: string[] = [];
  readonly #names = new Map<Schema, string>();
  readonly #helpers = new Set<string>();
  readonly #rules = new Set<string>();

  constructor(source: Source) {
    this.#source = source;
  }

  write(): string {
    const schemas = Object.entries(this.#source.schemas) as [string, Schema][];
    // Sorted, so that the output does not depend on the order in which modules load.
    for (const [name, schema] of schemas.sort())
      this.#names.set(schema, `is${capitalize(name.replace(/Schema$/, ""))}`);
    for (const [schema, name] of [...this.#names]) this.#function(name, schema, "export ");
    const { rules } = this.#source;
    return [
      "// Generated from the zod schemas by scripts/generate-checks.ts: do not edit.",
      `import { ${[...this.#helpers].sort().join(", ")} } from "../shared/checks.ts";`,
      ...(rules && this.#rules.size > 0
        ? [`import { ${[...this.#rules].sort().join(", ")} } from "${rules.from}";`]
        : []),
      "",
      this.#functions.join("\n\n"),
      "",
    ].join("\n");
  }

  /** Writes the function of an object schema. Those of the objects in it come before it. */
  #function(name: string, schema: Schema, prefix = ""): void {
    const def = defOf(schema);
    if (def.type !== "object") throw unsupported(name, def.type);
    const fields = Object.entries(def.shape);
    const tests = fields.map(([key, field]) => this.#expression(field, access(key), `${name}${capitalize(key)}`));
    const known = JSON.stringify(Object.keys(def.shape));
    const closing =
      def.catchall && defOf(def.catchall).type === "never" ? [`${this.#helper("hasOnlyFields")}(value, ${known})`] : [];
    const rules = (def.checks ?? []).map((check) => this.#ruleTest(check, "value", name));
    const all = [`${this.#helper("isObject")}(value)`, ...tests, ...closing, ...rules].join(" &&\n    ");
    this.#functions.push(`${prefix}function ${name}(value: unknown): boolean {\n  return (\n    ${all}\n  );\n}`);
  }

  /** Returns the expression that tests whether the expression `value` passes. */
  #expression(schema: Schema, value: string, name: string): string {
    const def = defOf(schema);
    const checks = (def.checks ?? []).map((check) => this.#ruleTest(check, value, name));
    return [this.#typeTest(schema, value, name), ...checks].join(" && ");
  }

  #typeTest(schema: Schema, value: string, name: string): string {
    const def = defOf(schema);
    switch (def.type) {
      case "string":
        return `${this.#helper("isString")}(${value})`;
      case "number":
        return `${this.#helper("check" in def && def.check === "number_format" ? "isInteger" : "isNumber")}(${value})`;
      case "boolean":
        return `${this.#helper("isBoolean")}(${value})`;
      case "literal":
        return anyOf(def.values, value);
      case "enum":
        return anyOf(Object.values(def.entries), value);
      case "optional":
        return `(${value} === undefined || ${this.#expression(def.innerType, value, name)})`;
      case "nullable":
        return `(${value} === null || ${this.#expression(def.innerType, value, name)})`;
      case "array":
        return defOf(def.element).type === "unknown"
          ? `Array.isArray(${value})`
          : `${this.#helper("isListOf")}(${value}, ${this.#element(def.element, name)})`;
      case "object":
        return `${this.#object(schema, name)}(${value})`;
      case "custom":
        return `${this.#rule(def.fn, name)}(${value})`;
      default:
        throw unsupported(name, def.type);
    }
  }

  #element(schema: Schema, name: string): string {
    const def = defOf(schema);
    if (def.type === "object") return this.#object(schema, name);
    const test = this.#expression(schema, "element", name);
    return /^(\w+)\(element\)$/.exec(test)?.[1] ?? `(element) => ${test}`;
  }

  #object(schema: Schema, name: string): string {
    const known = this.#names.get(schema);
    if (known !== undefined) return known;
    this.#names.set(schema, name);
    this.#function(name, schema);
    return name;
  }

  #ruleTest(check: z.core.$ZodCheck, value: string, name: string): string {
    // A check, unlike a schema, has no public `def`.
    const def = check._zod.def as z.core.$ZodChecks["_zod"]["def"] | z.core.$ZodCustomDef;
    switch (def.check) {
      case "min_length":
        // zod counts characters, of which a string has at least one if it has a code unit.
        if (def.minimum === 1) return `${value}.length > 0`;
        break;
      case "string_format":
        if ("pattern" in def && def.pattern instanceof RegExp) return `${def.pattern}.test(${value})`;
        break;
      case "custom":
        return `${this.#rule("fn" in def ? def.fn : undefined, name)}(${value})`;
    }
    throw unsupported(name, def.check);
  }

  #helper(name: string): string {
    this.#helpers.add(name);
    return name;
  }

  /** A function in a schema is called by the name under which the module of rules exports it. */
  #rule(rule: unknown, name: string): string {
    const [found] = Object.entries(this.#source.rules?.exports ?? {}).find(([, value]) => value === rule) ?? [];
    if (found === undefined) throw new Error(`${name}: its rule is not an export of the module of rules.`);
    this.#rules.add(found);
    return found;
  }
}

/** Returns the definition of a schema: each one of zod/mini has it in public. */
function defOf(schema: Schema): z.core.$ZodTypes["_zod"]["def"] {
  return (schema as z.ZodMiniType).def as z.core.$ZodTypes["_zod"]["def"];
}

function access(key: string): string {
  return /^\w+$/.test(key) ? `value.${key}` : `value[${JSON.stringify(key)}]`;
}

function anyOf(values: readonly unknown[], value: string): string {
  const tests = values.map((expected) => `${value} === ${JSON.stringify(expected)}`);
  return tests.length === 1 ? (tests[0] ?? "") : `(${tests.join(" || ")})`;
}

function capitalize(name: string): string {
  const words = name.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function unsupported(name: string, what: string): Error {
  return new Error(
    `${name}: a schema with "${what}" has no generated check yet; add a case to ${fileURLToPath(import.meta.url)}.`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const [file, text] of generateChecks()) writeFileSync(new URL(file, root), text);
}
