/**
 * Any string but the known ones: the discriminant of "something that was added to the service later" in a union of
 * known members.
 *
 * `string`, also as `string & {}`, overlaps with every literal, so `event.status === "SUCCESS"` would no longer tell
 * the known members from the unknown one. TypeScript has no negated types, but it does tell a literal from a template
 * literal that the literal does not match. Hence one pattern for each character by which a string can depart from the
 * known ones: for `"on" | "off"` these are `a${string}`, …, then `oa${string}`, …, and so on to `off-${string}`.
 *
 * It leaves out strings that depart from the known ones by a character outside {@link Character}.
 */
export type OtherString<Known extends string, Shared extends string = ""> =
  | `${Shared}${Exclude<Character, First<Known>>}${string}`
  | Beginning<Known, Shared>
  | OtherWithin<Known, Shared, First<Known>>;

/** The same for the known strings that continue with `Next`. */
type OtherWithin<Known extends string, Shared extends string, Next extends string> = Next extends Next
  ? OtherString<After<Known, Next>, `${Shared}${Next}`>
  : never;

/** The beginning of a known string, unless it is one itself. As an intersection it is not offered as a completion. */
type Beginning<Known extends string, Shared extends string> = "" extends Known ? never : Shared & Record<never, never>;

type First<Text extends string> = Text extends `${infer Character}${string}` ? Character : never;
type After<Text extends string, Start extends string> = Text extends `${Start}${infer Rest}` ? Rest : never;

/** The characters of names and statuses. */
type Character = Lower | Uppercase<Lower> | Digit | "_" | "-" | "." | ":" | "/" | " ";
type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";
type Lower = CharacterOf<"abcdefghijklmnopqrstuvwxyz">;
type CharacterOf<Text extends string> = Text extends `${infer Character}${infer Rest}`
  ? Character | CharacterOf<Rest>
  : never;
