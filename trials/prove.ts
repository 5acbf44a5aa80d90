import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CleanCopy, inCleanCopy } from '../scripts/clean-copy.ts'
import type { Saboteur } from './saboteurs/saboteur.ts'
import { SABOTEURS } from './saboteurs.ts'

/**
 * Puts each saboteur into a clean copy of the tree and runs its trial there, at the smallest size that catches it; before that, the
 * run has to pass without one. Prints a line for each. Returns whether every trial ended as its saboteur says. `word`: only
 * saboteurs in whose name or trial it occurs.
 */
export async function prove(word: string): Promise<boolean> {
  const chosen = Object.entries(SABOTEURS).filter(([name, { trial }]) => `${name} ${trial}`.includes(word))
  if (chosen.length === 0) throw new Error(`No saboteur has ${word} in its name or trial`)
  let areAllAsSaid = true
  await inCleanCopy(async (copy) => {
    const passed = new Set<string>()
    for (const [name, saboteur] of chosen) {
      const command = saboteur.run.join(' ')
      if (!passed.has(command)) {
        const failed = await failure(copy, saboteur.run)
        if (failed) throw new Error(`${command} fails without a saboteur: ${failed}`)
        passed.add(command)
      }
      const { takeOut } = await putIn(copy, saboteur)
      const failed = await failure(copy, saboteur.run)
      await takeOut()
      const isAsSaid = (failed !== null) === (saboteur.trialThen === 'fails')
      areAllAsSaid &&= isAsSaid
      const end = failed === null ? 'passes' : `fails (${failed})`
      console.log(JSON.stringify({ trial: saboteur.trial, saboteur: name, end, asExpected: isAsSaid }))
    }
  })
  return areAllAsSaid
}

/** The message of an error, not the line of code that throws it. */
const MESSAGE = /^\s*(?:\w*Error\b.*:|error:) .*[^{]$/

/** The first line of the error with which a run ends; null if it passes. */
async function failure(copy: CleanCopy, run: string[]): Promise<string | null> {
  return copy.run(process.execPath, ...run).then(
    ({ stdout }) => {
      // A trial that did nothing would pass with any fault.
      if (/"skipped":/.test(stdout)) throw new Error(`${run.join(' ')} is skipped here: ${stdout.slice(0, 500)}`)
      return null
    },
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      const lines = `${stdout}\n${stderr}`.split('\n')
      return (lines.find((line) => MESSAGE.test(line)) ?? lines.find((line) => /error/i.test(line)) ?? lines.at(-1)!)
        .trim()
        .slice(0, 200)
    }
  )
}

async function putIn(copy: CleanCopy, { edits }: Saboteur): Promise<{ takeOut(): Promise<void> }> {
  const texts = new Map<string, string>()
  for (const { file, from, to } of edits) {
    const path = join(copy.dir, file)
    const text = await readFile(path, 'utf8')
    if (text.split(from).length !== 2) throw new Error(`${file} has not once: ${from}`)
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
