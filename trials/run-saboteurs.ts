// Puts each saboteur into a clean copy of the tree and runs its trial there, which has to fail; before that, the trial without one has to
// pass. Prints a line for each, and exits with 1 if one is not noticed.
// Usage: node trials/run-saboteurs.ts [a word in their names or trials]
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CleanCopy, inCleanCopy } from '../scripts/clean-copy.ts'
import { SABOTEURS, type Saboteur } from './saboteurs.ts'

const word = process.argv[2] ?? ''
const chosen = Object.entries(SABOTEURS).filter(([name, { trial }]) => `${name} ${trial}`.includes(word))

type Run = Pick<Saboteur, 'trial' | 'seed' | 'options'>

/** The first line of the error with which the trial ends; null if it passes. */
async function failure(copy: CleanCopy, { trial, seed, options }: Run): Promise<string | null> {
  return copy.run(process.execPath, 'trials/run.ts', trial, String(seed), ...(options?.split(' ') ?? [])).then(
    () => null,
    ({ stderr }: { stderr: string }) => stderr.split('\n').find((line) => /error/i.test(line)) ?? stderr.slice(-200)
  )
}

const nameOf = ({ trial, seed, options }: Run) => [trial, seed, options].filter(Boolean).join(' ')

async function put(copy: CleanCopy, { edits }: Saboteur): Promise<{ takeOut(): Promise<void> }> {
  const texts = new Map<string, string>()
  for (const { file, from, to } of edits) {
    const path = join(copy.dir, file)
    const text = await readFile(path, 'utf8')
    texts.set(path, texts.get(path) ?? text)
    await writeFile(
      path,
      text.replace(from, () => to)
    )
  }
  return {
    async takeOut() {
      for (const [path, text] of texts) await writeFile(path, text)
    }
  }
}

await inCleanCopy(async (copy) => {
  const runs = new Map(chosen.map(([, saboteur]) => [nameOf(saboteur), saboteur]))
  for (const [run, saboteur] of runs) {
    const failed = await failure(copy, saboteur)
    if (failed) throw new Error(`${run} fails without a saboteur: ${failed}`)
    console.log(`${run}: passes without a saboteur`)
  }
  for (const [name, saboteur] of chosen) {
    const saboteurIn = await put(copy, saboteur)
    const failed = await failure(copy, saboteur)
    await saboteurIn.takeOut()
    console.log(`${name}: ${failed ? `noticed (${failed.trim()})` : 'NOT NOTICED'}`)
    if (!failed) process.exitCode = 1
  }
})
