import { join } from 'node:path'
import { chooseServiceUser, giveDirectory, RootProblem, type ServiceUser } from './leave-root.ts'

/** Files that only a data directory of ours has. */
const MARKERS = ['master.key', 'operator.token', 'owner.lock', 'server.json', 'database-seen.json']

/**
 * As whom the service continues when root has started it, and the same for the embedded database; null where not root has. The
 * data directory is the user's then. Throws RootProblem.
 */
export function serviceUserFor(dataDir: string, wanted: string | null): ServiceUser | null {
  try {
    const user = chooseServiceUser({ wanted, owned: [join(dataDir, 'postgres'), dataDir] })
    if (user) giveDirectory(dataDir, user, MARKERS)
    return user
  } catch (err) {
    if (err instanceof RootProblem) throw err
    const { code, message } = err as NodeJS.ErrnoException
    // A container may take the right to change the user from its root.
    throw new RootProblem(
      code === 'EPERM' || code === 'EINVAL'
        ? `Root has started Perennial, which does not run as root, and may not continue as another user here (${message}): start it as an ordinary user`
        : `DATA_DIR cannot be used: ${message}`
    )
  }
}
