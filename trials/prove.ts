import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CleanCopy, inCleanCopy } from '../scripts/clean-copy.ts'
import { currentCommit, readResults } from './results.ts'
import type { Edit, Saboteur } from './saboteurs/saboteur.ts'
import { SABOTEURS } from './saboteurs.ts'

/**
 * Puts each saboteur into a clean copy of the tree and runs its trial there, at the smallest size that catches it; before that, the
 * run has to pass without one. Prints a line for each, and goes on after one that ended otherwise than said. Returns whether every
 * trial ended as its saboteur says. `word`: only saboteurs in whose name or trial it occurs. `results`: a file to which each line
 * is appended; what it has already is not tried again.
 */
export async function prove(word: string, results?: string): Promise<boolean> {
  const chosen = Object.entries(SABOTEURS).filter(([name, { trial }]) => `${name} ${trial}`.includes(word))
  if (chosen.length === 0) throw new Error(`No saboteur has ${word} in its name or trial`)
  const before = results ? await readResults<Proof>(results) : []
  const proofs = before.filter(({ saboteur }) => chosen.some(([name]) => name === saboteur))
  const proved = new Set(proofs.map(({ saboteur }) => saboteur))
  const commit = await currentCommit()
  await inCleanCopy(async (copy) => {
    const controls = new Map<string, Failure | null>()
    for (const [name, saboteur] of chosen) {
      if (proved.has(name)) continue
      const command = saboteur.run.join(' ')
      const began = performance.now()
      const control = controls.has(command) ? controls.get(command)! : await failure(copy, saboteur.run)
      controls.set(command, control)
      const proof =
        control === null
          ? await sabotaged(copy, saboteur)
          : { end: `fails without a saboteur (${control.message})`, asExpected: false }
      const seconds = Math.round((performance.now() - began) / 1000)
      const line = JSON.stringify({ trial: saboteur.trial, saboteur: name, ...proof, seconds, commit })
      proofs.push(JSON.parse(line))
      console.log(line)
      if (results) await appendFile(results, `${line}\n`)
    }
  })
  return proofs.every(({ asExpected }) => asExpected)
}

/** How the trial of a saboteur ended. */
type Proof = { trial: string; saboteur: string; end: string; asExpected: boolean; seconds: number; commit: string }

async function sabotaged(
  copy: CleanCopy,
  { run, edits, trialThen }: Saboteur
): Promise<Pick<Proof, 'end' | 'asExpected'>> {
  const texts = await withEdits(copy, edits)
  if (typeof texts === 'string') return { end: texts, asExpected: false }
  for (const [path, { edited }] of texts) await writeFile(path, edited)
  const failed = await failure(copy, run)
  for (const [path, { text }] of texts) await writeFile(path, text)
  if (failed === null) return { end: 'passes', asExpected: trialThen === 'passes' }
  if (trialThen === 'passes') return { end: `fails (${failed.message})`, asExpected: false }
  const { failsWith } = trialThen
  const said = failed.output.split('\n').find((line) => line.includes(failsWith))
  return said === undefined
    ? { end: `fails without ${JSON.stringify(failsWith)} (${failed.message})`, asExpected: false }
    : { end: `fails: ${said.trim().slice(0, MAX_CHARS)} (${failed.message})`, asExpected: true }
}

/** The message of an error, not the line of code that throws it. */
const MESSAGE = /^\s*(?:\w*Error\b.*:|error:) .*[^{]$/
const STACK = /^\s+at /
const MAX_LINES = 20
const MAX_CHARS = 600

/** Of a run that failed: everything that it printed, and its first error. */
type Failure = { output: string; message: string }

/** Null if the run passes. */
async function failure(copy: CleanCopy, run: string[]): Promise<Failure | null> {
  return copy.run(process.execPath, ...run).then(
    // A trial that did nothing would pass with any fault.
    ({ stdout }) =>
      /"skipped":/.test(stdout) ? { output: stdout, message: `skipped: ${stdout.slice(0, 500)}` } : null,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      const output = `${stdout}\n${stderr}`
      return { output, message: firstError(output.split('\n')) }
    }
  )
}

/** An error's lines up to its stack; without an error, the end of what was printed. */
function firstError(lines: string[]): string {
  const found = [lines.findIndex((line) => MESSAGE.test(line)), lines.findIndex((line) => /error/i.test(line))]
  const first = found.find((at) => at >= 0)
  const from = first === undefined ? lines.slice(-MAX_LINES) : lines.slice(first, first + MAX_LINES)
  const stack = from.findIndex((line) => STACK.test(line))
  const message = stack > 0 ? from.slice(0, stack) : from
  return message
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
    .slice(0, MAX_CHARS)
}

/** The text of each file without and with the edits, by path; or a sentence about an edit that does not fit the tree. */
async function withEdits(
  copy: CleanCopy,
  edits: Edit[]
): Promise<Map<string, { text: string; edited: string }> | string> {
  const texts = new Map<string, { text: string; edited: string }>()
  for (const { file, from, to } of edits) {
    const path = join(copy.dir, file)
    const text = texts.get(path)?.text ?? (await readFile(path, 'utf8'))
    const before = texts.get(path)?.edited ?? text
    if (before.split(from).length !== 2) return `${file} has not once: ${from}`
    texts.set(path, { text, edited: before.replace(from, () => to) })
  }
  return texts
}
