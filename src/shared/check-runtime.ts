/**
 * Refuses an old runtime when it is imported, as each published entry point does first (scripts/merge-chunks.ts). A
 * bundler leaves this import out, because the package has no side effects: there the constructors refuse.
 */
import { refuseOldRuntime } from "./old-runtime.ts";

refuseOldRuntime();
