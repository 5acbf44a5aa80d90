// Compares a recorded answer with that of the sandbox. What each platform chooses itself is mapped: ids, cursors, digests, instants.
type Json = any

/** What the recorded store called something, and what the sandbox calls it. */
export type Names = { ours: Map<string, string>; theirs: Map<string, string> }

const GID = /^gid:\/\/shopify\/([A-Za-z]+)\/([\w-]+)(\?[\w=&-]*)?$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
/** Chosen by the platform, unless the call gave it. */
const CHOSEN = new Set([
  'giftCardCode',
  'lastCharacters',
  'maskedCode',
  'legacyResourceId',
  'compareDigest',
  'url',
  'resourceUrl',
  'accessToken',
  'handle'
])
const CURSOR = new Set(['startCursor', 'endCursor', 'cursor'])

/** The value with what the recorded store called its things replaced by what the sandbox calls them, in texts too. */
export function renamed(value: Json, names: Names): Json {
  if (typeof value === 'string') {
    const whole = names.ours.get(value)
    if (whole !== undefined) return whole
    return value.replaceAll(/app--\d+|\(\d{9,}\)|gid:\/\/shopify\/[A-Za-z]+\/[\w-]+/g, (id) => names.ours.get(id) ?? id)
  }
  if (Array.isArray(value)) return value.map((one) => renamed(one, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, renamed(inner, names)]))
}

/** Notes that the two name the same thing; false if either named something else before. */
export function pair(names: Names, theirs: string, ours: string): boolean {
  if (!names.ours.has(theirs) && !names.theirs.has(ours)) {
    names.ours.set(theirs, ours)
    names.theirs.set(ours, theirs)
  }
  return names.ours.get(theirs) === ours && names.theirs.get(ours) === theirs
}

export type Compared = {
  expected: { data?: Json; errors?: Json }
  actual: { data?: Json; errors?: Json }
  /** What was sent: its texts are compared as they are. */
  given: string
  names: Names
  /** The document was sent without some fields: only what is in the answer was asked for. */
  isReduced: boolean
  /** The document is kept apart from its answer and may ask for more than it did then: what the answer lacks was not asked for. */
  mayAskMore?: boolean
}

/** What differs, each beginning with its place in the answer. */
export function compareAnswers({ expected, actual, given, names, isReduced, mayAskMore }: Compared): string[] {
  const differences: string[] = []
  const sent = given.toLowerCase()
  const tell = (path: string, want: Json, got: Json) =>
    differences.push(
      `${path}: ${JSON.stringify(want) ?? 'nothing'} was recorded, but ${JSON.stringify(got) ?? 'nothing'}`
    )

  const sameText = (want: string, got: string, path: string): boolean => {
    if (want === got) return true
    const [id, our] = [GID.exec(want), GID.exec(got)]
    if (id && our && id[1] === our[1] && id[3] === our[3]) {
      if (!pair(names, want, got)) differences.push(`${path}: another object than before (${want}, ${got})`)
      return true
    }
    if (INSTANT.test(want) && INSTANT.test(got) && !sent.includes(want.slice(0, 19).toLowerCase())) return true
    const key = path
      .split('.')
      .at(-1)!
      .replace(/\[\d+\]$/, '')
    if (CURSOR.has(key) && want !== '' && got !== '') {
      // One of ours may stand for several of theirs, which also say what a list is sorted by.
      if (!names.ours.has(want)) names.ours.set(want, got)
      return names.ours.get(want) === got
    }
    if (CHOSEN.has(key) && got !== '' && !sent.includes(want.toLowerCase().slice(-4))) {
      names.ours.set(want, got)
      return true
    }
    // The number of the app that calls, which is in the namespaces that are its own.
    const [app, ours] = [/app--\d+/.exec(want), /app--\d+/.exec(got)]
    if (app && ours && !pair(names, app[0], ours[0])) return false
    // Ids in a sentence.
    return renamed(want, names) === got
  }

  const same = (want: Json, got: Json, path: string): void => {
    if (typeof want === 'string' && typeof got === 'string') {
      if (!sameText(want, got, path)) tell(path, want, got)
      return
    }
    if (Array.isArray(want) && Array.isArray(got)) {
      if (want.length !== got.length) return void tell(path, want, got)
      for (const [i, one] of want.entries()) same(one, got[i], `${path}[${i}]`)
      return
    }
    if (isObject(want) && isObject(got)) {
      // What the store of files wants to have sent with a file.
      if (want.name === got.name && /^(key|policy|x-goog-)/.test(want.name) && want.value && got.value) {
        names.ours.set(want.value, got.value)
        return
      }
      const isAnswer = path.startsWith('data')
      const [theirs, ours] = [Object.keys(want), Object.keys(got)]
      let keys = new Set([...theirs, ...ours])
      // Only what was asked for in both is compared: neither answer lacks what it was asked for.
      if (isAnswer && mayAskMore) keys = new Set(theirs.filter((key) => key in got))
      else if (isAnswer && isReduced) keys = new Set(ours)
      if (keys.size === 0 && theirs.length + ours.length > 0) return void tell(path, want, got)
      for (const key of keys) same(want[key], got[key], `${path}.${key}`)
      return
    }
    if (want !== got) tell(path, want, got)
  }

  const wasSent = (error: Json) => !isReduced || !error?.path || (isObject(actual.data) && error.path[0] in actual.data)
  same(shownErrors(expected.errors).filter(wasSent), shownErrors(actual.errors).filter(wasSent), 'errors')
  if (isObject(expected.data) && isObject(actual.data)) same(expected.data, actual.data, 'data')
  else if (isObject(expected.data) !== isObject(actual.data)) tell('data', expected.data, actual.data)
  return differences
}

/** The errors without their places in the text of the document, which follow from how it was written, and numbers of requests. */
function shownErrors(errors: Json): Json[] {
  if (!Array.isArray(errors)) return errors ? [errors] : []
  return errors.map((error: Json) => {
    if (!isObject(error)) return error
    const { locations, extensions = {}, ...rest } = error
    const { requestId, ...shown } = extensions ?? {}
    return { ...rest, extensions: shown }
  })
}

function isObject(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
