import type { Encoding } from '#exports'

/** The best first, where a client likes several equally: rows of an export cost least in zstd, and shrink most. */
const OFFERED: Encoding[] = ['zstd', 'br', 'gzip']

/** The encoding of a response by the client's `Accept-Encoding` (RFC 9110, 12.5.3): none where it names none of ours. */
export function acceptedEncoding(header: string | string[] | undefined): Encoding {
  const weightOf = weightsOf(header)
  return OFFERED.reduce<Encoding>(
    (best, name) => (weightOf(name) > (best === 'identity' ? 0 : weightOf(best)) ? name : best),
    'identity'
  )
}

/** Whether a client that says so takes an encoding, for what was compressed before. */
export const acceptsEncoding = (header: string | string[] | undefined, name: 'br' | 'gzip'): boolean =>
  weightsOf(header)(name) > 0

function weightsOf(header: string | string[] | undefined): (name: string) => number {
  const weights = new Map<string, number>()
  for (const part of [header ?? []].flat().join(',').split(',')) {
    const [name = '', ...parameters] = part.toLowerCase().split(';')
    const weight = parameters.map((one) => /^\s*q=([0-9.]+)\s*$/.exec(one)?.[1]).find((q) => q !== undefined)
    weights.set(name.trim(), weight === undefined ? 1 : Number(weight))
  }
  return (name) => weights.get(name) ?? weights.get('*') ?? 0
}
