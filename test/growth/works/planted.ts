/** Work whose cost grows with the square of its size, each in a way that is counted separately. */
import { seesCopies } from "../built-ins.ts";
import type { Work } from "../count.ts";

const quadratic: Readonly<Record<string, (text: string) => (at: number) => unknown>> = {
  "a loop for each element": (text) => () => {
    for (const _ of text);
  },
  "a search for each element": (text) => (at) => text.lastIndexOf("b", at),
  "a regular expression for each element": (text) => () => text.replace(/b/g, ""),
  "JSON for each element": (text) => () => JSON.parse(`"${text}"`),
  "a list that is copied for each element": () => {
    let list: readonly number[] = [];
    return (at) => {
      list = [...list, at];
    };
  },
  ...(seesCopies && {
    "a text that is read whenever it has grown": () => {
      let read = "";
      return (at) => {
        read += "x".repeat(20);
        return read.charCodeAt(at);
      };
    },
  }),
};

export const works: Readonly<Record<string, Work>> = Object.fromEntries(
  Object.entries(quadratic).map(([name, start]) => {
    const make = (size: number) => () => {
      const each = start("a".repeat(size));
      for (let at = 0; at < size; at++) each(at);
    };
    return [name, { size: 200, make, multiples: [4] }];
  }),
);
