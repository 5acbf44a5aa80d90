// Runs recorded statements of the service with pgbench, PostgreSQL's load tool.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Statement } from '#kit/postgres'

/** The path of pgbench; null if it is not installed. */
export async function findPgbench(): Promise<string | null> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => [])
  const places = ['pgbench', ...versions.toReversed().map((version) => `/usr/lib/postgresql/${version}/bin/pgbench`)]
  return places.find(runs) ?? null
}

function runs(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Transactions per second of a script with `clients` connections, as `role`. */
export async function pgbench(
  command: string,
  options: { url: string; role: string; script: string; clients: number; seconds: number }
): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'perennial-pgbench-'))
  try {
    const file = join(dir, 'script.sql')
    await writeFile(file, options.script)
    const { clients, seconds } = options
    const { stdout } = await promisify(execFile)(
      command,
      ['-n', '-M', 'prepared', '-c', `${clients}`, '-j', '2', '-T', `${seconds}`, '-f', file, options.url],
      { env: { ...process.env, PGOPTIONS: `-c role=${options.role}` } }
    )
    const tps = /^tps = ([\d.]+)/m.exec(stdout)?.[1]
    if (!tps) throw new Error(`pgbench: ${stdout}`)
    return Number(tps)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/**
 * A recorded statement for pgbench: parameters inlined, and each value of `variables`, alone or within a text, replaced by
 * pgbench's variable of that name.
 */
export function asScript({ text, values }: Statement, variables: Map<string, string>): string {
  const marked = new RegExp(`(${[...variables.keys()].join('|')})`)
  const render = (value: unknown): string => {
    if (value === null) return 'null'
    if (Array.isArray(value)) return value.length === 0 ? "'{}'" : `array[${value.map(render).join(', ')}]`
    const written = String(value)
    if (variables.has(written)) return `:${variables.get(written)}`
    if (typeof value === 'number' || typeof value === 'boolean') return written
    const parts = written.split(marked).filter((part) => part !== '')
    return (
      parts.map((part) => (variables.has(part) ? `:${variables.get(part)}::text` : quoted(part))).join(' || ') || "''"
    )
  }
  return text.replace(/\$(\d+)/g, (_, n) => render(values[Number(n) - 1]))
}

/** pgbench treats a colon before a letter as a variable, even within quotes. */
const quoted = (text: string) => `'${text.replaceAll("'", "''").replace(/:(?=[A-Za-z_])/g, ":' || '")}'`
