/** The pieces of zod that are needed: with the whole of it, a bundle would be several times as large. */
// biome-ignore format: one list
export { array, boolean, int, literal, looseObject, minLength, nullable, number, optional, refine, regex, strictObject, string, unknown } from "zod/mini";
