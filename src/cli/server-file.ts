import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The address and process of the running service. */
export type RunningServer = { url: string; pid: number }

const SERVER_FILE = 'server.json'

/** Writes the address of the service to a file in the data directory, where commands on this machine find it. */
export function writeServerFile(dataDir: string, server: RunningServer): void {
  const path = join(dataDir, SERVER_FILE)
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(server)}\n`)
  renameSync(draft, path)
}

/** Removes the file if this process wrote it; the file of a later process stays. */
export function removeServerFile(dataDir: string): void {
  if (readServerFile(dataDir)?.pid === process.pid) rmSync(join(dataDir, SERVER_FILE), { force: true })
}

/** Null when there is no readable file. */
export function readServerFile(dataDir: string): RunningServer | null {
  try {
    const { url, pid } = JSON.parse(readFileSync(join(dataDir, SERVER_FILE), 'utf8')) as Partial<RunningServer>
    return typeof url === 'string' && typeof pid === 'number' ? { url, pid } : null
  } catch {
    return null
  }
}
