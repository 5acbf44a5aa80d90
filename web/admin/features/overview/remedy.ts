import type { components } from '../../shared/api/schema.ts'

type Problem = Pick<components['schemas']['Problem'], 'kind' | 'subject'>

const PAGES: Record<string, string> = {
  store_not_connected: 'integrations',
  store_disconnected: 'integrations',
  token_refused: 'integrations',
  scopes_missing: 'integrations',
  rewards_failing: 'integrations',
  dead_letters: 'workbench',
  events_retried: 'workbench',
  charges_held: 'billing',
  charges_pending: 'billing'
}

/** The page of a store on which a problem is solved, as a path below the store; null where its own words are all there is. */
export function remedyOf({ kind, subject }: Problem): string | null {
  if (kind.startsWith('endpoint_')) return `webhooks/${subject}`
  return PAGES[kind] ?? null
}
