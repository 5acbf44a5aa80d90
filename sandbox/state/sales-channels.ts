/** Where orders come from: the app that sold them, with its number on the platform. */
const CHANNELS: Record<string, { id: string; name: string }> = {
  web: { id: '580111', name: 'Online Store' },
  pos: { id: '129785', name: 'Point of Sale' },
  shopify_draft_order: { id: '1354745', name: 'Draft Orders' },
  subscription_contract: { id: '2525000003', name: 'Membership' }
}
const FIRST_OTHER = 3_000_000
const OTHERS = 1_000_000

/** The app of an order's source: a channel of the platform, or an app by its number or, in the sandbox, by any name. */
export function appOfSource(sourceName: string): { id: string; name: string } {
  const known = CHANNELS[sourceName] ?? Object.values(CHANNELS).find(({ id }) => id === sourceName)
  if (known) return known
  if (/^[1-9]\d{0,17}$/.test(sourceName)) return { id: sourceName, name: `App ${sourceName}` }
  let hash = 0
  for (const char of sourceName) hash = (hash * 31 + char.codePointAt(0)!) % OTHERS
  return { id: String(FIRST_OTHER + hash), name: sourceName }
}
