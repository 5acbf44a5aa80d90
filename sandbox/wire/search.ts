/** The terms of a `query` argument, as a parameter of a list statement. */
export type Search = Record<string, string>

const COMPARISONS = { '>=': 'gte', '<=': 'lte', '>': 'gt', '<': 'lt', '': 'eq' } as const

/**
 * Parses the part of the platform's search syntax that clients use: `field:value`, with an optional comparison before the value,
 * joined by spaces or AND. A term without a field is free text. A list ignores fields that it does not have.
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
