import { call, Failure } from '../../../web/storefront/shared/api.ts'

/** Asks the service below `/membership`; with a body, changes something. Throws `Failure`. */
export type Ask = <T>(path: string, body?: object) => Promise<T>

/** What a staff member enters for the extension in the editor of customer accounts. */
export type Settings = { service_url?: unknown; pause_days?: unknown }

const DEFAULT_PAUSE_DAYS = 30

/** The address of the service that the settings name; null for none, and for what is no address. */
export function serviceAddress({ service_url: text }: Settings): string | null {
  const url = typeof text === 'string' && URL.canParse(text.trim()) ? new URL(text.trim()) : null
  return url && /^https?:$/.test(url.protocol) ? url.origin : null
}

/** For how many days a pause is; null until the customer resumes. */
export function pauseDays({ pause_days: days }: Settings): number | null {
  if (days === undefined || days === null || days === '') return DEFAULT_PAUSE_DAYS
  return Number.isInteger(Number(days)) && Number(days) > 0 ? Number(days) : null
}

/** Asks with a session token that is fresh for every request: one lives for five minutes, and a page for longer. */
export function askService(address: string, token: () => Promise<string>): Ask {
  return async (path, body) => {
    const bearer = await token().catch((err: unknown) => {
      // The platform may give one later.
      throw new Failure(0, err instanceof Error ? err.message : '')
    })
    return call(`${address}/customer-account/v1/membership/${path}`, body, { authorization: `Bearer ${bearer}` })
  }
}
