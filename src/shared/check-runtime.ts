/**
 * Refuses an old runtime when it is imported, as each published entry point does first: scripts/merge-chunks.ts puts it
 * into the file that all others import. A bundler leaves it out: there the constructors refuse.
 */
import { refuseOldRuntime } from "./old-runtime.ts";

refuseOldRuntime();
