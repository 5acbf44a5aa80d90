import { readFileSync, readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** How much lower exports are: beside other work that waits for a processor they get about a quarter of it. */
const LOWER = 5
const LOWEST = 19

/** The calling thread lets other threads go first. Only Linux has a priority for each thread; elsewhere nothing happens. */
export function yieldThread(): void {
  if (process.platform !== 'linux') return
  lower(() => Number(readlinkSync('/proc/thread-self').split('/').at(-1)))
}

/** So does the process of a connection to a database on this machine: `pid` of the server. */
export function yieldBackend(pid: number): void {
  if (process.platform !== 'linux') return
  lower(() => (readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('postgres:') ? pid : null))
}

function lower(find: () => number | null): void {
  try {
    const id = find()
    if (id !== null) setPriority(id, Math.min(LOWEST, getPriority(id) + LOWER))
  } catch {
    // It has ended, belongs to another user or is not to be seen from here: the export runs as it is.
  }
}
