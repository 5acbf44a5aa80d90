/** What a `query` argument asks for, ready to be a parameter of a listing statement. */
export type Search = Record<string, string>

const COMPARISONS = { '>=': 'gte', '<=': 'lte', '>': 'gt', '<': 'lt', '': 'eq' } as const

/**
 * Reads the platform's search syntax, the part of it that a machine uses: `field:value` with a comparison before the
 * value, joined by spaces or AND. A term without a field is free text. Fields that a list does not know find no use there.
 */
export function parseSearch(query: string | null | undefined): Search {
  const found: Search = {}
  for (const match of (query ?? '').matchAll(/(?:([a-z_]+):)?(>=|<=|>|<)?(?:"([^"]*)"|'([^']*)'|([^\s"']+))/gi)) {
    const [, field, comparison = '', double, single, bare] = match
    const value = double ?? single ?? bare ?? ''
    if (!field) {
      if (value.toUpperCase() !== 'AND' && value !== '') found.text = value
      continue
    }
    found[`${field.toLowerCase()}_${COMPARISONS[comparison as keyof typeof COMPARISONS]}`] = value
  }
  return found
}
