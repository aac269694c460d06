import { Command } from "commander";
import { version } from "../version.ts";
import { registerEmulatorCommand } from "./emulator/emulator.ts";
import { registerWebhookCommands } from "./webhook/webhook.ts";

/** Runs the command line of this process. */
export async function runProgram(): Promise<void> {
  const program = new Command("serviceapi")
    .description("Tools of the serviceapi package")
    .version(version)
    .showHelpAfterError("(see serviceapi help <command>)");
  registerEmulatorCommand(program);
  registerWebhookCommands(program);
  await program.parseAsync();
}
