/** Start of the command in lines that are printed to be pasted: it need not be in the PATH. */
export const commandName = "npx serviceapi";

/** Quotes a word that a POSIX shell would take apart or interpret. */
export function quote(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
