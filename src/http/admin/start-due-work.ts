import type { Store } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'

/** Runs the due work of a sandbox store before the response; that of a live store is left to the background. */
export async function startDueWork(
  { settle }: Pick<HttpDeps, 'settle'>,
  { storeId, sandbox }: Pick<Store, 'storeId' | 'sandbox'>
): Promise<void> {
  if (sandbox) await settle(storeId)
}
