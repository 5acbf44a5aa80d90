import { Button, Group, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useFormats } from '../../../shared/format/formats.ts'
import { type Fact, FactList } from '../../../shared/ui/fact-list.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { useBalancesTexts } from './texts.ts'

/** What the service says of a file, whatever is in it. */
export type ReportOfFile = {
  dry_run: boolean
  rows: number
  repeated: number
  refused: number
  problems: { line: number; field: string | null; message: string }[]
}

const FIRST = 50

type Props = { report: ReportOfFile; facts: Fact[]; again: string; children: ReactNode }

/** What a file has done, or would do, and the rows that are refused. `again`: how they are sent again. */
export function Report({ report, facts, again, children }: Props) {
  const { dry_run, rows, repeated, refused, problems } = report
  const texts = useBalancesTexts()
  const { count } = useFormats()
  const [isAll, setAll] = useState(false)
  return (
    <Section title={dry_run ? texts.would : texts.has}>
      <FactList
        facts={[
          [texts.rows, count(rows)],
          ...facts,
          [texts.repeated, count(repeated)],
          [texts.refused, count(refused)]
        ]}
      />
      {children}
      {refused > 0 && (
        <>
          <Text size="sm" c="dimmed" maw={720}>
            {again}
          </Text>
          <PlainTable
            label={texts.refusedRows}
            rows={isAll ? problems : problems.slice(0, FIRST)}
            keyOf={({ line }) => String(line)}
            empty=""
            columns={[
              { title: texts.line, isNumber: true, cell: ({ line }) => count(line) },
              { title: texts.column, cell: ({ field }) => field ?? '–' },
              {
                title: texts.why,
                cell: ({ message }) => (
                  <Text size="sm" className="wrap-anywhere" miw={180}>
                    {message}
                  </Text>
                )
              }
            ]}
          />
          {!isAll && problems.length > FIRST && (
            <Group>
              <Button variant="default" size="xs" onClick={() => setAll(true)}>
                {texts.showAll(count(problems.length))}
              </Button>
            </Group>
          )}
          {refused > problems.length && (
            <Text size="xs" c="dimmed">
              {texts.firstOnly(count(problems.length), count(refused))}
            </Text>
          )}
        </>
      )}
    </Section>
  )
}
