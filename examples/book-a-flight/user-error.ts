/** What whoever runs the program can mend: its message is all there is to say. */
export class UserError extends Error {
  override readonly name = "UserError";
}
