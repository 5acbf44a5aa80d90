import { type Static, Type } from 'typebox'
import type { Import } from '#imports'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { OrNull, Timestamp } from '#resources'
import { StoreParams } from '../store.ts'

/** Names an import of a store in a path. */
export const ImportParams = Type.Object({
  ...StoreParams.properties,
  import: Type.String({ description: 'the id of an import such as imp_3', examples: ['imp_3'] })
})

export const ImportBody = Type.Object(
  {
    id: Type.String({ description: 'The import id, `imp_3`' }),
    source: Type.String({ description: 'Where its rows come from: `csv`, `ndjson` or `platform`' }),
    mode: Type.String({ description: 'How contracts begin where their row does not say: `live` or `paused`' }),
    paused_until: OrNull(Timestamp('When paused ones resume by themselves')),
    allow_duplicates: Type.Boolean({
      description: 'Whether its rows without an id may create several contracts of one customer for one plan'
    }),
    status: Type.String({
      description:
        "`receiving` (waits for its file, for seven days), `fetching` (waits for the platform's list), `running`, `done`, `failed` or `cancelled`"
    }),
    sha256: OrNull(Type.String({ description: 'Of the file, in hexadecimal digits' })),
    listed: Type.Integer({
      description: 'How many contracts the platform has listed so far, for an import from the platform'
    }),
    lines_read: Type.Integer({ description: 'How many lines of the file were read' }),
    total: Type.Integer({ description: 'How many rows were read' }),
    created: Type.Integer({ description: 'How many contracts were taken over' }),
    unchanged: Type.Integer({ description: 'How many were known before' }),
    refused: Type.Integer({ description: 'How many rows were refused' }),
    waiting: Type.Integer({ description: 'How many of the rows that were read are not processed yet' }),
    pushed: Type.Optional(
      Type.Integer({
        description:
          'How many of the created contracts also have their next date and pause on the platform; only where one import is read'
      })
    ),
    error: OrNull(
      Type.String({ description: 'Why it waits while the platform does not answer; it goes on by itself' })
    ),
    created_at: Timestamp('When it was made'),
    started_at: OrNull(Timestamp('When its rows began to be taken over')),
    finished_at: OrNull(Timestamp('When it ended'))
  },
  {
    title: 'Import',
    description: 'Contracts that others have billed until now, on their way here.',
    examples: [
      {
        id: 'imp_3',
        source: 'csv',
        mode: 'paused',
        paused_until: '2027-03-01T05:00:00.000Z',
        allow_duplicates: false,
        status: 'done',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        listed: 0,
        lines_read: 1998,
        total: 1997,
        created: 1990,
        unchanged: 0,
        refused: 7,
        waiting: 0,
        pushed: 1990,
        error: null,
        created_at: '2027-01-31T15:00:00.000Z',
        started_at: '2027-01-31T15:00:02.000Z',
        finished_at: '2027-01-31T15:00:41.000Z'
      }
    ]
  }
)

export function presentImport(shown: Import): Static<typeof ImportBody> {
  const { totalRows, createdRows, unchangedRows, refusedRows } = shown
  return {
    id: publicId('imp', shown.id),
    source: shown.source,
    mode: shown.mode,
    paused_until: isoOrNull(shown.pausedUntil),
    allow_duplicates: shown.allowDuplicates,
    status: shown.status,
    sha256: shown.fileSha256,
    listed: shown.listedContracts,
    lines_read: shown.linesRead,
    total: totalRows,
    created: createdRows,
    unchanged: unchangedRows,
    refused: refusedRows,
    waiting: totalRows - createdRows - unchangedRows - refusedRows,
    error: shown.lastError,
    created_at: isoOf(shown.createdAt),
    started_at: isoOrNull(shown.startedAt),
    finished_at: isoOrNull(shown.finishedAt)
  }
}
