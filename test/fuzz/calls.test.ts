import { describe, expect, it } from "vitest";
import { callsIn } from "./calls.ts";

describe("the calls of a property", () => {
  it.each([
    ["in its function", 'property("a", any, (input) => sign(input));'],
    ["in a function that it calls", 'const run = (input) => sign(input); property("a", any, run);'],
    ["in a table that it reads", 'const all = { a: (x) => sign(x) }; property("a", any, ({ name }) => all[name]());'],
    [
      "in what was assigned before",
      'beforeAll(() => { servers.a = sign(1); }); property("a", any, () => send(servers.a));',
    ],
    ["in what was made with it", 'const app = make(); await app.add(sign(1)); property("a", any, () => send(app));'],
  ])("are found %s", (_where, code) => {
    expect([...callsIn(code)]).toContain("sign");
  });

  it.each([
    ["in a comment", 'property("a", any, () => { /* sign(1) */ });'],
    ["in the set-up of the file", 'const signed = sign(1); property("a", any, (input) => read(input));'],
    ["in an import", 'import { sign } from "x"; property("a", any, (input) => read(input));'],
    ["as the name of a field", 'property("a", any, ({ of }) => read({ sign: of.sign }));'],
  ])("are not found %s", (_where, code) => {
    expect([...callsIn(code)]).not.toContain("sign");
  });
});
