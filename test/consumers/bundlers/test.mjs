import { deepStrictEqual, strictEqual } from "node:assert";
import { resolve } from "node:path";
import { bundlers } from "./bundlers.mjs";
import { variant } from "./shared/variants.mjs";
import { chromiumPath, closeChromium, hasChromium, runInChromium, runInNode, runInWorkerd } from "./targets.mjs";

for (const [name, bundle] of Object.entries(bundlers)) {
  const build = async (target) => {
    const folder = resolve("out", name, target);
    deepStrictEqual(await bundle(`./${target}.mjs`, target, folder), [], "warnings of the bundler");
    return folder;
  };
  await variant(`${name}, Node`, async () => {
    strictEqual(await runInNode(await build("node")), "done");
  });
  await variant(`${name}, workerd`, async () => {
    strictEqual(await runInWorkerd(await build("worker"), ["no_nodejs_compat"]), "done");
  });
  if (!hasChromium) {
    console.log(JSON.stringify({ variant: `${name}, browser`, result: "skipped", output: `no ${chromiumPath}` }));
    continue;
  }
  await variant(`${name}, browser`, async () => {
    const folder = await build("browser");
    strictEqual(await runInChromium(folder, "program"), "done");
    strictEqual(await runInChromium(folder, "msw"), "3 VPAs, the text, 2 requests");
  });
}
await closeChromium();
