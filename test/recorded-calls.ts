// Finds the calls in the recordings of a real store (test/fixtures/platform/recorded), whose files have different shapes.
type Json = any

/** A call and what the platform answered. */
export type RecordedCall = {
  /** Where it is in its file. */
  at: string
  document: string
  variables: Record<string, unknown>
  answer: { data?: Json; errors?: Json }
}

/** All calls of a file in the order in which they were made. */
export function recordedCalls(file: Json): RecordedCall[] {
  const calls: RecordedCall[] = []
  walk(file, '', calls)
  // In some files the documents are in one place and the answers, by the same name, in another.
  const { requests = {}, setup } = file
  const answers: Record<string, Json> = { setupCreate: setup?.create, ...file }
  for (const [name, value] of Object.entries<Json>(answers)) {
    const answer = answerIn(value)
    const request =
      requests[name] ?? requests[name === 'cleanup' ? 'delete' : name.startsWith('readAfter') ? 'read' : '']
    if (!answer || typeof request?.query !== 'string') continue
    calls.push({ at: `/${name}`, document: request.query, variables: variablesOf(request, file), answer })
  }
  return calls
}

function walk(value: Json, at: string, calls: RecordedCall[]): void {
  if (typeof value !== 'object' || value === null) return
  // What the recorder itself asked later is no part of the recording.
  if (at.startsWith('/upstreamCalls')) return
  const request = value.request ?? value
  const document = request.query ?? request.document
  const answer = answerIn(value)
  if (typeof document === 'string' && /^\s*(#graphql\s*)?(query|mutation)\b/.test(document) && answer) {
    calls.push({ at, document, variables: request.variables ?? {}, answer })
    return
  }
  for (const [key, inner] of Object.entries(value)) walk(inner, `${at}/${key}`, calls)
}

function answerIn(value: Json): RecordedCall['answer'] | null {
  for (const found of [value?.response?.payload, value?.response?.body, value?.response, value?.payload]) {
    if (found && typeof found === 'object' && ('data' in found || Array.isArray(found.errors))) return found
  }
  return null
}

/** A read without variables of its own uses those at the top of the file. */
const variablesOf = (request: Json, { variables = {} }: Json) =>
  request.variables ?? { ...variables, code: variables.code ?? variables.updatedCode }
