import { stripVTControlCharacters } from "node:util";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { createProgram } from "../../../src/cli/program.ts";
import { serviceapi } from "../../support/command.ts";

const commands = leavesOf(await createProgram());

function leavesOf(command: Command): readonly Command[] {
  const isGroup = command.commands.length > 0;
  return [...(isGroup && command.name() !== "bookings" ? [] : [command]), ...command.commands.flatMap(leavesOf)];
}

function helpOf(command: Command): string {
  let output = "";
  command.configureOutput({ writeOut: (text) => (output += text) }).outputHelp();
  return stripVTControlCharacters(output);
}

it.each(commands.map((command) => [command.parent?.name(), command.name(), command] as const))(
  "the help of %s %s says what it does",
  (_group, _name, command) => expect(helpOf(command)).toMatchSnapshot(),
);

// `bookings` has those of its subcommand.
it.each(commands.filter((each) => each.name() !== "reconcile").map((command) => [command.name(), command] as const))(
  "the help of %s has examples that can be pasted, in the layout of all others",
  (_, command) => {
    const output = helpOf(command);
    const [, examples] = /\nExamples(?:, after .+)?\n((?: {2}.+\n)+)/.exec(output) ?? [];
    const lines = examples?.split("\n").filter((line) => line !== "") ?? [];
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.filter((line) => !/^ {2}\$ (?:.*\| )?(?:npx serviceapi|curl) |^ {6}\S/.test(line))).toEqual([]);
    expect(output).not.toMatch(/(?<!npx )serviceapi (?:doctor|verify|quote|book|ask) [-"$\d]/);
  },
);

it("is the same by `help`, also of a command within a group", async () => {
  const [help, own] = [await serviceapi(["help", "webhook", "fire"]), await serviceapi(["webhook", "fire", "--help"])];
  expect([help.code, help.stdout]).toEqual([0, own.stdout]);
});
