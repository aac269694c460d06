import { fileURLToPath } from "node:url";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** The package. */
export const root = path("../../../");
/** This folder. */
export const here = path("../");
/** Where everything that is made by a run goes; git ignores it. */
export const build = path("../.build/");
export const modules = path("../node_modules/");
