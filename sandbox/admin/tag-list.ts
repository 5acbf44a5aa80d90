/** Removes duplicate tags, ignoring case (the first spelling stays), and sorts the list, also ignoring case. */
export function normalTags(tags: string[]): string[] {
  const known = new Map<string, string>()
  for (const tag of splitTags(tags)) if (!known.has(tag.toLowerCase())) known.set(tag.toLowerCase(), tag)
  return [...known.keys()].sort().map((key) => known.get(key)!)
}

/** A comma separates tags, even inside an element of a list. */
export function splitTags(tags: string[]): string[] {
  return tags.flatMap((tag) => tag.split(',').map((part) => part.trim())).filter(Boolean)
}

export function withTags(old: string[], added: string[]): string[] {
  return normalTags([...old, ...added])
}

export function withoutTags(old: string[], removed: string[]): string[] {
  const gone = new Set(splitTags(removed).map((tag) => tag.toLowerCase()))
  return old.filter((tag) => !gone.has(tag.toLowerCase()))
}
