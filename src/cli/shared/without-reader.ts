import { exitCodes } from "./exit-codes.ts";
import { printError } from "./print.ts";

/** Whether the command goes on although nobody reads what it prints. */
let mustFinish = false;

/** Says that the command must not end early: it may book, and its exit code is the news. */
export function finishWithoutReader(): void {
  mustFinish = true;
}

/** Ends the process if a reader such as `head` has stopped before the end. Called once, at the start. */
export function endWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (mustFinish) return;
      if (stream === process.stdout && code !== "EPIPE") printError(`The output could not be written (${code}).`);
      process.exit(code === "EPIPE" ? (process.exitCode ?? exitCodes.done) : exitCodes.failed);
    });
  }
}
