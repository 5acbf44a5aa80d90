import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A folder for a server of its own, which its caller removes. Services that root starts here continue as the user of the database,
 * who must be able to reach its socket.
 */
export async function aServerFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'perennial-server-'))
  await chmod(folder, 0o711)
  return folder
}
