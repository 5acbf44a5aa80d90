const MAX_NAMED = 10

/** The first ten names, and how many more there are. */
export function shortenList(names: string[], separator: ', ' | '; ' = ', '): string {
  const rest = names.length - MAX_NAMED
  const more = rest > 0 ? `${separator === '; ' ? ';' : ''} and ${rest} more` : ''
  return names.slice(0, MAX_NAMED).join(separator) + more
}

/** The beginning of a text, in so many characters: one that is longer ends with an ellipsis. */
export const beginningOf = (text: string, length: number): string => {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'

/** A name of a host, in lower case. */
export const HOST_NAME = new RegExp(`^(?=.{3,253}$)${LABEL}(?:\\.${LABEL})*$`)

/** A name of a host with at least two parts, in lower case. */
export const DOMAIN_NAME = new RegExp(`^(?=.{3,253}$)${LABEL}(?:\\.${LABEL})+$`)
