export { csvLine } from './csv-line.ts'
export { escapeFormula, escapeRowText, unescapeFormula } from './formula-escape.ts'
