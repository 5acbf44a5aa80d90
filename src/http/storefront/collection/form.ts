import type { FastifyRequest } from 'fastify'
import { type TopicName, topics } from '#exports'
import { invalidBody } from '#kit/refusal'
import { invalid } from '../../shared/validation.ts'

export const FORM = 'application/x-www-form-urlencoded'

const TOPICS = topics.map(({ name }) => name)

/** The fields of a form, as the framework's parser of a body. */
export async function parseForm(_request: FastifyRequest, body: Buffer): Promise<URLSearchParams> {
  const text = body.toString('latin1')
  // Bytes beyond ASCII are escaped in a form; others would be read in one of several ways.
  if (/[^\x20-\x7e]/.test(text)) throw invalidBody(`must be ${FORM}`)
  return new URLSearchParams(text)
}

/** The key and the topic of a form. Refuses what is missing, repeated or no topic; other fields are ignored. */
export function readForm(body: unknown): { key: string; topic: TopicName } {
  const form = body instanceof URLSearchParams ? body : new URLSearchParams()
  const problems: { field: string; code: 'required' | 'invalid'; message: string }[] = []
  const single = (field: string, accepts: string): string => {
    const [value = '', ...more] = form.getAll(field)
    if (more.length > 0) problems.push({ field, code: 'invalid', message: 'is given more than once' })
    else if (value === '') problems.push({ field, code: 'required', message: `is required and must be ${accepts}` })
    return value
  }
  const accepted = `one of ${TOPICS.join(', ')}`
  const key = single('key', 'an API key of the store')
  const given = single('topic', accepted)
  const topic = TOPICS.find((name) => name === given)
  if (topic === undefined && !problems.some(({ field }) => field === 'topic')) {
    problems.push({ field: 'topic', code: 'invalid', message: `must be ${accepted}` })
  }
  if (topic === undefined || problems.length > 0) throw invalid(problems)
  return { key, topic }
}
