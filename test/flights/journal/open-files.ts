import { type FileHandle, open } from "node:fs/promises";
import { type MockInstance, vi } from "vitest";
import { temporaryFile } from "../../support/temporary-file.ts";

type Method = "chmod" | "read" | "sync" | "write";
/** A method of a file, and what calls it as the system has it. */
type Call = (this: FileHandle, ...data: unknown[]) => Promise<unknown>;

/** Watches a method of all open files, until the test ends. */
export async function watch(method: Method): Promise<{ readonly spy: MockInstance<Call>; readonly real: Call }> {
  const handle = await open(temporaryFile("any"), "w");
  const files: Record<Method, Call> = Object.getPrototypeOf(handle);
  await handle.close();
  const real = files[method];
  const spy = vi.spyOn(files, method);
  return { spy, real };
}
