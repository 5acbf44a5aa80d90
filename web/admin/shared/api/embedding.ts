import { BrowserRefusal } from './errors.ts'

type PlatformBridge = { idToken(): Promise<string> }

const bridge = (globalThis as { shopify?: PlatformBridge }).shopify

/** Whether the page is shown in the platform's admin, where its session tokens say who asks: nobody signs in. */
export const isEmbedded = bridge !== undefined

/** Where the page began: in a frame only that address may be shown again. */
const begunAt = location.href

/** Reads the whole page again, such as after the service has been updated. */
export const reloadPage = () => (isEmbedded ? location.assign(begunAt) : location.reload())

/** A token for one request. The platform makes new ones by itself, since they are valid for a minute. Throws what its script says where it gives none. */
export async function sessionToken(): Promise<string> {
  if (!bridge) throw new Error('Session tokens are there only in the admin of a shop')
  try {
    return await bridge.idToken()
  } catch (err) {
    throw new BrowserRefusal((err as Error).message)
  }
}
