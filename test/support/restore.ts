/**
 * Puts back after each test what it has replaced by `vi`: spies, globals, variables of the environment, the clock (set
 * up by vitest.config.ts). What a file replaces for all its tests, it replaces in `beforeEach`.
 */
import { afterEach, vi } from "vitest";

afterEach(() => {
  // The spies first: they may be on the fake clock.
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
