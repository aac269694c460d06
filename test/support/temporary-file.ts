import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * Returns the path of a file in a new folder, which is removed after the test.
 *
 * @param content - Written to the file. Without it there is no file yet.
 */
export function temporaryFile(name: string, content?: string | Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), "serviceapi-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  if (content !== undefined) writeFileSync(file, content);
  return file;
}
