import { type Static, Type } from 'typebox'
import { PROBLEM_KINDS, type Problem } from '#audit'
import { isoOrNull } from '#kit/clock'
import { OrNull, Timestamp } from '#resources'

export const ProblemBody = Type.Object(
  {
    kind: Type.String({
      description: `What it is, to branch on: ${Object.keys(PROBLEM_KINDS)
        .map((kind) => `\`${kind}\``)
        .join(', ')}; there may be more`
    }),
    store: OrNull(Type.String({ description: 'The domain of the store; null for the whole installation' })),
    subject: Type.String({
      description:
        'What it is about: an endpoint, an engine, a kind of job, a consumer. Kind, store and subject name it'
    }),
    since: OrNull(Timestamp("Since when, in the store's time; null when that is not known")),
    message: Type.String({ description: 'What does not work, and the last error' }),
    next: Type.String({ description: 'What to do: a sentence, or a command' })
  },
  {
    title: 'Problem',
    description: 'Something that does not work.',
    examples: [
      {
        kind: 'endpoint_failing',
        store: 'books.example',
        subject: 'we_2',
        since: '2027-09-05T12:12:00.000Z',
        message: 'The endpoint we_2 (https://example.com/hooks) has accepted no delivery; its last try failed: 500',
        next: 'Fix the receiver. Its tries: perennial webhook deliveries --store books.example --endpoint we_2'
      }
    ]
  }
)

export const presentProblem = ({ since, ...problem }: Problem): Static<typeof ProblemBody> => ({
  ...problem,
  since: isoOrNull(since)
})
