import type { TestServer } from '../test/test-server.ts'

/** Drops the databases of test processes that were stopped at their first failure: their names say which process made them. */
export async function dropAbandonedDatabases(server: TestServer): Promise<void> {
  for (const name of await server.databases()) {
    const pid = Number(/^test_(\d+)_/.exec(name)?.[1])
    if (pid && !isAlive(pid)) await server.onServer(`drop database if exists ${name} with (force)`)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
