import type { Command } from "commander";
import { registerAskCommand } from "./ask.ts";
import { registerChatCommand } from "./chat.ts";

/** `serviceapi ask` and `serviceapi chat`: AI responses in the terminal (§4.2). */
export function registerAiCommands(program: Command): void {
  registerAskCommand(program);
  registerChatCommand(program);
}
