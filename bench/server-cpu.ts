import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

/** Linux counts CPU time in hundredths of a second. */
const MS_PER_TICK = 10

/**
 * Reads the CPU time, in ms, that a PostgreSQL server on this machine has used: its processes, and those that have ended. Reads
 * /proc, so Linux only.
 */
export async function serverCpu(url: string): Promise<() => number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const postmaster = statOf(rows[0].pid)?.parent
  await client.end()
  if (!postmaster) throw new Error('The server does not run on this machine')
  return () =>
    MS_PER_TICK *
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), stat: statOf(Number(name)) }))
      .reduce((sum, { pid, stat }) => {
        if (pid === postmaster) return sum + stat!.own + stat!.ended
        return stat?.parent === postmaster ? sum + stat.own : sum
      }, 0)
}

/** Reads the CPU time, in ms, that one process has used. */
export const processCpu = (pid: number) => (): number => MS_PER_TICK * (statOf(pid)?.own ?? 0)

/** Ticks of a process and of its children that have ended; null when there is no such process. */
function statOf(pid: number): { parent: number; own: number; ended: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const tick = (index: number) => Number(fields[index])
    return { parent: tick(1), own: tick(11) + tick(12), ended: tick(13) + tick(14) }
  } catch (err) {
    const { code } = err as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return null
    throw err
  }
}

/** The memory that a process has, in MB; 0 where it is gone. */
export function rssOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw err
  }
}
