// Finds the calls in the recordings of a real store (test/fixtures/platform/recorded), whose files have different shapes.
import { RESTORED } from './restored-calls.ts'

type Json = any

/** A call and what the platform answered. */
export type RecordedCall = {
  /** Where the answer is in its file. */
  at: string
  document: string
  variables: Record<string, unknown>
  answer: { data?: Json; errors?: Json }
  /** Its document is not in the file, and may have been changed since. */
  isSeparate: boolean
}

/**
 * Documents that are not in the file of their answers: those that its recorder kept in files of its own, and, marked as restored, those
 * that follow from the answer (cleanups). By file and place of the answer.
 */
export type SeparateDocuments = {
  documents: Record<string, string>
  calls: Record<string, Record<string, { document: string; variables?: Record<string, unknown>; restored?: boolean }>>
}

export type Recording = { calls: RecordedCall[]; withoutDocument: string[] }

/** All calls of a file in the order in which they were made, and the places of answers to which no document is known. */
export function recordedCalls(name: string, file: Json, separate: SeparateDocuments): Recording {
  const found: Recording = { calls: [], withoutDocument: [] }
  const visit = (value: Json, at: string, parents: Json[]) => {
    if (typeof value !== 'object' || value === null) return
    // What the recorder's own server asked the store later is no part of the recording.
    if (at.startsWith('/upstreamCalls')) return
    // What that server was to answer, where it differs from the store.
    if (at === '/expected') return
    if (isAnswer(value)) {
      const nearest = [value, ...parents.slice(0, 3)]
      const near = nearest.map(requestIn).find((request) => request.document !== undefined)
      const kept = separate.calls[name]?.[at]
      // Some files keep all documents in one place. They are of the recording, which those in files of their own need not be.
      const named = near ? undefined : namedRequest(file.requests, at)
      const restored = RESTORED[name]?.[at]
      const document =
        near?.document ?? restored?.document ?? named?.document ?? (kept && separate.documents[kept.document])
      const variables =
        near?.variables ??
        restored?.variables ??
        kept?.variables ??
        named?.variables ??
        nearest.map(requestIn).find((request) => request.variables !== undefined)?.variables ??
        {}
      // A row of an operation's file is no answer to a call.
      if (document === undefined || at.includes('/resultRows/')) found.withoutDocument.push(at)
      else
        found.calls.push({ at, document, variables, answer: value, isSeparate: !near && !named && !restored?.document })
      return
    }
    for (const [key, inner] of Object.entries(value))
      visit(inner, `${at}/${key.replaceAll('/', '~1')}`, [value, ...parents])
  }
  visit(file, '', [])
  return found
}

/** The request of the answer at a place: by the names on the way to it, or by what it reads or deletes. */
function namedRequest(requests: Json, at: string): ReturnType<typeof requestIn> | undefined {
  const [first = '', ...others] = at.split('/').filter((part) => part && !/^(response|payload|body|\d+)$/.test(part))
  const joined = [first, ...others.map((part) => part[0]!.toUpperCase() + part.slice(1))].join('')
  const general = /^(cleanup|\w+Cleanup)/.test(first) ? 'delete' : /^readAfter/.test(first) ? 'read' : ''
  for (const request of [requests?.[joined], requests?.[first], requests?.[general]]) {
    const { document, variables } = requestIn(request)
    if (document !== undefined) return { document, variables }
  }
  return undefined
}

function isAnswer(value: Json): boolean {
  const { data, errors } = value
  if ('data' in value && (data === null || (typeof data === 'object' && !Array.isArray(data)))) return true
  return Array.isArray(errors) && typeof errors[0]?.message === 'string' && !('field' in errors[0])
}

function requestIn(value: Json): { document?: string; variables?: Record<string, unknown> } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  const request = typeof value.request === 'object' && value.request !== null ? value.request : value
  const document = [request.query, request.document].find(
    (text) => typeof text === 'string' && /^\s*(#.*\n\s*)*(query|mutation|\{)/.test(text)
  )
  return { document, variables: typeof request.variables === 'object' ? (request.variables ?? {}) : undefined }
}
