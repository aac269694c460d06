import { fileURLToPath } from "node:url";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** The package. */
export const root = path("../../../");
/** This folder. */
export const here = path("../");
/** Folder for everything that a run generates; git ignores it. */
export const build = path("../.build/");
export const modules = path("../node_modules/");
