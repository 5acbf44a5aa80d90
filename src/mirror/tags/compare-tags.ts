import { TAG_LIMITS, type TaggedKind, tagKey } from '#platform'

/** A tag of an owner that we knew on the platform; `isOurs`: we have added it. */
export type KnownTag = { tag: string; isOurs: boolean }

/** What is kept for an owner. */
export type KeptTags = { wanted: string[]; known: KnownTag[] }

/** What is to be done, as a whole a pure function of what is kept and what the platform has. */
export type TagDifference = {
  add: string[]
  /** Only what we have added, in the platform's spelling. */
  remove: string[]
  /** Wanted ones that were on the platform before us. */
  found: string[]
  /** Known ones that are neither wanted nor to be removed. */
  forget: string[]
  /** Why wanted tags cannot be there, in words; null where they can. */
  problem: string | null
}

/**
 * Compares what is wanted with the tags that the platform has. Tags that are not wanted and not ours are none of our business. Case is
 * ignored, as the platform ignores it, and of two spellings the first counts.
 */
export function compareTags(kind: TaggedKind, { wanted, known }: KeptTags, present: string[]): TagDifference {
  const spelling = byKey(present)
  const knownByKey = new Map(known.map((one) => [tagKey(one.tag), one]))
  const problems: string[] = []
  const writable = new Map<string, string>()
  for (const [key, tag] of byKey(wanted)) {
    const problem = problemOf(kind, tag)
    if (problem === null) writable.set(key, tag)
    else problems.push(problem)
  }

  const unwanted = [...knownByKey].filter(([key]) => !writable.has(key))
  const remove = unwanted.flatMap(([key, { isOurs }]) => (isOurs && spelling.has(key) ? [spelling.get(key)!] : []))
  const absent = [...writable].filter(([key]) => !spelling.has(key)).map(([, tag]) => tag)
  const room = Math.max(0, TAG_LIMITS.perOwner - spelling.size + remove.length)
  const add = absent.slice(0, room)
  if (add.length < absent.length) {
    problems.push(
      `The ${kind} has ${spelling.size} tags, and the platform takes ${TAG_LIMITS.perOwner}: ${list(absent.slice(room))} has no room`
    )
  }
  return {
    add,
    remove,
    found: [...writable.keys()]
      .filter((key) => spelling.has(key) && !knownByKey.has(key))
      .map((key) => spelling.get(key)!),
    forget: unwanted.filter(([key, { isOurs }]) => !isOurs || !spelling.has(key)).map(([, { tag }]) => tag),
    problem: problems.length === 0 ? null : problems.join('. ')
  }
}

/** Whether the platform's tags have to be changed. */
export const hasToChange = ({ add, remove }: TagDifference): boolean => add.length > 0 || remove.length > 0

/** The wanted tags that an answer of the platform lacks, although it has taken them. */
export function notTaken(added: string[], present: string[]): string[] {
  const keys = byKey(present)
  return added.filter((tag) => !keys.has(tagKey(tag)))
}

/** The tags by their keys, in the first spelling of each. */
function byKey(tags: string[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const tag of tags) if (!found.has(tagKey(tag))) found.set(tagKey(tag), tag)
  return found
}

/** Why the platform would not keep a tag as it is; null when it would. */
function problemOf(kind: TaggedKind, tag: string): string | null {
  const max = TAG_LIMITS.characters[kind]
  if (tag.trim() === '') return 'A tag must not be empty'
  if (tag.includes(','))
    return `A tag must not have a comma, which separates tags on the platform: ${tag.slice(0, 300)}`
  if (tag.length > max)
    return `A tag of this ${kind} has ${tag.length} characters, and the platform takes ${max}: ${tag.slice(0, 300)}`
  return null
}

export const list = (tags: string[]): string => tags.join(', ')
