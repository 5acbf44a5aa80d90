const MAX_NAMED = 10

/** The first ten names, and how many more there are. */
export function shortenList(names: string[], separator: ', ' | '; ' = ', '): string {
  const rest = names.length - MAX_NAMED
  const more = rest > 0 ? `${separator === '; ' ? ';' : ''} and ${rest} more` : ''
  return names.slice(0, MAX_NAMED).join(separator) + more
}
