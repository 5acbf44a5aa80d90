/** Somebody else has changed what a form is about since it was opened: its message says what to do. */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile'
}
