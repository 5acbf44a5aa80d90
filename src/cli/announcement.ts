import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the running service answers. */
export type Announcement = { url: string; pid: number }

const SERVER_FILE = 'server.json'

/** Tells commands on this machine, by a file in the data directory, where the service answers. */
export function announceServer(dataDir: string, announcement: Announcement): void {
  const path = join(dataDir, SERVER_FILE)
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(announcement)}\n`)
  renameSync(draft, path)
}

/** Takes this process's announcement back; a later process's stays. */
export function withdrawServer(dataDir: string): void {
  if (readAnnouncement(dataDir)?.pid === process.pid) rmSync(join(dataDir, SERVER_FILE), { force: true })
}

/** Null when there is none that can be read. */
export function readAnnouncement(dataDir: string): Announcement | null {
  try {
    const { url, pid } = JSON.parse(readFileSync(join(dataDir, SERVER_FILE), 'utf8')) as Partial<Announcement>
    return typeof url === 'string' && typeof pid === 'number' ? { url, pid } : null
  } catch {
    return null
  }
}
