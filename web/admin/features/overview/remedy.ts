import type { components } from '../../shared/api/schema.ts'

type Problem = Pick<components['schemas']['Problem'], 'kind' | 'subject'>

const PAGES: Record<string, string> = {
  store_not_connected: 'integrations/platform',
  store_disconnected: 'integrations/platform',
  token_refused: 'integrations/platform',
  scopes_missing: 'integrations/platform',
  rewards_failing: 'integrations/reward-points',
  dead_letters: 'workbench/dead-letters',
  events_retried: 'workbench',
  metafields_differ: 'settings/platform',
  tags_differ: 'settings/platform',
  charges_held: 'billing',
  charges_pending: 'billing'
}

/** The page of a store on which a problem is solved, as a path below the store; null where its own words are all there is. */
export function remedyOf({ kind, subject }: Problem): string | null {
  if (kind.startsWith('endpoint_')) return `webhooks/${subject}`
  return PAGES[kind] ?? null
}
