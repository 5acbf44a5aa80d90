/**
 * A spreadsheet runs a cell that begins with one of these. An apostrophe before it makes it text. A value that itself begins with
 * apostrophes and then one of these gets another one too, so that reading takes away exactly what writing has added.
 */
const FORMULA = /^'*[=+\-@\t\r]/

/** A value as a cell of a CSV file that a spreadsheet can open. */
export function escapeFormula(value: string): string {
  return FORMULA.test(value) ? `'${value}` : value
}

/** The value of a cell that `escapeFormula` wrote; cells that it did not change stay as they are. */
export function unescapeFormula(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
}

/**
 * The text of a whole row, as one cell. Put back as a row it reads as before: its first cell may have its apostrophe already,
 * and then it gets no second one.
 */
export function escapeRowText(text: string): string {
  return text.startsWith("'") ? text : escapeFormula(text)
}
