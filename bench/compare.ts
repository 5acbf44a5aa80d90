// Runs a bench of this checkout and the same bench of another, older one in turns, and prints what each measured as ratios of the
// two: above 1, this checkout has the larger number. Both checkouts need their node_modules.
// Usage: node bench/compare.ts <the other checkout> <rounds> <bench, such as store-credit> [the bench's arguments]
import { execFile } from 'node:child_process'
import { loadavg } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './database.ts'

const [otherCheckout, rounds, bench, ...args] = process.argv.slice(2)
if (!otherCheckout || !Number(rounds) || !bench) {
  throw new Error('Usage: node bench/compare.ts <the other checkout> <rounds> <bench> [arguments]')
}
const run = promisify(execFile)
const trees = { here: fileURLToPath(new URL('..', import.meta.url)), other: resolve(otherCheckout) }

/** The numbers of one run by name: fields of its lines of JSON, and rates of its lines of text (`ours 512/s`). */
async function numbersOf(tree: string): Promise<Map<string, number>> {
  // A bench that misses its own target exits with 1: its numbers still count here.
  const { stdout: output, stderr } = await run(process.execPath, [`bench/${bench}.ts`, ...args], {
    cwd: tree,
    maxBuffer: 64 * 1024 * 1024
  }).catch((err) => err as { stdout: string; stderr: string })
  if (!output) throw new Error(`${bench} in ${tree} printed nothing: ${stderr}`)
  const numbers = new Map<string, number>()
  for (const line of output.split('\n')) {
    if (line.startsWith('{')) {
      const { name = '', ...fields } = JSON.parse(line) as Record<string, unknown>
      for (const [field, value] of Object.entries(fields)) {
        if (typeof value === 'number') numbers.set(`${name} ${field}`.trim(), value)
      }
    }
    for (const [, name, rate] of line.matchAll(/([a-z][a-z -]*?)\s+([\d.]+)\/s/gi))
      numbers.set(`${name}/s`, Number(rate))
  }
  return numbers
}

const measured: Record<keyof typeof trees, Map<string, number>[]> = { here: [], other: [] }
for (let round = 0; round < Number(rounds); round++) {
  // Each begins every second round: what comes later in a round may find a warmer machine.
  const order = round % 2 === 0 ? (['other', 'here'] as const) : (['here', 'other'] as const)
  for (const which of order) measured[which].push(await numbersOf(trees[which]))
}
const of = (which: keyof typeof trees, name: string) => measured[which].map((numbers) => numbers.get(name)!)
console.log(`${bench} ${args.join(' ')}: ${rounds} rounds in turns, medians; load ${loadavg()[0]!.toFixed(1)}`)
for (const name of measured.here[0]!.keys()) {
  if (!measured.other.every((numbers) => numbers.has(name))) continue
  const [here, other] = [of('here', name), of('other', name)]
  const ratios = here.map((value, i) => value / other[i]!).filter(Number.isFinite)
  if (ratios.length === 0) continue
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2))
  console.log(
    `${name.padEnd(44)} here ${median(here)}  other ${median(other)}  ratio ${median(ratios).toFixed(2)} (${least} to ${most})`
  )
}
