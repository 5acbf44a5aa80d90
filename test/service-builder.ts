import { beforeDrop } from './database.ts'
import { startServiceHere } from './service-here.ts'

export { OPERATOR_TOKEN, SANDBOX_APP, type ServiceOnItsOwn } from './service-here.ts'

/** The same as `startServiceHere`, for a test: it ends before the test's database is dropped. */
export async function startService(...args: Parameters<typeof startServiceHere>) {
  const service = await startServiceHere(...args)
  beforeDrop(service.stop)
  return service
}
